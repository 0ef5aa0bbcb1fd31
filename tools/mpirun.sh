#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts a program on RANKS ranks of this machine:  sh tools/mpirun.sh RANKS PROGRAM [ARGUMENT..]
# It just works on a laptop and in a container: more ranks than cores, as root, without binding. The exit status is the launcher's;
# where it is not 0, the last line says in a sentence why the run ended. Ctrl-C, or a signal to this script, ends all ranks.
# (Signals are for this script: the launcher itself may have been told not to hear them.)
#
#   MPIRUN=mpiexec.hydra        another launcher
#   MPIRUN_FLAGS="--bind-to core"  more flags for it
#   OMP_NUM_THREADS=2           threads of each rank (default: the cores shared out, at least 1)
#   MPIRUN_NODES=4              machines like this one that the launcher spreads the ranks over (default: only this one)
set -eu
if [ $# -lt 2 ]; then
    echo "usage: sh tools/mpirun.sh RANKS PROGRAM [ARGUMENT..]" >&2
    exit 2
fi
ranks=$1
shift
case $ranks in
*[!0-9]* | 0* | '' | ??????*)
    echo "mpirun.sh: the number of ranks is \"$ranks\", expected one from 1 to 99999: sh tools/mpirun.sh 4 $1" >&2
    exit 2
    ;;
esac
# What is no program here is none for the launcher, whose own words for it, and whose status, differ from version to version.
no_program() { # STATUS, WHAT, what to do
    echo "mpirun.sh: the program $2; $3" >&2
    exit "$1"
}
case $1 in
build/* | "$PWD"/build/*) advice="make ${1#"$PWD"/} builds it, make tests all that belongs to tests" ;;
*) advice="give its path, as in sh tools/mpirun.sh $ranks build/rungs" ;;
esac
case $1 in
*/*)
    [ -e "$1" ] || no_program 127 "$1 was not found" "$advice"
    [ ! -d "$1" ] || no_program 126 "$1 is a folder" "name a program in it"
    [ -x "$1" ] || no_program 126 "$1 may not be executed" "chmod +x $1 allows it"
    ;;
*) command -v -- "$1" >/dev/null 2>&1 || no_program 127 "$1 was not found" "$advice" ;;
esac
launcher=${MPIRUN:-mpirun}
if ! command -v "$launcher" >/dev/null 2>&1; then
    echo "mpirun.sh: $launcher was not found; ./setup.sh installs Open MPI, or set MPIRUN to your launcher" >&2
    exit 1
fi

# Threads are bound to their rank's core by default, and then all share it: so no binding unless requested.
cores=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
cores=$((cores * ${MPIRUN_NODES:-1}))
if [ -z "${OMP_NUM_THREADS:-}" ]; then
    OMP_NUM_THREADS=$((cores / ranks))
    [ "$OMP_NUM_THREADS" -ge 1 ] || OMP_NUM_THREADS=1
fi
export OMP_NUM_THREADS
: "${OPENBLAS_NUM_THREADS:=$OMP_NUM_THREADS}"
export OPENBLAS_NUM_THREADS
# A waiting thread must let another rank have its core.
if [ $((ranks * OMP_NUM_THREADS)) -gt "$cores" ]; then
    : "${OMP_WAIT_POLICY:=passive}"
    export OMP_WAIT_POLICY
fi

# Whether all ranks will be children of the launcher on this machine, for all we know, and ps shows them; and whether env (GNU
# coreutils 8.31) can keep signals from the launcher.
can_tell_ranks() {
    # The nodes of a batch system, or of a file that the launcher reads by itself.
    elsewhere="${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${PE_HOSTFILE:-}"
    elsewhere="$elsewhere${OMPI_MCA_orte_default_hostfile:-}${PRTE_MCA_prte_default_hostfile:-}"
    case " ${MPIRUN_FLAGS:-}" in
    *" -H"* | *host* | *machinefile*) elsewhere="$elsewhere flags" ;;
    esac
    [ -z "$elsewhere" ] && [ "${MPIRUN_NODES:-1}" = 1 ] && env --block-signal=INT true 2>/dev/null &&
        ps -A -o pid= -o ppid= >/dev/null 2>&1
}

