#!/bin/sh
# The first process of a cluster (cluster.sh, which checked all values): makes its switch and nodes, runs the command, and ends
# all by ending itself.  NODES=4 RANKS_PER_NODE=2 RATE=1gbit BITS=1000000000 DELAY=0 sh hosts.sh COMMAND [ARGUMENT..]
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=cluster.sh
# shellcheck source=mpi/cluster/values.sh
. "$here/values.sh"

on() { sh "$here/agent.sh" "$@"; }

# shape DEVICE PLACE: the command by which what leaves through this device does so at RATE. A token bucket lets pass at once what
# it holds, which no real link does: a large one would give short messages no price for their bytes, and a small one loses
# time whenever the kernel is late to refill it. So it holds what the link carries in 0.15 ms, and a packet is a little less, as
# what does not fit into the bucket is cut, which costs time, too.
shape() {
    [ "$RATE" != none ] || return 0
    packet=$((BITS / 61000))
    [ "$packet" -ge 4096 ] || packet=4096
    [ "$packet" -le 65536 ] || packet=65536
    bucket=$((packet * 9 / 8))
    [ "$bucket" -ge $((BITS / 54000)) ] || bucket=$((BITS / 54000))
    echo "ip link set dev $1 gso_max_size $packet && tc qdisc replace dev $1 $2 tbf rate $RATE burst $bucket latency 400ms"
}
no_shape() { fail 1 "this kernel cannot limit the rate of a link (tc's tbf, module sch_tbf); RATE=none goes without"; }
no_delay() { fail 1 "this kernel cannot delay messages (tc's netem, module sch_netem); leave DELAY out"; }

# A node is a process that sleeps in namespaces of its own. It says when they are there.
make_node() {
    unshare --net --uts --ipc --mount sh -c '
        hostname "$1" && mount -t tmpfs tmpfs /dev/shm && ip link set dev lo up && echo made && exec sleep infinity >/dev/null' \
        sh "$1" >"$folder/made" &
    read -r made <"$folder/made" && [ "$made" = made ] || fail 1 "$1 could not be made; the reason stands above"
    RUNGS_HOSTS="$RUNGS_HOSTS $1=$!"
}

plug_in() {
    ip link add name "port$1" type veth peer name eth0 netns "$!"
    ip link set dev "port$1" master switch up
    echo "10.0.0.$(($1 + 1)) node$1" >>"$folder/hosts"
    on "node$1" "ip address add 10.0.0.$(($1 + 1))/24 dev eth0 && ip link set dev eth0 up"
    place=root
    # netem holds a packet for DELAY, then passes it to the token bucket below.
    if [ "$DELAY" != 0 ]; then
        on "node$1" "tc qdisc replace dev eth0 root handle 1: netem delay $DELAY limit 100000" || no_delay
        place="parent 1:1"
    fi
    on "node$1" "$(shape eth0 "$place")" || no_shape
    eval "$(shape "port$1" root)" || no_shape
}

folder=/dev/shm/cluster
mount -t tmpfs tmpfs /dev/shm
mkdir "$folder"
mkfifo "$folder/made"
[ ! -e /etc/hosts ] || { cp /etc/hosts "$folder/hosts" && mount --bind "$folder/hosts" /etc/hosts; }
ip link set dev lo up
ip link add name switch type bridge
ip link set dev switch up

# agent.sh finds the processes here.
export RUNGS_HOSTS=
hosts=
i=0
while [ "$i" -lt "$NODES" ]; do
    make_node "node$i"
    plug_in "$i"
    hosts="$hosts,node$i:$RANKS_PER_NODE"
    i=$((i + 1))
done

cores=$(nproc)
ranks=$((NODES * RANKS_PER_NODE))
links="links without a limit"
[ "$RATE" = none ] || links="links of $RATE in each direction"
[ "$DELAY" = 0 ] || links="$links, $DELAY long"
echo "cluster: $NODES hosts x $RANKS_PER_NODE ranks on the $cores cores of this machine; $links" >&2

# Nothing but TCP between nodes and vader (shared memory) within: a fast network of the real machine would go past the links.
export OMPI_MCA_plm_rsh_agent="$here/agent.sh" OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_osc=^ucx
export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0
export OMPI_MCA_orte_tmpdir_base=/dev/shm
# One watchdog sees the ranks of all hosts (mpi/watch/watchdog.h).
export RUNGS_WATCH_FOLDER="${TMPDIR:-/tmp}"
# Without `put`: else Open MPI writes all of a long message to the socket at once, its word that the other side may begin waits
# behind that, and an exchange takes twice as long as the link needs, or not, by chance. In fragments, both directions move.
export OMPI_MCA_btl_tcp_flags="${OMPI_MCA_btl_tcp_flags:-send,inplace,need-ack,need-csum,hetero-rdma}"
# Every host seems to have all the cores: Open MPI would let waiting ranks spin.
[ "$ranks" -le "$cores" ] || export OMPI_MCA_mpi_yield_when_idle=1
export MPIRUN_FLAGS="--host ${hosts#,} ${MPIRUN_FLAGS:-}"
# Open MPI's launcher puts each agent into a process group, which the agent's process has done already; if it is quick the launcher
# is refused, and warns, though nothing is wrong. That line is left out; all that is written ends when its last writer does.
mkfifo "$folder/stderr"
(
    trap '' HUP INT TERM
    exec sed -u '/plm:rsh: Warning: setpgid(.*) failed in parent with errno=/d' <"$folder/stderr" >&2
) &
filter=$!
status=0
on node0 -- sh "$here/../../tools/mpirun.sh" "$ranks" "$@" 2>"$folder/stderr" || status=$?
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$filter" 2>/dev/null || break
    sleep 0.1
done
exit "$status"
