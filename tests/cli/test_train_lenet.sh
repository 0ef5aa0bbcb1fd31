#!/bin/sh
# rungs train lenet and vgg-small: convolutional networks through the whole program, their checkpoints, and what is refused.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

accuracy() { sed -n 's/^test accuracy \([0-9.]*\) .*/\1/p' "$folder/out"; }

# learns ACCURACY OPTION..; learns_digits OPTION..: to the same accuracy whatever the options.
learns() {
    least=$1
    shift
    call 0 train lenet --epochs 15 "$@" && accuracy | awk -v least="$least" '{ exit !($1 >= least) }'
}
learns_digits() { learns 0.95 "$@"; }

# goes_on MODEL OPTION..: a run of two parts leaves the very file of one that was not stopped.
goes_on() {
    model=$1
    shift
    call 0 train "$model" --data digits "$@" --epochs 2 --save "$folder/whole" &&
        call 0 train "$model" --data digits "$@" --epochs 1 --save "$folder/parts" &&
        call 0 train "$model" --resume "$folder/parts" --epochs 2 && cmp -s "$folder/whole" "$folder/parts"
}

# The same bits on one thread and on two.
threads_change_nothing() {
    for threads in 1 2; do
        call 0 train vgg-small --data digits --test 0.2 --validation 0.6 --epochs 1 --threads $threads \
            --save "$folder/on$threads" || return 1
    done
    cmp -s "$folder/on1" "$folder/on2"
}

# Weights that were saved give the same results when they are loaded; a rate that changes nothing shows it.
loads_weights() {
    call 0 train lenet --epochs 3 --save "$folder/weights" || return 1
    want=$(accuracy)
    call 0 train lenet --load "$folder/weights" --epochs 1 --optimizer sgd --lr 1e-30 && [ "$(accuracy)" = "$want" ]
}

memory_of() { awk '/^memory/ { print $3 == "MiB" ? 1024 * $2 : $2; exit }' "$folder/out"; }

# Recomputation changes the memory of a step and nothing of its result.
recomputing_changes_no_bit() {
    for n in 0 4; do
        call 0 train vgg-small --data digits --validation 0.6 --epochs 1 --recompute $n --save "$folder/again$n" || return 1
        memory_of >"$folder/memory$n"
    done
    cmp -s "$folder/again0" "$folder/again4" &&
        awk 'NR == 1 { whole = $1 } NR == 2 { exit !($1 > 0 && $1 < 0.9 * whole) }' "$folder/memory0" "$folder/memory4"
}

# Micro-batches take less memory; another number of them is another run.
takes_micro_batches() {
    learns_digits --micro-batches 4 --save "$folder/micro" &&
        [ "$(memory_of | cut -d. -f1)" -lt "$(awk '{ printf "%d", $1 / 2 }' "$folder/lenet_memory")" ] &&
        refused 1 "micro-batches" train lenet --resume "$folder/micro" --epochs 16 --micro-batches 2
}

# Values in bf16: it learns, and goes on as such without being told.
# With 8 significant bits, kernels that round in another order end between 0.94 and 0.98.
learns_in_bf16() {
    learns 0.92 --precision bf16 --save "$folder/narrow" &&
        call 0 train lenet --epochs 14 --precision bf16 --save "$folder/shorter" &&
        call 0 train lenet --resume "$folder/shorter" --epochs 15 && cmp -s "$folder/narrow" "$folder/shorter"
}

# refused STATUS WORDS ARGUMENT..: with one line that has these words.
refused() {
    expected_status=$1 words=$2
    shift 2
    call "$expected_status" "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -qF -e "$words" "$folder/err"
}

# Every network of `rungs model` takes a step on images of the size that it is refused below; of those without data one says what it
# wants. Pixels are random bytes; a rate that changes nothing keeps the loss a number.
trains_every_model() {
    "$rungs" train resnet50 >"$folder/out" 2>"$folder/err"
    [ $? = 2 ] && grep -q '224 x 224 x 3 pixels .* give --data IMAGES,LABELS' "$folder/err" || return 1
    "$rungs" model | sed -n '2,/^$/s/^\([a-z][^ ]*\) .*/\1/p' >"$folder/names"
    [ "$(wc -l <"$folder/names")" -ge 15 ] || return 1
    while read -r name; do
        smallest 1 && side=1
        call 2 train "$name" --data "$folder/images,$folder/labels" --test 0 --epochs 1
        side=$(sed -n 's/.* at least \([0-9]*\) x .*/\1/p' "$folder/err")
        smallest "${side:-1}" && call 0 train "$name" --data "$folder/images,$folder/labels" --test 0 --epochs 1 --lr 1e-30 --optimizer sgd &&
            grep -q '^trained   1 step' "$folder/out" || { echo "$name"; return 1; }
    done <"$folder/names"
}

# smallest N: two images of N x N x 3, with labels 0 and 1.
smallest() {
    # shellcheck disable=SC2059
    { printf '\0\0\010\4\0\0\0\2\0\0\0' && printf "\\$(printf %03o "$1")\\0\\0\\0\\$(printf %03o "$1")\\0\\0\\0\\3" && head -c $(($1 * $1 * 6)) /dev/urandom; } >"$folder/images"
    printf '\0\0\010\1\0\0\0\2\0\1' >"$folder/labels"
}

check "every model is trained" trains_every_model
check "lenet learns the digits" learns_digits
memory_of >"$folder/lenet_memory"
check "lenet goes on where it was stopped" goes_on lenet
check "vgg-small goes on, with its averages and its dropout" goes_on vgg-small --validation 0.6
check "lenet goes on in micro-batches" goes_on lenet --micro-batches 3
check "recomputing changes no bit" recomputing_changes_no_bit
check "micro-batches take less memory" takes_micro_batches
check "values may be bf16" learns_in_bf16
check "more micro-batches than samples" refused 2 "33 micro-batches of a batch of 32 samples" train lenet --micro-batches 33
check "threads change nothing" threads_change_nothing
check "weights are loaded" loads_weights
check "the help names the model" call 0 train lenet --help
check "the help has no hidden layers" sh -c "! grep -q -e --hidden '$folder/out'"
check "a table is no image" refused 2 "at least 8 x 8 pixels, but those of iris have 1 x 1" train lenet --data iris
check "--hidden belongs to mlp" refused 2 "hidden" train lenet --hidden 5
check "the weights of another network" refused 1 "has no tensor" train mlp --data digits --epochs 1 --load "$folder/weights"
check "a model's checkpoint is not another's" refused 1 "model" train vgg-small --data digits --resume "$folder/weights"
finish "cli/train_lenet"
