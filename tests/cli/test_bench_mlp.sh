#!/bin/sh
# `rungs bench mlp`: its tables and files, its peer, wrong calls. No time is asserted.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

# A variable that would slow rows down makes the program start again, and say so: that is tested, and otherwise in the way.
handicaps=$(sed -n 's/^ *{"\([A-Z0-9_]*\)", .*/\1/p' src/ladder/handicaps.c)
# shellcheck disable=SC2086
unset $handicaps

# bench STATUS OPTION..: a short run; false unless it ends with that status.
bench() {
    wanted=$1
    shift
    call "$wanted" bench mlp --rounds 2 "$@"
}

prints_a_table() {
    bench 0 --threads 1 && [ ! -s "$folder/err" ] && grep -q '64-64-10, ReLU' "$folder/out" && grep -q '^  naive  ' "$folder/out" &&
        grep -q '^  best  ' "$folder/out" && grep -q 'bound' "$folder/out"
}
odd_shapes() { bench 0 --threads 1 --inputs 7 --hidden 13,5,1 --classes 3 --batch 5 && grep -q '7-13-5-1-3' "$folder/out"; }
one_table_of_kernels() { bench 0 --threads 1 --kernels best && ! grep -q '^  naive' "$folder/out"; }

# A header and 2 rows; samples and operations in a second, and the share of the bound, above 0.
writes_csv() {
    bench 0 --threads 1 --hidden 64 --csv "$folder/t.csv" &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next } { rows++ }
                 !($column["seconds"] > 0) || !($(NF - 2) > 0) || !($(NF - 1) > 0) || !($NF > 0) { wrong = 1 }
                 END { exit wrong || rows != 2 }' "$folder/t.csv" && head -n 1 "$folder/t.csv" | grep -q ',throughput,operations,bound$' &&
        grep -q '^mlp,32,1,best,measured,' "$folder/t.csv"
}
writes_json() {
    bench 0 --threads 1 --json "$folder/t.json" && grep -q '"flops":' "$folder/t.json" && grep -q '"parameters":' "$folder/t.json" &&
        grep -q '"processor":' "$folder/t.json"
}

# A peer that says what it is and answers every line with 5: a shell script in PyTorch's place.
cat >"$folder/peer" <<'PEER'
#!/bin/sh
echo "torch of the tests"
while read -r seconds; do echo 5; done
PEER
printf '#!/bin/sh\necho "broken torch"\nread -r seconds\necho five\n' >"$folder/liar"
printf '#!/bin/sh\necho "short-lived torch"\n' >"$folder/quitter"
printf '#!/bin/sh\nenv >"%s/env"\necho "$@" >"%s/arguments"\nexec "%s"\n' "$folder" "$folder" "$folder/peer" >"$folder/witness"
chmod +x "$folder/peer" "$folder/liar" "$folder/quitter" "$folder/witness"

has_a_row_for_the_peer() {
    bench 0 --threads 1 --torch "$folder/peer" && grep -q '^  pytorch  .* 5.00 /s' "$folder/out" &&
        grep -q 'times pytorch' "$folder/out" && grep -q 'pytorch: torch of the tests' "$folder/out"
}
tells_the_peer_what_to_do() {
    bench 0 --threads 1 --inputs 7 --hidden 13,5 --classes 3 --batch 6 --torch "$folder/witness" &&
        grep -q 'torch_step.py --serve --hidden 13,5 --inputs 7 --classes 3 --batch 6 --threads 1$' "$folder/arguments"
}
says_that_there_is_none() {
    bench 0 --threads 1 --torch "$1" && grep -q '^  pytorch  *skipped: ' "$folder/out" && grep -q '^  best  ' "$folder/out"
}
# Neither this program nor its peer: even where it does not start again.
gives_no_handicaps() {
    for again in "" 1; do
        status=0
        # shellcheck disable=SC2046,SC2086
        env $(printf '%s=1 ' $handicaps) ${again:+RUNGS_BENCH_STARTED_AGAIN=1} "$rungs" bench mlp --rounds 2 --threads 1 \
            --torch "$folder/witness" >"$folder/out" 2>"$folder/err" || status=$?
        [ "$status" = 0 ] && [ -s "$folder/env" ] || return 1
        [ "$(grep -c '^rungs bench mlp: starting again without' "$folder/err")" = "$([ "$again" ] && echo 0 || echo "$handicaps" | wc -l)" ] ||
            return 1
        for name in $handicaps; do
            ! grep "^$name=" "$folder/env" || return 1
        done
        rm "$folder/env"
    done
}
fails_with() {
    sentence=$1
    shift
    bench 1 "$@" && grep -q "$sentence" "$folder/err" "$folder/out"
}
refuses() {
    bench 2 "$@" && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ]
}

check "a table is printed" prints_a_table
check "odd shapes work" odd_shapes
check "one table of kernels can be chosen" one_table_of_kernels
check "CSV is written" writes_csv
check "JSON is written" writes_json
check "a peer gets a row" has_a_row_for_the_peer
check "a peer is told what to measure" tells_the_peer_what_to_do
check "handicaps are taken away, from the peer too" gives_no_handicaps
check "a missing Python is said" says_that_there_is_none "$folder/nothing"
check "a Python without PyTorch is said" says_that_there_is_none false
check "a peer that answers nonsense is an error" fails_with 'answered "five"' --threads 1 --torch "$folder/liar"
check "a peer that ends is an error" fails_with 'ended in the middle' --threads 1 --torch "$folder/quitter"
check "a file that cannot be written is an error" fails_with 'rungs bench mlp: ' --threads 1 --csv "$folder/no/t.csv"
check "more threads than cores are refused" refuses --threads 1,1024
check "0 neurons are refused" refuses --hidden 0
floor_without_peer() { bench 1 --threads 1 --torch "$folder/nothing" --floor pytorch=0.01 && grep -q 'nothing was measured' "$folder/out"; }
check "a floor beside a peer that does not start is not met" floor_without_peer
check "unknown kernels are refused" refuses --kernels fastest
check "an unknown option is refused" refuses --hiden 5

finish "cli/bench_mlp"
