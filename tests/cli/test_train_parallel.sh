#!/bin/sh
# `rungs train` on several ranks: the same losses as alone, files, refusals, breaking off and going on.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words='train lenet'
MPIRUN_FLAGS=${MPIRUN_FLAGS:-}
RUNGS_WATCHDOG=60 # a busy machine may be slow
export RUNGS_WATCHDOG

if [ "${MPI:-0}" != 1 ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    without() {
        call 1 --epochs 1 --parallel data && grep -q 'this build is without MPI' "$folder/err"
    }
    if [ "${MPI:-0}" != 1 ]; then
        check "--parallel without MPI" without
    fi
    skipped=1
    echo "skipped training on several ranks: there is no MPI here"
    finish "cli/train_parallel"
    exit
fi

# on RANKS STATUS ARGUMENT..: trains there; false unless it ends with that status.
on() {
    ranks=$1 expected=$2
    shift 2
    status=0
    timeout -k 5 120 sh tools/mpirun.sh "$ranks" "$rungs" train lenet "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    note_unsolved
    [ "$status" = "$expected" ]
}

# One sentence, said once, whatever the launcher says besides.
is_refused() {
    ranks=$1 expected=$2 hint=$3
    shift 3
    on "$ranks" "$expected" "$@" && [ "$(grep -c '^rungs train lenet: ' "$folder/err")" = 1 ] && grep '^rungs train lenet: ' "$folder/err" | grep -q -e "$hint" &&
        [ ! -s "$folder/out" ]
}
is_refused_alone() {
    expected=$1 hint=$2
    shift 2
    call "$expected" "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$hint" "$folder/err"
}

# Every loss and the accuracy, to the printed digits; without times.
losses() { sed -n 's/^\(epoch .*loss [0-9.]*\).*/\1/p; /^loss/p; /^test accuracy/p' "$folder/out"; }

# trains_as_alone RANKS ARGUMENT..: compares with one process.
trains_as_alone() {
    ranks=$1
    shift
    on "$ranks" 0 --epochs 2 "$@" && losses >"$folder/together" && [ "$(wc -l <"$folder/together")" = 4 ] && cmp "$folder/alone" "$folder/together"
}

# The gradient of a rank's part is the sum of those of its micro-batches.
gossips_in_micro_batches() {
    on 3 0 --epochs 2 --parallel gossip && losses >"$folder/at_once" && on 3 0 --epochs 2 --parallel gossip --micro-batches 3 &&
        losses | cmp "$folder/at_once"
}

speaks_once() {
    on 3 0 --epochs 1 --overlap fused && [ "$(grep -c '^training' "$folder/out")" = 1 ] && [ "$(grep -c '^test accuracy' "$folder/out")" = 1 ] &&
        grep -q '^parallel  data: each rank' "$folder/out" && grep -q '3 ranks on 1 machine, 10 or 11 of 32 samples each, overlap fused; collectives ring' "$folder/out" &&
        grep -q '^note .*3 ranks were started without --parallel, so they train one network together' "$folder/out"
}

one_rank_says_how_to_start_more() {
    call 0 --epochs 1 --parallel data --overlap fused && grep -q 'there is one rank: sh tools/mpirun.sh 4 build/rungs train lenet --parallel data' "$folder/out"
}

# notes_ignored OPTIONS ARGUMENT..: these options, a space behind each, are said to be ignored, and no others.
notes_ignored() {
    expected_notes=$1
    shift
    on 2 0 --epochs 1 --test 0.9 "$@" && [ "$(sed -n 's/^note *\(--[a-z-]*\) is ignored with .*/\1/p' "$folder/out" | tr '\n' ' ')" = "$expected_notes" ]
}
notes_ignored_alone() {
    call 0 --epochs 1 --test 0.9 --every 4 && grep -q 'note *--every is ignored with --parallel none: it is for local and easgd' "$folder/out"
}

help_lists_strategies() {
    call 0 --help || return 1
    for text in '--parallel none|data' '--bucket SIZE' 'default 25MiB' 'each rank computes the gradient of its part' 'tools/mpirun.sh N build/' \
        '--straggler RANK:MS' '--scale-rate none|linear|sqrt'; do
        grep -q -e "$text" "$folder/out" || { echo "not in the help: $text"; return 1; }
    done
}

# 10 samples on each of 3 ranks, at 3 times the rate, are 30 at that rate.
weak_multiplies() {
    on 3 0 --epochs 1 --overlap fused --weak --batch 10 --lr 0.001 --scale-rate linear --save "$folder/weak" && grep -q 'of 30 samples; adam, rate 0.003' "$folder/out" &&
        on 3 0 --epochs 1 --overlap fused --batch 30 --lr 0.003 --save "$folder/strong" && cmp "$folder/weak" "$folder/strong" &&
        on 2 0 --epochs 2 --overlap fused --weak --scale-rate linear --resume "$folder/weak" && grep -q 'of 30 samples; adam, rate 0.003' "$folder/out"
}

# What a checkpoint is does not depend on the ranks: the second epoch on 1, 2 and 3 of them.
goes_on_anywhere() {
    on 2 0 --epochs 1 --overlap fused --save "$folder/one" || return 1
    for ranks in 2 3 1; do
        cp "$folder/one" "$folder/two"
        if [ "$ranks" = 1 ]; then call 0 --epochs 2 --resume "$folder/two"; else on "$ranks" 0 --epochs 2 --overlap fused --resume "$folder/two"; fi || return 1
        losses | tail -n 3 >"$folder/resumed"
        tail -n 3 "$folder/alone" | cmp - "$folder/resumed" || { echo "on $ranks ranks"; return 1; }
        [ "$ranks" != 2 ] || cp "$folder/two" "$folder/on2"
    done
    on 2 0 --epochs 2 --overlap fused --save "$folder/whole" && cmp "$folder/whole" "$folder/on2"
}

# Whose weights differ between the ranks: no sum of gradients goes on with it, nor it with one.
other_strategies_are_settings() {
    on 2 0 --epochs 1 --parallel gossip --save "$folder/gossip" && cp "$folder/gossip" "$folder/g" && on 2 0 --resume "$folder/g" --epochs 2 && grep -q '^parallel  gossip:' "$folder/out" &&
        is_refused 2 1 'was made with parallel gossip, but this run has parallel data' --resume "$folder/gossip" --parallel data &&
        on 2 0 --epochs 1 --save "$folder/sum" && is_refused 2 1 'was made with parallel (none), but this run has parallel gossip' --resume "$folder/sum" --parallel gossip
}

traces_all_ranks() {
    on 3 0 --epochs 1 --overlap fused --trace "$folder/t.json" || return 1
    for rank in 0 1 2; do
        grep -q "\"process_name\", \"pid\": $rank, \"args\": {\"name\": \"rank $rank\"}" "$folder/t.json" || return 1
        for span in load forward backward update; do
            [ "$(grep -c "\"name\": \"$span\", \"cat\": \"train\", \"pid\": $rank," "$folder/t.json")" = 45 ] || { echo "$span of rank $rank"; return 1; }
        done
    done
    [ "$(head -c 36 "$folder/t.json")" = '{"displayTimeUnit": "ms", "traceEven' ] && [ "$(tail -n 1 "$folder/t.json")" = ']}' ]
}

writes_what_ranks_there_were() {
    on 2 0 --epochs 2 --overlap naive --collectives tree --csv "$folder/c" --json "$folder/j" || return 1
    awk -F, 'NR > 1 && ($6 != 2 || $7 != "data" || $8 != "naive" || $9 != "tree" || $10 + 0 <= 0) { bad = 1 } END { exit bad || NR != 3 }' "$folder/c" || return 1
    for text in '"ranks":.*2' '"workers":.*2' '"parallel":.*"data"' '"overlap":.*"naive"' '"collectives":.*"tree"' '"samples_per_second":.*[0-9]'; do
        grep -q "$text" "$folder/j" || { echo "not in the JSON: $text"; return 1; }
    done
}

# Loss or weights leave the numbers. Synchronously all ranks know, and rank 0 speaks; otherwise a rank that knows ends the others.
diverges() {
    speaks=$1
    shift
    on 3 1 --epochs 2 --test 0.9 --lr 1e30 --optimizer sgd "$@" && grep -q "^rungs train lenet: ${speaks}the .* became .*: the learning rate 1e+30 is probably too high" "$folder/err" &&
        { [ -n "$speaks" ] || [ "$(grep -c '^rungs train lenet: ' "$folder/err")" = 1 ]; }
}

# A file that only one rank does not find, because it stands elsewhere.
one_rank_finds_no_data() {
    cp data/iris.csv "$folder/here.csv"
    status=0
    # shellcheck disable=SC2016
    timeout -k 5 60 sh tools/mpirun.sh 3 sh -c 'file=$1/here.csv; [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" != 1 ] || file=$1/nowhere.csv
        exec "$2" train mlp --data "$file" --epochs 1' sh "$folder" "$rungs" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 1 ] && [ "$(grep -c '^rungs train mlp: ' "$folder/err")" = 1 ] && grep -q 'rank 1: .*nowhere.csv: cannot be opened' "$folder/err"
}
one_rank_has_other_options() {
    status=0
    # shellcheck disable=SC2016
    timeout -k 5 60 sh tools/mpirun.sh 3 sh -c 'exec "$1" train mlp --data iris --epochs 1 --overlap fused --seed "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"' \
        sh "$rungs" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 1 ] && grep -q 'rank 1: its options, its data or its checkpoint are not those of rank 0' "$folder/err"
}

