#!/bin/sh
# `rungs bench mlp`: its tables and files, its peer, wrong calls. No time is asserted.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

# bench STATUS OPTION..: a short run; false unless it ends with that status.
bench() {
    wanted=$1
    shift
    call "$wanted" bench mlp --rounds 2 --seconds 0.001 "$@"
}

prints_a_table() {
    bench 0 --threads 1 && [ ! -s "$folder/err" ] && grep -q '64-64-10, ReLU' "$folder/out" && grep -q 'naive kernels' "$folder/out" &&
        grep -q 'best kernels' "$folder/out" && grep -q 'bound' "$folder/out"
}
odd_shapes() { bench 0 --threads 1 --inputs 7 --hidden 13,5,1 --classes 3 --batch 5 && grep -q '7-13-5-1-3' "$folder/out"; }
one_table_of_kernels() { bench 0 --threads 1 --kernels best && ! grep -q naive "$folder/out"; }

# 1 header and 2 rows of 12 fields, every number above 0.
writes_csv() {
    bench 0 --threads 1 --csv "$folder/t.csv" &&
        awk -F, 'NF != 12 { wrong = 1 } NR > 1 { for (i = 2; i <= NF; i++) if (!($i > 0)) wrong = 1 }
                 END { exit wrong || NR != 3 }' "$folder/t.csv"
}
writes_json() {
    bench 0 --threads 1 --json "$folder/t.json" && grep -q '"flops_per_step":' "$folder/t.json" &&
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
chmod +x "$folder/peer" "$folder/liar" "$folder/quitter"

has_a_row_for_the_peer() {
    bench 0 --threads 1 --torch "$folder/peer" && grep -q 'torch of the tests .* 5.00 /s' "$folder/out" &&
        grep -q 'times PyTorch' "$folder/out"
}
says_that_there_is_none() {
    bench 0 --threads 1 --torch "$1" && grep -q 'no row for PyTorch' "$folder/err" && grep -q 'best kernels' "$folder/out"
}
fails_with() {
    sentence=$1
    shift
    bench 1 "$@" && grep -q "$sentence" "$folder/err"
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
check "a missing Python is said" says_that_there_is_none "$folder/nothing"
check "a Python without PyTorch is said" says_that_there_is_none false
check "a peer that answers nonsense is an error" fails_with 'answered "five"' --threads 1 --torch "$folder/liar"
check "a peer that ends is an error" fails_with 'ended in the middle' --threads 1 --torch "$folder/quitter"
check "a file that cannot be written is an error" fails_with 'rungs bench mlp: ' --threads 1 --csv "$folder/no/t.csv"
check "0 neurons are refused" refuses --hidden 0
check "unknown kernels are refused" refuses --kernels fastest
check "an unknown option is refused" refuses --hiden 5

finish "cli/bench_mlp"