flags='' deaf=''
case $("$launcher" --version 2>/dev/null | head -n 3) in
*"Open MPI"* | *OpenRTE* | *PRRTE* | *prte*)
    # Open MPI 4 reads OMPI_MCA_, its launcher from 5 on PRTE_MCA_; each ignores the other's. Slots are never faked: Open
    # MPI must know that cores are shared, so that waiting ranks yield.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
    export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}"
    # It counts all cores of the machine, also where this process may use only some of them (a container, taskset).
    [ "$ranks" -le "$cores" ] || export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
    # A launcher that hears Ctrl-C gives its ranks this number of seconds to finish a step and save, then kills them; after a
    # rank's error it waits the same time, even if no rank is left. Where this script can tell the ranks, the launcher need not
    # hear: an error then ends the run at once.
    patience=2
    if can_tell_ranks; then
        deaf="env --block-signal=HUP --block-signal=INT --block-signal=TERM" patience=0
    fi
    export OMPI_MCA_odls_base_sigkill_timeout="${OMPI_MCA_odls_base_sigkill_timeout:-$patience}"
    export PRTE_MCA_odls_base_sigkill_timeout="${PRTE_MCA_odls_base_sigkill_timeout:-$patience}"
    # No InfiniBand here is not worth a warning; and to look for fast networks where there are none costs a second of each start.
    export OMPI_MCA_btl_base_warn_component_unused=0
    if [ -d /sys/class/infiniband ] || [ -d /sys/class/cxi ]; then
        export OMPI_MCA_btl="${OMPI_MCA_btl:-^openib}"
    else
        export OMPI_MCA_btl="${OMPI_MCA_btl:-^openib,ofi}" OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}"
    fi
    # Containers forbid reading another process's memory; every message would complain.
    if [ "$(id -u)" = 0 ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then
        export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
    fi
    # Without ssh the launcher refuses to start even on one machine.
    if ! command -v ssh >/dev/null 2>&1; then
        export OMPI_MCA_plm_rsh_agent="${OMPI_MCA_plm_rsh_agent:-false}"
        export PRTE_MCA_plm_ssh_agent="${PRTE_MCA_plm_ssh_agent:-false}"
    fi
    flags="--bind-to none"
    ;;
*HYDRA* | *Intel*)
    export I_MPI_PIN="${I_MPI_PIN:-off}"
    ;;
esac

echo "mpirun: $ranks ranks x $OMP_NUM_THREADS threads on $cores cores" >&2
# The launcher runs beside this script, not in its place, so that a signal reaches us while it works; it must still read what we
# read, and the shell gives what runs beside it /dev/null unless told otherwise.
exec 3<&0
# The flags are words, to be split.
# shellcheck disable=SC2086
$deaf "$launcher" $flags ${MPIRUN_FLAGS:-} -n "$ranks" "$@" <&3 3<&- &
child=$!
exec 3<&-

# Ctrl-C reaches the launcher as well as this script, a signal to this script alone does not. The ranks are told by us, so that one
# that can saves what it has. They have ten seconds; a launcher that hears Ctrl-C itself gives them less. Told twice, such a one
# would go before its ranks have ended: so it is told by us only if it is still there long after.
ended_by='' teller='' ranks_here=''
ranks_of_launcher() { ps -A -o pid= -o ppid= 2>/dev/null | awk -v launcher="$child" '$2 == launcher { print $1 }'; }
tell_ranks() {
    # A second signal, to all of the run as from timeout, may end this very command: that must not end the script.
    for _ in 1 2 3; do
        ranks_here=$(ranks_of_launcher) || :
        [ -z "$ranks_here" ] || break
    done
    # shellcheck disable=SC2086
    [ -z "$ranks_here" ] || kill -"$1" $ranks_here 2>/dev/null || :
}
# In the background, beside the wait for the launcher: ranks that have only now begun are told, too, and who is left is ended.
end_who_is_left() {
    trap '' HUP INT TERM
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 1
        [ -n "$ranks_here" ] || tell_ranks "$1"
    done
    if [ -z "$deaf" ]; then
        kill -TERM "$child"
        return
    fi
    for rank in $(ranks_of_launcher); do
        kill -s KILL -- "-$rank" || kill -KILL "$rank" || : # its group, if it leads one: what it has started, too
    done
    sleep 1
    kill -KILL "$child"
}
pass_on() {
    ended_by=$1
    tell_ranks "$1"
    [ -z "$teller" ] || return 0
    end_who_is_left "$1" >/dev/null 2>&1 &
    teller=$!
}
trap 'pass_on 1' HUP
trap 'pass_on 2' INT
trap 'pass_on 15' TERM
status=0
wait "$child" || status=$?
while [ -n "$ended_by" ] && kill -0 "$child" 2>/dev/null; do # the signal ended our wait, not yet the launcher
    wait "$child" || :
done
[ -z "$teller" ] || kill -KILL "$teller" 2>/dev/null || :

explain() {
    echo "mpirun.sh: $*" >&2
}
if [ -n "$ended_by" ]; then
    status=$((128 + ended_by))
    explain "all $ranks ranks were ended by a signal to this script (status $status)"
elif [ "$status" -gt 128 ]; then
    signal=$(kill -l "$status" 2>/dev/null || echo $((status - 128)))
    case $status in
    131 | 132 | 134) # Open MPI 4 ends so, too, if it cannot start a program (a script whose interpreter is missing)
        explain "a rank was ended by signal $signal, or ended with status $status, or the launcher could not start it, and with it" \
            "all $ranks: what they said stands above"
        exit "$status"
        ;;
    esac
    explain "a rank or the launcher was ended by signal $signal, and with it all $ranks (status $status); if nobody sent it," \
        "memory ran out (KILL) or the program is wrong (SEGV, ABRT, BUS, FPE)"
elif [ "$status" -eq 3 ]; then
    explain "the run was ended with status 3: the watchdog's lines above say who waited for whom"
elif [ "$status" -ne 0 ]; then
    explain "a rank ended with status $status, or before MPI_Finalize, and with it all $ranks: what it said stands above"
fi
exit "$status"