# A checkpoint cannot be written: the folder goes once training is under way, before a file is created there or before it is renamed.
# (Moved, which happens at once: removing it would fail where a file comes in between.) Rank 0 alone knows; all end.
cannot_save() {
    mkdir "$folder/gone"
    : >"$folder/out"
    (until grep -q '^epoch' "$folder/out"; do sleep 0.1; done && mv "$folder/gone" "$folder/elsewhere") &
    mover=$!
    on 2 1 --epochs 100000 --overlap fused --save "$folder/gone/x" && grep -q "cannot [a-z]* $folder/gone/x" "$folder/err"
    result=$?
    kill "$mover" 2>/dev/null || :
    return "$result"
}

call 0 --epochs 2 && losses >"$folder/alone"

check "the help lists the strategies" help_lists_strategies
check "rank 0 alone speaks" speaks_once
check "3 ranks, fused" trains_as_alone 3 --overlap fused
check "3 ranks, naive, by trees" trains_as_alone 3 --overlap naive --collectives tree
check "4 ranks, wait-free, by rings" trains_as_alone 4 --parallel data --overlap wfbp --bucket 25MB --collectives ring
check "3 ranks, the default" trains_as_alone 3
check "3 ranks, server, in micro-batches" trains_as_alone 3 --parallel server --micro-batches 2
check "gossip, in micro-batches" gossips_in_micro_batches
check "gossip: a strategy of its own" other_strategies_are_settings
check "2 ranks, one of them slow" trains_as_alone 2 --overlap fused --straggler 1:2
check "one rank says how to start more" one_rank_says_how_to_start_more
check "options of another strategy" notes_ignored '--bucket --first-bucket --servers --bound --every --elasticity ' --overlap wfbp --bucket 25MB --first-bucket 1MB --servers 1 --bound -1 --every 4 --elasticity 0
check "options of this strategy" notes_ignored '' --bucket 25MB --collectives ring --straggler 0:0
check "options of the servers" notes_ignored '--overlap ' --parallel async --servers 1 --bound 2 --overlap ddp --straggler 1:0
check "options of several ranks on one" notes_ignored_alone
check "nothing to synchronise" is_refused 2 2 '--sync-batchnorm: this network has no batch normalisation' --sync-batchnorm
check "--weak and --scale-rate" weak_multiplies
check "goes on on any number of ranks" goes_on_anywhere
check "a trace of all ranks" traces_all_ranks
check "files say what ranks there were" writes_what_ranks_there_were
check "one rank finds no data" one_rank_finds_no_data
check "one rank has other options" one_rank_has_other_options
check "a checkpoint that cannot be written" cannot_save
check "divergence, data" diverges '' --overlap fused
check "divergence, server" diverges '' --parallel server
check "divergence, gossip" diverges 'rank [0-2]: ' --parallel gossip
check "a wrong option is said once" is_refused 3 2 'there is no option --ovrlap; did you mean --overlap' --ovrlap fused
check "--parallel none on several ranks" is_refused 2 2 'would train the same network 2 times over' --parallel none
check "a straggler that is not there" is_refused 2 2 '--straggler 2:5: there is no rank 2 among 2' --straggler 2:5
check "a straggler that does not train" is_refused 3 2 '--straggler 1:5: rank 1 is a server, which does not train: those from 2 on do' --parallel server --servers 2 --straggler 1:5
for text in '' 1 1: :5 -1:5 1:x 1:-5 1:5x 1:inf; do
    check "--straggler $text" is_refused_alone 2 'expected a rank and milliseconds, as in 1:50' --straggler "$text"
done
check "--collectives of no such name" is_refused_alone 2 "--collectives: there are no collectives 'rong'.*did you mean 'ring'" --parallel data --collectives rong
check "--parallel of no such name" is_refused_alone 2 '"dat" is not one of none|data.*did you mean data' --parallel dat
check "--overlap of no such name" is_refused_alone 2 'did you mean fused' --overlap fusde
check "--bucket 0" is_refused_alone 2 '--bucket: a bucket of 0 bytes holds nothing' --bucket 0
check "--first-bucket 0" is_refused_alone 2 '--first-bucket: a bucket of 0 bytes holds nothing' --first-bucket 0kB
check "--bucket with a wrong unit" is_refused_alone 2 'is not a number of bytes' --bucket 25XB
check "--scale-rate without --weak" is_refused_alone 2 'give --weak, too' --scale-rate linear
check "too many samples" is_refused 3 2 'are more than a billion' --weak --batch 900000000

finish "cli/train_parallel"
