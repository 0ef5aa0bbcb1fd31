#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a rank dies, or the run is stopped, all ranks end within seconds and a sentence says why. The programs are in tests/mpi/stuck.c.
# Thorough: waits until killed ranks are missed.
set -u
# shellcheck source=tests/mpi/launcher.sh
. tests/mpi/launcher.sh
build=${BUILD:-build}
stuck=$build/tests/mpi/stuck
if [ "${MPI:-0}" != 1 ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    echo "skipped killed ranks: there is no MPI here"
    echo "killed: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/rungs-killed-XXXXXX")
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
ASAN_OPTIONS=detect_leaks=0 # what MPI keeps at its end is not what is asked here
export ASAN_OPTIONS
# So that whatever ends a run here, it is not the watchdog.
RUNGS_WATCHDOG=0
export RUNGS_WATCHDOG

# verdict WHAT COMMAND..: the command says whether it passed.
verdict() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: $*"
        sed 's/^/    /' "$folder/out"
    fi
}
says() { grep -Eq -e "$1" "$folder/out"; }

# dies HOW STATUS SENTENCE: rank 1 of 3 ends so while the others wait. 10 s, and as many again for a busy machine to start.
dies() {
    status=0
    timeout -k 5 20 sh tools/mpirun.sh 3 "$stuck" die "$1" >"$folder/out" 2>&1 </dev/null || status=$?
    verdict "a rank that ends by $1" [ "$status" -eq "$2" ]
    verdict "its sentence" says "$3"
}
dies kill 137 '^mpirun.sh: a rank or the launcher was ended by signal (SIG)?KILL, and with it all 3 \(status 137\); if nobody sent it, memory ran out'
dies 1 1 '^mpirun.sh: a rank ended with status 1, or before MPI_Finalize, and with it all 3: what it said stands above$'
dies 0 1 '^mpirun.sh: a rank ended with status 1, or before MPI_Finalize'

# Processes of the run that are still there.
left() {
    for process in $(sed -n 's/^process //p' "$folder/out"); do
        kill -0 "$process" 2>/dev/null && echo "$process"
    done
}
none_left() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do # what was ended needs a moment to go
        [ -n "$(left)" ] || return 0
        sleep 0.5
    done
    return 1
}
# Waits, a minute at most, until all three ranks have said their numbers. The output of the run before must be gone.
all_begin() {
    for _ in $(seq 600); do
        [ "$(grep -c '^process' "$folder/out")" -lt 3 ] || return 0
        sleep 0.1
    done
    return 1
}
# stopped SIGNAL STATUS: as Ctrl-C does it, to all of the run: timeout passes on what it gets. The run is in the foreground, as a
# shell's background commands ignore Ctrl-C.
stopped() {
    : >"$folder/out"
    (all_begin && kill -"$1" "$(cat "$folder/pid")") &
    sender=$! status=0
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$0" && exec timeout -k 10 90 sh tools/mpirun.sh 3 "$1" wait' "$folder/pid" "$stuck" \
        >"$folder/out" 2>&1 </dev/null || status=$?
    verdict "all ranks had begun" wait "$sender"
    verdict "$1 ends the run" [ "$status" -eq "$2" ]
    verdict "$1: its sentence" says "^mpirun.sh: all 3 ranks were ended by a signal to this script \(status $2\)$"
    verdict "$1 leaves no process behind" none_left
}
stopped INT 130
stopped TERM 143

# stand_in BEFORE: a ps that does so before it does its work. It counts its calls: the first is the script's, which looks whether
# there is a ps at all.
mkdir "$folder/bin"
REAL_PATH=$PATH
export REAL_PATH
stand_in() {
    rm -f "$folder/bin/calls"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho >>"${0%%/*}/calls"\ncalls=$(wc -l <"${0%%/*}/calls")\n%s\nPATH=$REAL_PATH\nexec ps "$@"\n' "$1" >"$folder/bin/ps"
    chmod +x "$folder/bin/ps"
}
called() { [ "$(wc -l <"$folder/bin/calls")" -ge "$1" ]; }
PATH=$folder/bin:$PATH

# The signal comes twice, to the script and to all of the run, and the second may meet the script while it looks for its ranks.
# shellcheck disable=SC2016
stand_in '[ "$calls" != 2 ] || { kill -TERM $PPID; exit; }'
stopped TERM 143
verdict "the signal met it" called 2

# The signal comes before there is any rank to be told. A launcher that hears it ends by itself.
# shellcheck disable=SC2016
stand_in '[ "$calls" -gt 7 ] || exit 0'
stopped TERM 143
if launcher_is_deaf; then
    verdict "ranks were looked for again" called 8
fi
PATH=$REAL_PATH

# script_stopped WHAT COMMAND..: the signal comes to the script alone.
script_stopped() {
    what=$1 status=0
    shift
    : >"$folder/out"
    sh tools/mpirun.sh 3 "$@" >"$folder/out" 2>&1 </dev/null &
    script=$!
    verdict "$what have begun" all_begin
    kill -TERM "$script"
    wait "$script" || status=$?
    verdict "a signal to the script ends $what" [ "$status" -eq 143 ]
    verdict "$what leave no process behind" none_left
}
script_stopped "three ranks" "$stuck" wait
# shellcheck disable=SC2016
script_stopped "ranks that do not listen" sh -c 'trap "" HUP INT TERM; sleep 100 & echo "process $$"; echo "process $!"; wait'

# heard SETTING..: whether a stand-in for the launcher is ended by a signal to itself.
printf '#!/bin/sh\n[ "$1" != --version ] || { echo "mpirun (Open MPI) 4.1"; exit; }\nkill -TERM $$\necho "I do not hear"\n' >"$folder/bin/launcher"
chmod +x "$folder/bin/launcher"
heard() {
    env MPIRUN="$folder/bin/launcher" "$@" sh tools/mpirun.sh 2 true >"$folder/out" 2>&1
    ! says '^I do not hear$'
}
deaf() { ! heard "$@"; }
if launcher_is_deaf; then
    verdict "the launcher here does not hear" deaf true=1
fi
for setting in MPIRUN_NODES=2 MPIRUN_FLAGS="--host a,b" MPIRUN_FLAGS="-H a" MPIRUN_FLAGS="--hostfile f" MPIRUN_FLAGS="--machinefile f" \
    SLURM_JOB_ID=1 PBS_JOBID=1 LSB_JOBID=1 PE_HOSTFILE=f OMPI_MCA_orte_default_hostfile=f PRTE_MCA_prte_default_hostfile=f; do
    verdict "a launcher of other machines hears: $setting" heard "$setting"
done

echo "killed: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
