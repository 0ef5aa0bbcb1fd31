#!/bin/sh
# `rungs bench allreduce` and the other collectives, and `rungs backends`: what they print and write, which calls they refuse, on one
# rank and on several. No speed is tested; a wrong rung is met in tests/mpi/test_bench_mpi.c.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
# What is fitted is printed, not judged; every run fits anew.
export RUNGS_FIT_SECONDS=0.05
collectives="allreduce reduce broadcast reduce_scatter all_gather gather scatter all_to_all barrier"

# ranks STATUS P ARGUMENT..: rungs on P ranks. What the launcher itself says is left out.
ranks() {
    expected=$1 p=$2
    shift 2
    status=0
    timeout 120 sh tools/mpirun.sh "$p" "$rungs" "$@" >"$folder/out" 2>"$folder/all" </dev/null || status=$?
    grep '^rungs' "$folder/all" >"$folder/err" || : >"$folder/err"
    [ "$status" = "$expected" ]
}
quick() {
    quick_p=$1
    shift
    ranks 0 "$quick_p" bench "$@" --rounds 1 --seconds 0.1
}
# refused_by_two STATUS TEXT ARGUMENT..: two ranks say one sentence, before anything is measured.
refused_by_two() {
    wanted=$1 hint=$2
    shift 2
    ranks "$wanted" 2 bench "$@" && one_sentence "$hint"
}
# refused STATUS TEXT ARGUMENT..: one rank does, without a launcher.
refused() {
    wanted=$1 hint=$2
    shift 2
    command_words=
    call "$wanted" bench "$@" && one_sentence "$hint"
}

if [ ! -x "$rungs" ] || [ "${MPI:-1}" = 0 ] || "$rungs" bench allreduce --help 2>&1 | grep -q 'without MPI'; then
    without() { command_words=bench && call 1 allreduce && [ ! -s "$folder/out" ] && grep -q 'this build is without MPI' "$folder/err"; }
    check "without MPI there is a sentence" without
    finish "cli/bench_collective"
    exit
fi
if ! command -v mpirun >/dev/null 2>&1; then
    echo "skipped all: mpirun was not found"
    echo "cli/bench_collective: 0 passed, 0 failed, 1 skipped"
    exit 0
fi

# A table for each size and place, with nccl-tests' two bandwidths: 2 rungs, 2 sizes, in place and not.
has_tables() {
    quick "$1" allreduce --rungs naive,mpi --sizes 8,1K --csv "$folder/t.csv" --json "$folder/t.json" &&
        [ "$(grep -c '^allreduce \(8\|1024\)\(:in\)\{0,1\}, .* round' "$folder/out")" = 4 ] && [ "$(grep -c '^  rung .* busbw  *algbw ' "$folder/out")" = 4 ] &&
        [ "$(grep -c '^  naive  .*B/s .*B/s' "$folder/out")" = 4 ] && [ "$(grep -c '^  mpi  .*B/s .*B/s' "$folder/out")" = 4 ]
}
# Every line as wide as the first; busbw is algbw times 2 (p - 1) / p.
writes_csv() {
    awk -F, -v p="$1" 'NR == 1 { n = NF; for (i = 1; i <= NF; i++) column[$i] = i; next } NF != n { exit 1 }
        $column["state"] == "measured" && $column["ranks"] == p && $column["bytes"] == $column["size"] + 0 && $column["algbw"] > 0 {
            off = $column["busbw"] - $column["algbw"] * 2 * (p - 1) / p
            rows += off * off < 1
        } END { exit !(NR == 9 && rows == 8) }' "$folder/t.csv" && grep -q "^allreduce,8:in,1,naive,measured,,0,8,.*,rung,$1,1,float,sum,-1,no," "$folder/t.csv"
}
writes_json() {
    [ "$(grep -c '"samples"' "$folder/t.json")" = 8 ] && grep -q "\"ranks\":.\"$1\"" "$folder/t.json" || return 1
    ! command -v python3 >/dev/null 2>&1 || python3 -m json.tool "$folder/t.json" >/dev/null
}
for p in ${MPI_RANKS:-1 3}; do
    check "$p ranks: a table for each size and place" has_tables $p
    check "$p ranks: --csv has a row for each rung, size and place" writes_csv $p
    check "$p ranks: --json holds every sample" writes_json $p
done

