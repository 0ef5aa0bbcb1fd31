#!/bin/sh
# The table that `make bench-dropin` makes of what the program prints. SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"

# of LINE..: the CSV of rounds "bytes place seconds seconds_of_the_library wrong".
of() {
    printf '%s\n' "$@" >"$folder/rounds"
    awk -v rung=ours -f tools/bench_dropin.awk "$folder/rounds" >"$folder/t.csv"
}
has() { grep -Fqx "$1" "$folder/t.csv"; }

medians_of_rounds() {
    of 'mpirun: 2 ranks' '8 in 2e-6 3e-6 0' '8 in 1e-6 4e-6 0' '8 in 3e-6 3e-6 0' '8 out 1e-6 1e-6 0' &&
        has '8,ours,rung,in,2e-06,1.5000,1.0000,4.0000,the library,measured,' && has '8,ours,rung,out,1e-06,1.0000,1.0000,1.0000,the library,measured,'
}
even_rounds_have_their_middle() { of '4 in 1e-6 1e-6 0' '4 in 2e-6 8e-6 0' && has '4,ours,rung,in,1.5e-06,2.5000,1.0000,4.0000,the library,measured,'; }
intervals_narrow() { # of 16 rounds: from the 4th to the 13th
    i=0
    while [ $i -lt 16 ]; do
        i=$((i + 1))
        echo "4 in 1 $i 0"
    done >"$folder/many"
    awk -v rung=ours -f tools/bench_dropin.awk "$folder/many" >"$folder/t.csv" && has '4,ours,rung,in,1,8.5000,4.0000,13.0000,the library,measured,'
}
wrong_elements_are_no_time() {
    of '8 in 2e-6 3e-6 0' '8 in 2e-6 3e-6 5' && has '8,ours,rung,in,,,,,,wrong,5 wrong elements' || return 1
    ! awk -v title=t -v place=both -v rungs=all -v floors=0:1 -f tools/bench_collective.awk "$folder/t.csv" >"$folder/out" && grep -q 'ours is WRONG' "$folder/out"
}
nothing_fails() { ! of 'mpirun: 2 ranks'; }
check "medians of the rounds, for each place" medians_of_rounds
check "an even number of rounds" even_rounds_have_their_middle
check "many rounds leave the ends out of the interval" intervals_narrow
check "wrong elements have no time, and fail" wrong_elements_are_no_time
check "a run that printed nothing fails" nothing_fails
finish "tools/bench_dropin"
