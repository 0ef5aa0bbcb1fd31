#!/bin/sh
# rungs train --device: the processor's losses on the emulator of a GPU, step by step; checkpoints that go from one to the other; and
# what is said where no device is.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

libraries=${rungs%/*}

# same_losses MODEL OPTION..: 20 steps, each an epoch of one batch, so that the CSV has every step's loss.
same_losses() {
    model=$1
    shift
    for device in cpu emulator; do
        call 0 train "$model" --data digits --test 0.98 --validation 0 --batch 36 --epochs 20 --device $device "$@" \
            --csv "$folder/$device.csv" || return 1
    done
    paste -d, "$folder/cpu.csv" "$folder/emulator.csv" | awk -F, '
        NR > 1 { other = $(NF / 2 + 2); d = $2 - other; if (!(d >= -1e-4 && d <= 1e-4) || $2 == "" || other == "") wrong++; rows++ }
        END { exit !(rows == 20 && wrong == 0) }'
}

says() { grep -qF -e "$1" "$folder/out"; }

# A run on the processor goes on with the emulator's optimiser and weights, and back.
goes_over() {
    set -- --data digits --test 0.95 --batch 30 --hidden 7
    call 0 train mlp "$@" --epochs 1 --save "$folder/there" --device emulator &&
        call 0 train mlp --resume "$folder/there" --epochs 2 --device cpu &&
        call 0 train mlp --resume "$folder/there" --epochs 3 --device emulator --csv "$folder/mixed.csv" &&
        call 0 train mlp "$@" --epochs 3 --csv "$folder/whole.csv" &&
        paste -d, "$folder/whole.csv" "$folder/mixed.csv" | awk -F, '
            NR > 1 { d = $2 - $(NF / 2 + 2); if (!(d >= -1e-4 && d <= 1e-4)) wrong++; rows++ }
            END { exit !(rows == 3 && wrong == 0) }'
}

# Few samples: the emulator that checks is slow. Iris is small enough to be visited once.
is_checked() {
    call 0 train mlp --data iris --test 0.9 --hidden 5 --epochs 2 --device emulator-checked &&
        says "no mistake found in the kernels" && says "times meaningless"
}

# no_library DEVICE WORDS: one line with these words, where no library is.
no_library() {
    RUNGS_GPU_LIBRARIES=$folder call 1 train mlp --device "$1" && [ "$(wc -l <"$folder/err")" = 1 ] &&
        grep -qF -e "there is no librungs_" "$folder/err" && grep -qF -e "$2" "$folder/err"
}

check "no library for a GPU" no_library gpu "--device emulator runs the same kernels here"
check "no emulator" no_library emulator "'make' makes it where g++ is"
check "another device" call 2 train mlp --device tpu
check "the help says that the emulator is slow" sh -c "'$rungs' train mlp --help | grep -q 'take a small network'"
if [ -r "$libraries/librungs_emulator.so" ]; then
    check "the losses of a perceptron are the processor's" same_losses mlp --hidden 16
    check "the emulator's times are called meaningless" says "times meaningless"
    check "the losses of lenet are the processor's" same_losses lenet
    check "so are those by momentum" same_losses mlp --hidden 9,8 --activation tanh --optimizer momentum --lr 0.01
    check "a checkpoint goes from one to the other" goes_over
else
    echo "skipped: the emulator was not built: no C++ compiler"
    skipped=$((skipped + 5))
fi
if [ -r "$libraries/librungs_emulator_checked.so" ]; then
    check "a run is checked" is_checked
else
    echo "skipped: the emulator that checks was not built"
    skipped=$((skipped + 1))
fi
finish "cli/train_device"
