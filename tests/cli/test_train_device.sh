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

# Two ranks, each with its half of every batch: their gradients are copied to the host, summed there, and copied back.
same_losses_on_two_ranks() {
    data='--data digits --test 0.98 --validation 0 --batch 35 --epochs 6 --hidden 16'
    # shellcheck disable=SC2086
    call 0 train mlp $data --csv "$folder/one.csv" || return 1
    for how in fused wfbp optimal; do
        # shellcheck disable=SC2086
        sh tools/mpirun.sh 2 "$rungs" train mlp $data --device emulator --overlap $how --csv "$folder/two.csv" >"$folder/out" 2>&1 &&
            paste -d, "$folder/one.csv" "$folder/two.csv" | awk -F, '
                NR > 1 { d = $2 - $(NF / 2 + 2); if (!(d >= -1e-4 && d <= 1e-4)) wrong++; rows++ }
                END { exit !(rows == 6 && wrong == 0) }' || return 1
    done
}
# Running averages, too: the test accuracy comes of them.
averages_are_staged() {
    for device in cpu emulator; do
        sh tools/mpirun.sh 2 "$rungs" train vgg-small --data digits --test 0.99 --validation 0 --batch 9 --epochs 1 --device $device \
            --csv "$folder/$device.csv" >"$folder/$device.out" 2>&1 || return 1
    done
    paste -d, "$folder/cpu.csv" "$folder/emulator.csv" | awk -F, 'NR > 1 { d = $2 - $(NF / 2 + 2); exit !(d >= -1e-3 && d <= 1e-3) }' &&
        sed -n 's/^test accuracy \([0-9.]*\).*/\1/p' "$folder/cpu.out" "$folder/emulator.out" |
        awk '{ got[NR] = $1 } END { d = got[1] - got[2]; exit !(NR == 2 && d > -0.01 && d < 0.01) }'
}
other_strategies_are_refused() {
    ! sh tools/mpirun.sh 2 "$rungs" train mlp --data iris --device emulator --parallel gossip >"$folder/out" 2>&1 &&
        says "--parallel gossip needs the network in the host's memory: give --device cpu, or --parallel data"
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
    check "so are they in bf16, in micro-batches, with recomputation" same_losses lenet --precision bf16 --micro-batches 3 --recompute 3
    check "so are those by momentum" same_losses mlp --hidden 9,8 --activation tanh --optimizer momentum --lr 0.01
    check "a checkpoint goes from one to the other" goes_over
    if grep -q HAVE_MPI "$libraries/flags" && command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
        check "two ranks have the losses of one process" same_losses_on_two_ranks
        check "running averages are staged, too" averages_are_staged
        check "strategies that only the host knows are refused" other_strategies_are_refused
    else
        echo "skipped: this build is without MPI"
        skipped=$((skipped + 3))
    fi
else
    echo "skipped: the emulator was not built: no C++ compiler"
    skipped=$((skipped + 9))
fi
if [ -r "$libraries/librungs_emulator_checked.so" ]; then
    check "a run is checked" is_checked
else
    echo "skipped: the emulator that checks was not built"
    skipped=$((skipped + 1))
fi
finish "cli/train_device"
