#!/bin/sh
# A training on three ranks is broken off: a rank is killed, or Ctrl-C comes. All ranks end within seconds, the last checkpoint is whole,
# and the run that goes on from it ends with the very bytes of one that nothing happened to.
# SPDX-License-Identifier: MIT
# Thorough: waits until killed ranks are missed.
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
# shellcheck source=tests/mpi/launcher.sh
. tests/mpi/launcher.sh
if [ "${MPI:-0}" != 1 ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    echo "skipped killed training: there is no MPI here"
    skipped=1
    finish "killed_training"
    exit
fi
# So that whatever ends a run here, it is not the watchdog.
RUNGS_WATCHDOG=0
export RUNGS_WATCHDOG

options="--epochs 8 --parallel data --overlap fused"

# Trains on 3 ranks, which say their process numbers, into $folder/out.
train() {
    # shellcheck disable=SC2016,SC2086
    timeout -k 5 120 sh tools/mpirun.sh 3 sh -c 'echo "process $$ is rank ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"; exec "$0" train lenet "$@"' \
        "$rungs" $options "$@" >"$folder/out" 2>"$folder/err" </dev/null
}

# In the background, until its epoch $1 is done. Rank 1 sleeps 50 ms in each of the 45 steps of an epoch, which changes no bit: some
# ten seconds are left then to end the run in, also where this script has to wait for a core.
begin() {
    epoch=$1
    shift
    : >"$folder/out"
    train --straggler 1:50 "$@" &
    run=$!
    tries=0
    while ! grep -q "^epoch *$epoch/" "$folder/out"; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || { echo "no epoch $epoch"; return 1; }
        sleep 0.05
    done
}

process_of() { sed -n "s/^process \([0-9]*\) is rank $1\$/\1/p" "$folder/out"; }

# Ranks of the run that are still there. What was ended needs a moment to go.
none_left() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        left=
        for rank in 0 1 2; do
            ! kill -0 "$(process_of $rank)" 2>/dev/null || left="$left $rank"
        done
        [ -n "$left" ] || return 0
        sleep 0.5
    done
    echo "still there: rank$left"
    return 1
}

# Waits for the end of the run: its status in $status; false unless it came within 10 s.
ends_soon() {
    start=$(date +%s) status=0
    wait "$run" || status=$?
    [ $(($(date +%s) - start)) -le 10 ] || { echo "it took longer than 10 s"; return 1; }
    none_left
}

goes_on_as_if_nothing_had_been() {
    train --resume "$folder/broken" && [ "$(grep '^test accuracy' "$folder/out")" = "$accuracy" ] && cmp "$folder/whole" "$folder/broken"
}

# killed RANK: in the middle of epoch 3 or later.
killed() {
    rm -f "$folder/broken"
    begin 2 --save "$folder/broken" || return 1
    kill -9 "$(process_of "$1")"
    ends_soon && [ "$status" = 137 ] && grep -Eq '^mpirun.sh: a rank or the launcher was ended by signal (SIG)?KILL, and with it all 3' "$folder/err" &&
        ! grep -q '^test accuracy' "$folder/out" && [ -s "$folder/broken" ] && goes_on_as_if_nothing_had_been
}

# One rank alone gets the signal: all end after the same step, and rank 0 saves.
asked() {
    rm -f "$folder/broken"
    begin 2 --save "$folder/broken" --save-every 100 || return 1
    kill "-$1" "$(process_of 1)"
    ends_soon && [ "$status" = "$2" ] && [ "$(grep -c '^stopped after' "$folder/err")" = 1 ] && grep -q "go on with: rungs train lenet --resume $folder/broken" "$folder/err" &&
        goes_on_as_if_nothing_had_been
}

# The whole run gets the signal, once each, as the foreground of a terminal does: the script and the launcher. The ranks, which are
# told by the script, save before they end.
all_asked() {
    rm -f "$folder/broken"
    begin 2 --save "$folder/broken" --save-every 100 || return 1
    launcher=$(ps -o ppid= -p "$(process_of 1)")
    # shellcheck disable=SC2046,SC2086
    kill -TERM $launcher $(ps -o ppid= -p $launcher)
    ends_soon && [ "$status" = 143 ] && grep -q "go on with: rungs train lenet --resume $folder/broken" "$folder/err" &&
        goes_on_as_if_nothing_had_been
}

train --save "$folder/whole"
accuracy=$(grep '^test accuracy' "$folder/out")
check "there is something to compare with" [ -n "$accuracy" ]
check "rank 1 is killed" killed 1
check "rank 0 is killed" killed 0
check "one rank is told to end" asked TERM 143
check "one rank gets Ctrl-C" asked INT 130
if launcher_is_deaf; then
    check "all of the run is told to end" all_asked
else
    echo "skipped all of the run is told to end: this launcher hears the signal and does not wait for what is saved"
    skipped=1
fi
finish "killed_training"