runs_all_rungs() {
    sizes="--sizes 4,1000"
    [ "$1" != barrier ] || sizes=
    # shellcheck disable=SC2086
    quick 3 "$1" $sizes --csv "$folder/t.csv" && ! grep -q WRONG "$folder/out" && grep -q ',mpi,measured,,.*,peer,' "$folder/t.csv" &&
        [ "$(grep -c ',measured,,.*,rung,' "$folder/t.csv")" -ge 1 ] && ! grep -q ',wrong,' "$folder/t.csv"
}
for collective in $collectives; do
    check "3 ranks: every rung of $collective" runs_all_rungs "$collective"
done

takes_options() {
    quick 3 reduce --sizes 40 --type int64 --op max --root 2 --ranks-per-node 2 --rungs naive &&
        grep -q '^reduce 40, 3 ranks' "$folder/out" && grep -q 'ranks 3, nodes 2, type int64, redop max, root 2,' "$folder/out"
}
broadcast_is_in_place() { quick 2 broadcast --sizes 64 --csv "$folder/t.csv" && ! grep -q '^broadcast,64,' "$folder/t.csv" && grep -q '^broadcast,64:in,' "$folder/t.csv"; }
all_to_all_is_not() { quick 2 all_to_all --sizes 64 --csv "$folder/t.csv" && ! grep -q ':in,' "$folder/t.csv" && grep -q '^all_to_all,64,1,.*,measured,,0,64,' "$folder/t.csv"; }
one_place() { quick 2 allreduce --place in --rungs naive --sizes 64 --csv "$folder/t.csv" && ! grep -q '^allreduce,64,' "$folder/t.csv" && grep -q '^allreduce,64:in,' "$folder/t.csv"; }
floors() {
    quick 2 allreduce --rungs naive,ring,mpi --sizes 64,4K --floor ring/naive=1K:0.0001 --floor peer=0,1K:0.0001 &&
        [ "$(grep -c 'ok)$' "$folder/out")" = 6 ] && ranks 1 2 bench allreduce --rungs naive --sizes 64 --rounds 1 --floor each/best=1000 &&
        grep -q '(1000.00: below)' "$folder/out" && [ "$(wc -l <"$folder/err")" = 1 ]
}
alone_without_launcher() {
    command_words=bench
    call 0 allreduce --sizes 8 --rounds 1 --rungs naive,mpi && grep -q 'tools/mpirun.sh 2 build/rungs bench allreduce' "$folder/out"
}
# Where the library says it at all, what it is told to use.
names_single_copy() {
    OMPI_MCA_btl_vader_single_copy_mechanism=none quick 2 allreduce --sizes 8 --rungs naive,mpi &&
        grep -q 'single-copy mechanism of Open MPI.s vader: \(none\|not known\)' "$folder/out"
}
draws() { quick 2 allreduce --rungs naive,mpi --sizes 8..512 --svg "$folder/t.svg" && grep -q '<svg' "$folder/t.svg"; }
draws_messages() {
    quick 3 allreduce --rungs ring --sizes 1K --messages-svg "$folder/m.svg" && grep -q 'allreduce ring, 1.00 KiB, 3 ranks' "$folder/m.svg" &&
        grep -q 'rank 2' "$folder/m.svg" && ranks 0 1 bench allreduce --help && grep -q 'messages-svg FILE' "$folder/out"
}
tables_are_narrow() {
    quick 2 allreduce --sizes 4,100K --model && [ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' "$folder/out")" -le 120 ]
}
alone_nothing_is_predicted() {
    quick 1 allreduce --sizes 8 --rungs naive,mpi --model && ! grep -q 'inf\|nan' "$folder/out" && grep -q 'nothing to predict' "$folder/out"
}
check "tables are 120 columns wide at most" tables_are_narrow
check "one rank: there is nothing to predict" alone_nothing_is_predicted
# The ring's file says what a rank sends: 2 (p - 1) messages, 2 n (p - 1) / p elements.
counts() {
    quick 3 allreduce --rungs ring,mpi --sizes 6000 --count --strict --model && grep -q '^  ring  *4  *8000  *4  *4  *8000  *4$' "$folder/out" &&
        ! grep -q 'not as predicted' "$folder/out" && grep -q 'every send waits' "$folder/out" && grep -q '1 / beta' "$folder/out"
}
check "--count, --strict and --model: what the ring sends, and the fitted network" counts
in_window() { quick 2 allreduce --rungs naive,mpi --sizes 40,4K --in-window && grep -q 'memory that the ranks of a node share' "$folder/out"; }
check "--in-window: vectors in shared memory" in_window
# Twice the vector through memory in place in the window, four times through the buffers.
window_is_modelled() {
    quick 2 allreduce --rungs window --sizes 1M --model --in-window && grep -q '^  window .* 2.00 MiB' "$folder/out" &&
        quick 2 allreduce --rungs window --sizes 1M --model && grep -q '^  window .* 4.00 MiB' "$folder/out"
}
check "--in-window: the model counts what these vectors need" window_is_modelled
check "the head names the single-copy mechanism" names_single_copy
check "type, reduction, root and nodes are as requested" takes_options
check "a broadcast has no other place" broadcast_is_in_place
check "an all-to-all needs another place" all_to_all_is_not
check "--place chooses one" one_place
check "floors are judged by all ranks, and said by one" floors
check "one rank works without a launcher, and says how to start more" alone_without_launcher
if command -v gnuplot >/dev/null 2>&1; then
    check "--svg draws" draws
    check "--messages-svg draws the messages of a rung" draws_messages
else
    skipped=$((skipped + 1))
    echo "skipped: --svg draws: no gnuplot here"
fi

check "a mistyped collective gets the right one, once" refused_by_two 2 "did you mean 'allreduce'" allredcue
check "an unknown rung is refused with those that there are" refused_by_two 2 'has no rung "rign": it has naive' allreduce --rungs rign
check "a bad size is refused" refused 2 "expected bytes" allreduce --sizes 4kb
check "0 bytes are refused" refused 2 "nothing to measure" allreduce --sizes 0
check "less than an element is refused" refused 2 "no element of double: give 8" allreduce --sizes 4 --type double
check "more than the machine holds is refused" refused 2 "a machine has" allreduce --sizes 4,16000000000G
check "a root beyond the ranks is refused" refused_by_two 2 "there are ranks 0 to 1" gather --root 2
check "an unknown type is refused" refused 2 "float|double|int32|int64" allreduce --type half
check "a mistyped option gets the right one" refused 2 "did you mean --rounds" allreduce --round 3
check "a file that cannot be written is refused" refused_by_two 1 "/nowhere/t.csv" allreduce --csv /nowhere/t.csv
check "one file for two tables is refused" refused 2 "the same file" allreduce --csv "$folder/x" --json "$folder/x"
check "messages of several rungs are refused" refused_by_two 2 "draws one rung of ours" allreduce --messages-svg "$folder/x.svg"
check "a place that the operation does not know is refused" refused 2 "has no such place" all_to_all --place in
check "a floor of no row is refused" refused 2 'has no row "rign"' allreduce --floor rign=1
check "a barrier has no figure" refused 2 "no size to draw" barrier --svg "$folder/x.svg"

# ---- backends ----

shows_backends() {
    command_words=backends
    call 0 --csv "$folder/b.csv" --json "$folder/b.json" && grep -q '^all_reduce  *yes  *yes  *yes  *?  *no  *yes  *naive' "$folder/out" &&
        grep -q 'pointers to device memory' "$folder/out" && grep -q '^operation,gloo CPU,gloo GPU,mpi CPU,mpi GPU,nccl CPU,nccl GPU,rungs$' "$folder/b.csv" &&
        [ "$(grep -c ',?,' "$folder/b.csv")" = 10 ] && [ "$(wc -l <"$folder/b.csv")" = 12 ] && grep -q '"mpi_takes_device_memory"' "$folder/b.json"
}
# What stands there is what can be measured here.
lists_every_ladder() {
    for collective in $collectives; do
        name=$collective
        [ "$name" != allreduce ] || name=all_reduce
        rungs_here=$(awk -F, -v name="$name" '$1 == name { print $NF }' "$folder/b.csv")
        [ "${rungs_here:-0}" -ge 1 ] || { echo "$name: none"; return 1; }
    done
}
one_rank_speaks() { ranks 0 2 backends && [ "$(grep -c '^all_reduce ' "$folder/out")" = 1 ]; }
check "backends: PyTorch's table beside ours" shows_backends
check "backends: every collective has rungs" lists_every_ladder
check "backends: one rank speaks" one_rank_speaks

finish "cli/bench_collective"
