#!/bin/sh
# rungs schedule: what it prints, writes and refuses.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
# shellcheck disable=SC2034
command_words=schedule

# GPipe on 2 stages, by hand: F takes 1, B and W together 2, and the last B of stage 1 ends at 7.
draws_gpipe() {
    call 0 gpipe --stages 2 --micro-batches 2 || return 1
    sed -n 's/^  stage [01]  *//p' "$folder/out" >"$folder/rows"
    printf '%s\n' 'F0,0 F0,1 ...............B0,0----- B0,1-----' '.....F1,0 F1,1 B1,0----- B1,1----- ..........' >"$folder/want"
    cmp -s "$folder/want" "$folder/rows"
}

# The text of every schedule, read back, has the same length and bubble.
reads_back() {
    for name in gpipe 1f1b interleaved zb-h1 zb-h2 pipedream 2bw; do
        call 0 "$name" --text && cp "$folder/out" "$folder/text" || return 1
        call 0 "$name" && sed -n '1s/^[^:]*//p' "$folder/out" >"$folder/first" || return 1
        call 0 --file "$folder/text" && sed -n '1s/^[^:]*//p' "$folder/out" | cmp -s - "$folder/first" || return 1
    done
}

writes_csv() {
    call 0 zb-h1 --stages 2 --micro-batches 3 --csv "$folder/x.csv" || return 1
    [ "$(head -n 2 "$folder/x.csv")" = "stage,kind,micro_batch,chunk,begin,end
0,F,0,0,0,1" ] && [ "$(wc -l <"$folder/x.csv")" = 19 ]
}

writes_json() {
    call 0 1f1b --json "$folder/x.json" && grep -q '"in_flight":.*4' "$folder/x.json" && grep -q '"length":.*33' "$folder/x.json"
}

refuses_broken() {
    printf '%s\n' 'F0 B0 F1 B1' '' 'F0 B0 F1' >"$folder/broken"
    refuses 1 "line 3: stage 1 has no B1" --file "$folder/broken"
}

writes_svg() {
    call 0 1f1b --svg "$folder/x.svg" && grep -q 'F forward' "$folder/x.svg" && grep -q 'in flight' "$folder/x.svg"
}

check "the drawing" draws_gpipe
check "a wide drawing is cut with a note" prints "cut at time" 1f1b --columns 80
check "the bubble of 1F1B is 3/11" prints "length 33, bubble 27.27 %" 1f1b
check "the bubble of one micro-batch is 3/4" prints "bubble 75.00 %" gpipe --micro-batches 1
check "the bubble of two chunks" prints "bubble 15.79 %" interleaved --chunks 2
check "versions of the weights" prints "versions  staleness" pipedream
check "all of them" prints "zb-h2  *27  *0.00%  *7  *1  *48" all
check "no name is all of them" prints "gpipe  *33  *27.27%  *8  *1  *48"
check "one that these numbers cannot have" prints "interleaved  *interleaved needs" --micro-batches 7
check "a sweep" prints "^  8  *46.667  *17.949" 1f1b --sweep
check "a sweep of chunks" prints "^  8  *17.949  *5.185" interleaved --chunks 4 --sweep
check "text reads back" reads_back
check "CSV" writes_csv
check "JSON" writes_json
if command -v gnuplot >/dev/null 2>&1; then
    check "SVG" writes_svg
else
    skipped=1
    echo "skipped SVG: there is no gnuplot"
fi
check "a broken file" refuses_broken
check "a file that is not there" refuses 1 "cannot read" --file "$folder/nowhere"
check "a mistyped name" refuses 2 "did you mean 'rungs schedule 1f1b'" 1f1
check "chunks of 1F1B" refuses 2 "1f1b has 1 chunk" 1f1b --chunks 2
check "three times" refuses 2 "expected four numbers" 1f1b --times 1,2,3
check "times of nothing" refuses 2 "above 0" 1f1b --times 0,0,0,1
check "a name and a file" refuses 2 "leave out the name" 1f1b --file x
check "a sweep of no schedule" refuses 2 "needs the name" --sweep
check "a figure of all" refuses 2 "of one schedule" --svg "$folder/all.svg"

finish "cli/schedule"
