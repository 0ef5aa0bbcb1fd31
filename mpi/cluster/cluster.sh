#!/bin/sh
# Several hosts on one machine: runs a command on NODES x RANKS_PER_NODE ranks of a cluster that exists while the command runs.
# SPDX-License-Identifier: MIT
#
#            switch                 a bridge, in a network namespace of its own
#        .-----'-----.------ ..
#      port0       port1             the bridge's ends: what a node receives passes here at RATE
#        |           |
#      eth0        eth0              the nodes' ends: what a node sends passes here at RATE, with DELAY
#      node0       node1     ..      namespaces: network (10.0.0.1, 10.0.0.2, ..), host name, /dev/shm
#      ranks 0 1   ranks 2 3
#
# Open MPI takes node0, node1, .. for hosts: it reaches them by agent.sh instead of ssh, goes from one to the other by TCP,
# and shares memory within each. They share this machine's cores, memory and files.
#
# This script makes namespaces for the whole (network, processes, mounts), starts hosts.sh as their first process, which makes
# switch and nodes, and waits. When the first process of a process namespace ends, the kernel kills all others, and with the
# last of them the networks go. So nothing can be left over, however this ends, and the machine's own network is never touched.
set -eu
PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "$0")" && pwd)
program=cluster.sh
# shellcheck source=mpi/cluster/values.sh
. "$here/values.sh"

usage() {
    cat <<'TEXT'
usage: sh mpi/cluster/cluster.sh [NAME=VALUE..] COMMAND [ARGUMENT..]

Runs COMMAND on every rank of a cluster of several hosts that are made on this machine, and ends with its exit status.
  NODES=4             hosts: 1 to 250
  RANKS_PER_NODE=2    ranks on each
  RATE=1gbit          what a host's link carries, in each direction: as in 500kbit, 100mbit, 2.5gbit, or none for no limit
  DELAY=0             how long a message travels besides: as in 200us, 5ms (needs the kernel's netem)
MPIRUN_FLAGS, OMP_NUM_THREADS: as for tools/mpirun.sh.

It needs Open MPI, iproute2 (ip, tc), util-linux (unshare, nsenter, setpriv), and either user namespaces or root.
TEXT
}

# Prints how many units of the first suffix the VALUE is: number VALUE "SUFFIX=FACTOR .."; nothing if it is none.
number() {
    awk -v value="$1" -v units="$2" 'BEGIN {
        n = split(units, unit, /[ =]/)
        digits = value
        sub(/[a-z]+$/, "", digits)
        suffix = substr(value, length(digits) + 1)
        if (digits !~ /^[0-9]+([.][0-9]+)?$/)
            exit
        for (i = 1; i < n; i += 2)
            if (suffix == unit[i])
                printf "%.0f\n", digits * unit[i + 1]
    }'
}

check_values() {
    whole NODES "$NODES" 250
    whole RANKS_PER_NODE "$RANKS_PER_NODE" 1000
    BITS=$(number "$RATE" "bit=1 kbit=1e3 mbit=1e6 gbit=1e9")
    [ "$RATE" = none ] || { [ "${#BITS}" -ge 6 ] && [ "${#BITS}" -le 12 ]; } ||
        fail 2 "RATE is '$RATE', expected 100kbit to 999gbit, as in 100mbit or 2.5gbit, or none"
    [ "$DELAY" = 0 ] || [ -n "$(number "$DELAY" "us=1 ms=1e3 s=1e6")" ] ||
        fail 2 "DELAY is '$DELAY', expected 0 or a time as in 200us or 5ms"
    [ $# -gt 0 ] || fail 2 "the command is missing; sh mpi/cluster/cluster.sh --help"
}

check_tools() {
    for tool in ip:iproute2 tc:iproute2 unshare:util-linux nsenter:util-linux setpriv:util-linux; do
        command -v "${tool%:*}" >/dev/null 2>&1 || fail 1 "${tool%:*} was not found; install ${tool#*:}"
    done
    case $("${MPIRUN:-mpirun}" --version 2>&1) in
    *"Open MPI"*) ;;
    *) fail 1 "${MPIRUN:-mpirun} is not here or not Open MPI's, the only launcher that can start ranks on these hosts;" \
        "./setup.sh installs it" ;;
    esac
}

# Sets `namespaces`: what unshare is to make. With a user namespace nobody needs to be root; some systems allow that only to root.
choose_namespaces() {
    namespaces="--net --ipc --mount --pid --fork --kill-child --mount-proc"
    for with in "--user --map-root-user" ""; do
        # shellcheck disable=SC2086
        reason=$(unshare $with $namespaces sh -c 'ip link add switch type bridge && mount -t tmpfs tmpfs /dev/shm' 2>&1) &&
            namespaces="$with $namespaces" && return
    done
    fail 1 "this system lets $(id -un 2>/dev/null || id -u) make no hosts: $(printf %s "$reason" | tail -n 1)" \
        "(it takes user namespaces, or root with all capabilities as in docker run --privileged, and the kernel's bridge and veth)"
}

# The cluster runs in the background, because a shell that waits for a command in the foreground is deaf to signals; so standard
# input must be passed explicitly. If this shell itself is killed, --pdeathsig ends unshare, and --kill-child all that is in it.
run_cluster() {
    export NODES RANKS_PER_NODE RATE BITS DELAY
    exec 3<&0
    # shellcheck disable=SC2086
    setpriv --pdeathsig KILL unshare $namespaces sh "$here/hosts.sh" "$@" <&3 3<&- &
    cluster=$!
    for signal in HUP INT QUIT TERM; do
        # shellcheck disable=SC2064
        trap "kill -KILL $cluster 2>/dev/null; trap - $signal; kill -$signal $$" "$signal"
    done
    status=0
    wait "$cluster" || status=$?
    exit "$status"
}

NODES=4 RANKS_PER_NODE=2 RATE=1gbit DELAY=0
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage; exit 0 ;;
    NODES=*) NODES=${1#*=} ;;
    RANKS_PER_NODE=*) RANKS_PER_NODE=${1#*=} ;;
    RATE=*) RATE=${1#*=} ;;
    DELAY=*) DELAY=${1#*=} ;;
    -* | [A-Z]*=*) fail 2 "there is no option '$1'; sh mpi/cluster/cluster.sh --help lists them" ;;
    *) break ;;
    esac
    shift
done
check_values "$@"
check_tools
choose_namespaces
run_cluster "$@"
