#!/bin/sh
# What ssh is on a real cluster: runs a command on a host that hosts.sh has made. Open MPI starts its daemons by this.
#   sh agent.sh node1 WORD..                     the words are one command line, as ssh takes them
#   sh agent.sh node1 -- COMMAND [ARGUMENT..]    without a shell in between
# RUNGS_HOSTS="node0=17 node1=23" names the process of each host.
# SPDX-License-Identifier: MIT
host=$1
shift
if [ "${1:-}" = -- ]; then
    shift
else
    set -- sh -c "$*"
fi
for entry in ${RUNGS_HOSTS:-}; do
    # --wd: the folder in which the cluster was started.
    [ "${entry%=*}" != "$host" ] ||
        exec nsenter --target "${entry#*=}" --net --uts --ipc --mount --wd -- "$@"
done
echo "agent.sh: there is no host '$host' in this cluster, only: ${RUNGS_HOSTS:-none}" >&2
exit 1
