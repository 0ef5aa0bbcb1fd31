#!/bin/sh
# What `make bench-cluster` and `make bench-model` say of a table: ratio, order, errors, exit status. SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"

# table ROW..: a CSV of bytes, rung, kind, place, state, seconds, predicted; judge STATUS OPTION..
table() {
    echo 'bytes,rung,kind,place,state,seconds,seconds_predicted' >"$folder/t.csv"
    for row in "$@"; do echo "$row" >>"$folder/t.csv"; done
}
judge() {
    wanted=$1
    shift
    status=0
    awk "$@" -v error=0.25 -f tools/bench_model.awk "$folder/t.csv" >"$folder/out" || status=$?
    [ "$status" = "$wanted" ]
}

table '1048576,naive,rung,in,measured,3,3.3' '1048576,ring,rung,in,measured,1,1.2' '1048576,tree,rung,in,measured,2,2' \
    '8,tree,rung,in,measured,2,90' '1048576,tree,rung,out,measured,2,4' \
    '4194304,tree,rung,out,measured,2,2.2' '4194304,mpi,peer,out,measured,1,9'
takes_the_median() {
    judge 0 && grep -q 'naive  *10.0 % of 1 times: ok$' "$folder/out" && grep -q 'tree  *10.0 % of 3 times: ok$' "$folder/out" &&
        ! grep -q mpi "$folder/out"
}
ratio_is_held() {
    judge 0 -v ratio=ring:naive:2.5 && grep -q '1048576 B in  *3.00 times: ok$' "$folder/out" && judge 1 -v ratio=ring:naive:3.5 &&
        grep -q '3.00 times: below$' "$folder/out" && judge 1 -v ratio=ring:auto:1
}
order_is_held() {
    judge 0 -v order=1048576 && grep -q '1048576 in: ok' "$folder/out" && judge 1 -v order=99 || return 1
    echo '1048576,star,rung,in,measured,2.5,1.9' >>"$folder/t.csv" # predicted within 10 % of the tree
    judge 0 -v order=1048576 || return 1
    echo '1048576,path,rung,in,measured,2.6,2.19' >>"$folder/t.csv" # measured within 10 % of the star
    judge 0 -v order=1048576 || return 1
    echo '1048576,bad,rung,in,measured,8,7' >>"$folder/t.csv"
    echo '1048576,worse,rung,in,measured,7,9' >>"$folder/t.csv"
    judge 1 -v order=1048576 &&
        grep -q 'bad was predicted to be faster than worse (7 s, 9 s), and is slower (8 s, 7 s)' "$folder/out"
}
errors_are_held() {
    table '65536,ring,rung,in,measured,1,1.3' && judge 1 &&
        grep -q 'ring  *30.0 % of 1 times: above$' "$folder/out"
}
small_sizes_say_nothing() {
    table '65535,ring,rung,in,measured,1,1' && judge 1 &&
        grep -q 'nothing was measured' "$folder/out"
}
wrong_fails() {
    table '65536,ring,rung,in,measured,1,1' '65536,tree,rung,in,wrong,,' && judge 1 &&
        grep -q 'tree is WRONG' "$folder/out"
}
check "the median of a rung's errors is held to the floor" takes_the_median
check "a ratio is held to its floor" ratio_is_held
check "the order is the predicted one" order_is_held
check "a large error fails" errors_are_held
check "sizes below 64 KB are ignored, and no size is a failure" small_sizes_say_nothing
check "a wrong rung fails" wrong_fails
finish "tools/bench_model"
