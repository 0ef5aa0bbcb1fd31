#!/bin/sh
# `rungs train --parallel pipeline`: the bits of one process with every synchronous schedule, replicas, files of schedules, refusals.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words='train lenet'
RUNGS_WATCHDOG=60 # a busy machine may be slow
export RUNGS_WATCHDOG

if [ "${MPI:-0}" != 1 ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    without() { call 1 --epochs 1 --parallel pipeline && one_sentence 'this build is without MPI'; }
    [ "${MPI:-0}" = 1 ] || check "--parallel pipeline without MPI" without
    skipped=1
    echo "skipped training in a pipeline: there is no MPI here"
    finish "cli/train_pipeline"
    exit
fi

# on RANKS STATUS ARGUMENT..: trains LeNet in a pipeline; false unless it ends with that status.
on() {
    ranks=$1 expected=$2
    shift 2
    status=0
    timeout -k 5 120 sh tools/mpirun.sh "$ranks" "$rungs" train lenet --epochs 1 --parallel pipeline "$@" \
        >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    note_unsolved
    [ "$status" = "$expected" ]
}
# refused RANKS HINT ARGUMENT..: exit status 2 and one sentence, said once.
refused() {
    ranks=$1 hint=$2
    shift 2
    on "$ranks" 2 "$@" && [ "$(grep -c '^rungs train lenet: ' "$folder/err")" = 1 ] && grep '^rungs train lenet: ' "$folder/err" | grep -q -e "$hint"
}

# tensors FILE: the numbers of a safetensors file, without its header, which names the strategy.
tensors() {
    header=$(od -An -tu4 -N4 "$1" | tr -d ' ')
    tail -c +$((header + 9)) "$1"
}
# alone MICRO_BATCHES: one process; weights and the optimiser's state into $folder/alone.MICRO_BATCHES
alone() {
    call 0 --epochs 1 --micro-batches "$1" --save "$folder/alone.safetensors" && tensors "$folder/alone.safetensors" >"$folder/alone.$1"
}
# same RANKS MICRO_BATCHES SCHEDULE ARGUMENT..
same() {
    ranks=$1 micros=$2 schedule=$3
    shift 3
    rm -f "$folder/pipeline.safetensors"
    on "$ranks" 0 --micro-batches "$micros" --pipeline "$schedule" --save "$folder/pipeline.safetensors" "$@" &&
        tensors "$folder/pipeline.safetensors" >"$folder/pipeline" && [ -s "$folder/pipeline" ] && cmp "$folder/alone.$micros" "$folder/pipeline"
}
# Of other micro-batches: this comparison can fail.
other_micro_batches_differ() { ! cmp -s "$folder/alone.1" "$folder/alone.4"; }
# Two replicas add their gradients in another order: the same loss and accuracy, as far as they are printed.
replicas_learn_as_one() {
    alone 4 && sed -n '/^loss/p; /^test accuracy/p' "$folder/out" >"$folder/want" &&
        on 4 0 --micro-batches 2 --pipeline 1f1b --stages 2 && sed -n '/^loss/p; /^test accuracy/p' "$folder/out" | cmp "$folder/want"
}

# Activations of 128 KiB for each micro-batch: no MPI sends such a message before it is received, and both stages send at once.
long_messages() {
    rungs_mlp="train mlp --data digits --epochs 1 --batch 256 --hidden 512,512,512 --micro-batches 4"
    # shellcheck disable=SC2086
    "$rungs" $rungs_mlp --save "$folder/one.safetensors" >"$folder/out" 2>"$folder/err" &&
        timeout -k 5 120 sh tools/mpirun.sh 2 "$rungs" $rungs_mlp --parallel pipeline --pipeline 1f1b --save "$folder/two.safetensors" >"$folder/out" 2>"$folder/err" &&
        tensors "$folder/one.safetensors" >"$folder/one" && tensors "$folder/two.safetensors" | cmp - "$folder/one"
}
# resumes RANKS: what two stages saved after an epoch goes on elsewhere, as one process would.
resumes() {
    rm -f "$folder/pipeline.safetensors"
    on 2 0 --micro-batches 4 --save "$folder/pipeline.safetensors" || return 1
    call 0 --epochs 2 --micro-batches 4 --save "$folder/alone.safetensors" || return 1
    if [ "$1" = 1 ]; then
        call 0 --resume "$folder/pipeline.safetensors" --epochs 2 --parallel none --save "$folder/pipeline.safetensors"
    else
        timeout -k 5 120 sh tools/mpirun.sh "$1" "$rungs" train lenet --resume "$folder/pipeline.safetensors" --epochs 2 --parallel pipeline \
            --save "$folder/pipeline.safetensors" >"$folder/out" 2>"$folder/err" </dev/null
    fi
    status=$?
    [ "$status" = 0 ] && tensors "$folder/alone.safetensors" >"$folder/want" && tensors "$folder/pipeline.safetensors" | cmp - "$folder/want"
}
# Every instruction of both stages stands in the trace, and what is sent.
traces() {
    on 2 0 --micro-batches 2 --pipeline zb-h1 --trace "$folder/trace.json" || return 1
    for span in F0 B0 W0 F1 B1 W1 'send F0' 'send B0'; do grep -q "\"$span\"" "$folder/trace.json" || return 1; done
}

for micros in 1 3 4; do check "one process, $micros micro-batches" alone "$micros"; done
check "other micro-batches are another sum" other_micro_batches_differ
check "none on 2 ranks" same 2 1 none
check "gpipe on 3 ranks" same 3 4 gpipe
check "1f1b on 2 ranks, uneven micro-batches" same 2 3 1f1b
check "interleaved on 2 ranks" same 2 4 interleaved
check "zb-h1 on 3 ranks" same 3 4 zb-h1
check "zb-h2 on 2 ranks" same 2 4 zb-h2
check "1f1b on 1 rank" same 1 4 1f1b
check "a cut of one's own" same 3 4 1f1b --cut 2,9
printf 'F0 F1 B0 F2 B1 F3 B2 B3\nF0 B0 F1 B1 F2 B2 F3 B3\n' >"$folder/mine"
check "a schedule of one's own" same 2 4 "$folder/mine"
check "two replicas of two stages" replicas_learn_as_one
check "long messages in both directions" long_messages
check "one process goes on" resumes 1
check "three stages go on" resumes 3
check "the trace" traces

printf 'F0 F1 B0 F2 B1 F3 B2 B3\nF0 B1 F1 B0 F2 B2 F3 B3\n' >"$folder/wrong"
check "a wrong schedule" refused 2 'line 2: B1' --micro-batches 4 --pipeline "$folder/wrong"
check "a schedule of no such name" refused 2 '1f2b' --micro-batches 4 --pipeline 1f2b
check "none with micro-batches" refused 2 '--pipeline none' --micro-batches 4 --pipeline none
check "a cut with too few layers" refused 3 'cut' --micro-batches 4 --cut 2

finish "cli/train_pipeline"
