#!/bin/sh
# --kernels through the whole program: naive, best, and every rung of gemm, in training and in the benchmark.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
rung_names=$(sed -n 's/^ *{"\([a-z_]*\)", gemm_.*/\1/p' cpu/gemm/choose.c)
all_names="naive|best$(printf '%s\n' $rung_names | sed '/^naive$/d; s/^/|/' | tr -d '\n')"

train() { call 0 train mlp --data iris --epochs 5 --kernels "$1"; }
loss() { sed -n 's/^epoch  *5\/5  loss \([0-9.]*\) .*/\1/p' "$folder/out"; }

# The same samples in the same order: rounding alone tells the rungs' losses apart.
every_name_trains() {
    train best || return 1
    want=$(loss)
    [ -n "$want" ] || return 1
    for name in $(echo "$all_names" | tr '|' ' '); do
        train "$name" && grep -q "kernels $name\$" "$folder/out" || { echo "$name: no training"; return 1; }
        echo "$(loss) $want" | awk '{ exit !(NF == 2 && $1 - $2 < 0.001 && $2 - $1 < 0.001) }' || { echo "$name: $(loss), not $want"; return 1; }
    done
}
every_name_is_measured() {
    for name in best $rung_names; do
        call 0 bench mlp --rounds 1 --seconds 0.001 --threads 1 --kernels "$name" && grep -q "^  $name  *[0-9.]* [mun]s " "$folder/out" || return 1
    done
}
is_listed() { call 0 "$1" mlp --help && tr -d ' \n' <"$folder/out" | grep -qF -e "--kernels$2$all_names"; }

# is_refused COMMAND WORD SENTENCE: one line that lists all names.
is_refused() {
    call 2 "$1" mlp --kernels "$2" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -qF "$all_names" "$folder/err" &&
        grep -qF "$3" "$folder/err"
}

check "every name trains, to nearly the same loss" every_name_trains
check "every name has a row in the benchmark" every_name_is_measured
check "the help of train lists all names" is_listed train ''
check "the help of bench lists all names" is_listed bench LISTall,orsomeof
check "an unknown name is refused with all names" is_refused train fastest '"fastest"'
check "a mistyped rung gets a hint" is_refused train blokced 'did you mean blocked?'
check "a peer is no rung" is_refused train openblas '"openblas"'
# A benchmark lists its rows, in other words.
row_is_refused() {
    call 2 bench mlp --kernels "$1" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -qF "$2" "$folder/err" || return 1
    for name in best $rung_names; do grep -q "[ ]$name," "$folder/err" || return 1; done
}
check "bench refuses an unknown name" row_is_refused expret 'did you mean expert?'
finish "cli/kernels"
