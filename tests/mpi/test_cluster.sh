#!/bin/sh
# Several hosts on one machine (mpi/cluster/): the command runs on all of them, they are apart, their links have the requested
# bandwidth, and nothing is left over. What this machine does not allow is skipped, with the reason.
# SPDX-License-Identifier: MIT
# Thorough: waits for hosts to start.
# What stands between '' is for the shells of the ranks.
# shellcheck disable=SC2016
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" # what MPI never frees is not what is asked here
transfer=${rungs%/*}/tests/mpi/transfer
script=mpi/cluster/cluster.sh

# cluster STATUS NAME=VALUE.. COMMAND ARGUMENT..: false unless it ends with that status.
cluster() {
    expected=$1
    shift
    status=0
    timeout 120 sh "$script" "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = "$expected" ]
}
skip() {
    skipped=$((skipped + 1))
    echo "skipped $1: $2"
}

# ---- what needs no cluster ------------------------------------------------------------------------------
# refuses WORD NAME=VALUE: one line with that word, exit status 2.
refuses() { cluster 2 "$2" true && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$1" "$folder/err"; }
no_command() { cluster 2 NODES=2 && grep -q "the command is missing" "$folder/err"; }
help() { cluster 0 --help && grep -q "usage: sh $script" "$folder/out" && [ ! -s "$folder/err" ]; }

check "--help" help
check "the command is missing" no_command
for value in NODES=0 NODES=-1 NODES=two NODES=251 NODES= NODES=2.5 RANKS_PER_NODE=0 RANKS_PER_NODE=1001; do
    check "$value is refused" refuses "${value%=*} is '${value#*=}', expected a whole number" "$value"
done
for value in RATE=fast RATE=1 RATE=gbit RATE=0gbit RATE=-1gbit RATE=1gbyte RATE=9kbit RATE=1000gbit; do
    check "$value is refused" refuses "RATE is '${value#*=}', expected 100kbit to" "$value"
done
for value in DELAY=soon DELAY=5 DELAY=-1ms; do
    check "$value is refused" refuses "DELAY is '${value#*=}', expected 0 or a time" "$value"
done
check "an unknown name is refused" refuses "there is no option 'SPEED=1'" SPEED=1

# ---- can there be one? ----------------------------------------------------------------------------------
reason=
if [ "${MPI:-1}" != 1 ] || [ ! -x "$transfer" ]; then
    reason="this build is without MPI"
elif ! cluster 0 NODES=1 RANKS_PER_NODE=1 RATE=none true; then
    # Any other failure is one of the tests below.
    reason=$(sed -n 's/^cluster.sh: \(.* was not found.*\|.*is not here.*\|this system lets .*\)/\1/p' "$folder/err")
fi
if [ -n "$reason" ]; then
    skip "clusters" "$reason"
    finish "mpi/cluster"
    exit
fi

# ---- hosts ----------------------------------------------------------------------------------------------
hello() {
    cluster 0 NODES=2 RANKS_PER_NODE=2 RATE=none "$rungs" doctor --hello &&
        [ "$(grep -c 'of 4, the number from its neighbour is right' "$folder/out")" = 4 ]
}
# Ranks in the order of hosts, each host with its name; MPI sees two nodes.
names() {
    cluster 0 NODES=2 RANKS_PER_NODE=2 RATE=none "$transfer" || return 1
    for line in "0: place 0 of host node0" "1: place 1 of host node0" "2: place 0 of host node1" "3: place 1 of host node1"; do
        grep -q "^rank $line, 2 nodes" "$folder/out" || return 1
    done
}
addresses() { cluster 0 NODES=3 RANKS_PER_NODE=1 RATE=none getent hosts node2 && grep -q '^10\.0\.0\.3 ' "$folder/out"; }
exit_status() { cluster 7 NODES=2 RANKS_PER_NODE=1 RATE=none sh -c 'exit 7'; }
# Its arguments and its folder are the command's own.
words() {
    cluster 0 NODES=2 RANKS_PER_NODE=1 RATE=none sh -c 'pwd; echo "<$1>"' sh "two  words; \$HOME" || return 1
    [ "$(grep -cxF "<two  words; \$HOME>" "$folder/out")" = 2 ] && [ "$(grep -cxF "$(pwd)" "$folder/out")" = 2 ]
}
input() {
    status=0
    echo "what is piped in" | timeout 120 sh "$script" NODES=2 RATE=none cat >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ] && grep -qx "what is piped in" "$folder/out"
}
# Shared memory ends at the host: what a rank of one leaves in /dev/shm is not seen on another.
apart() {
    cluster 0 NODES=2 RANKS_PER_NODE=1 RATE=none sh -c 'touch /dev/shm/of_$(hostname); sleep 1; ls -1 /dev/shm' || return 1
    [ "$(grep -c '^of_node0$' "$folder/out")" = 1 ] && [ "$(grep -c '^of_node1$' "$folder/out")" = 1 ]
}
# The only devices of a host are its own link and the loopback.
own_network() {
    cluster 0 NODES=1 RANKS_PER_NODE=1 RATE=none sh -c 'tail -n +3 /proc/net/dev' &&
        [ "$(sed 's/:.*//; s/ //g' "$folder/out" | sort | tr '\n' ' ')" = "eth0 lo " ]
}

# A launcher that says what Open MPI's says when an agent is quicker than it, and more.
warns_of_nothing() {
    cat >"$folder/launcher" <<'END'
#!/bin/sh
case $1 in --version) echo "mpirun (Open MPI) 4.1.4" ; exit ;; esac
echo "[node0:17] plm:rsh: Warning: setpgid(23,23) failed in parent with errno=Permission denied(13)" >&2
echo "another line" >&2
exit 7
END
    chmod +x "$folder/launcher"
    MPIRUN="$folder/launcher" cluster 7 NODES=2 RANKS_PER_NODE=1 RATE=none true && ! grep -q setpgid "$folder/err" && grep -q "^another line$" "$folder/err"
}
check "4 ranks on 2 hosts exchange numbers" hello
check "a warning that means nothing is left out" warns_of_nothing
check "hosts have names, and MPI sees two nodes" names
check "names of hosts have addresses" addresses
check "the exit status is the command's" exit_status
check "arguments and folder are the command's own" words
check "standard input reaches the command" input
check "hosts share no memory" apart
check "a host sees its own network only" own_network

# ---- links ----------------------------------------------------------------------------------------------
# This checks that links are shaped, not how fast anything is: that what arrives in a second is near the rate, where an
# unshaped link carries a hundred times as much. The bounds are as loose as that allows: twice the rate, and a quarter of it.
#   moves LEAST MOST NAME=VALUE.. : Mbit/s by the program `transfer`; a busy machine gets three tries
moves() {
    least=$1 most=$2
    shift 2
    for _ in 1 2 3; do
        cluster 0 "$@" || return 1
        mbits=$(sed -n 's/^moved \([0-9]*\) .*/\1/p' "$folder/out")
        [ "$mbits" -le "$most" ] || return 1
        [ "$mbits" -lt "$least" ] || return 0
    done
    return 1
}
if cluster 0 NODES=1 RANKS_PER_NODE=1 RATE=100mbit true; then
    check "between hosts the link's rate" moves 25 200 NODES=2 RANKS_PER_NODE=2 RATE=100mbit "$transfer" 3000000 0:2
    check "within a host much more" moves 300 10000000 NODES=2 RANKS_PER_NODE=2 RATE=100mbit "$transfer" 300000 0:1
    check "from two hosts to one the rate of one" moves 25 150 NODES=3 RANKS_PER_NODE=1 RATE=100mbit "$transfer" 3000000 0:1 2:1
    check "from one host to two the rate of one" moves 25 150 NODES=3 RANKS_PER_NODE=1 RATE=100mbit "$transfer" 3000000 1:0 1:2
    check "half the rate, half of it" moves 12 75 NODES=2 RANKS_PER_NODE=1 RATE=50mbit "$transfer" 3000000 0:1
elif grep -q "cannot limit the rate" "$folder/err"; then
    skip "rates of links" "$(sed -n 's/^cluster.sh: //p' "$folder/err")"
else
    check "a link is limited" false
fi
# Kernels with netem do it, others say so.
delayed() {
    cluster 0 NODES=2 RANKS_PER_NODE=1 DELAY=20ms "$transfer" 1000 0:1 &&
        [ "$(sed -n 's/.* takes \([0-9]*\)[.].* us$/\1/p' "$folder/out")" -ge 20000 ] && return
    [ "$status" = 1 ] && grep -q "cannot delay messages" "$folder/err"
}
check "messages are delayed, or a sentence says why not" delayed

# ---- nothing is left over -------------------------------------------------------------------------------
# The sleeping ranks, and the networks that they are in: net:[4026532001] ..  The kernel gives such a number to the next network
# when nothing has it any more: so they are kept open while they are looked for.
sleepers() { ps -eo pid,args | awk -v seconds="1000.$$" '$2 == "sleep" && $3 == seconds { print $1 }'; }
networks() { for pid in $(sleepers); do readlink "/proc/$pid/ns/net"; done | sort -u; }
gone() {
    for _ in $(seq 60); do
        for link in /proc/[0-9]*/ns/net; do readlink "$link"; done 2>/dev/null | grep -qxF -f "$folder/networks" || return 0
        sleep 1
    done
    echo "processes of the cluster are left" && return 1
}
# interrupted SIGNAL: a cluster whose ranks sleep gets it, ends by it, and all its processes go. The cluster runs in the
# foreground, as a shell's background commands ignore Ctrl-C; who sends the signal waits for both ranks.
interrupted() {
    (
        for _ in $(seq 100); do
            [ "$(sleepers | wc -l)" != 2 ] || break
            sleep 0.2
        done
        networks >"$folder/networks"
        signal=$1
        # shellcheck disable=SC2046
        set -- $(sleepers)
        [ $# != 2 ] || exec 6<"/proc/$1/ns/net" 7<"/proc/$2/ns/net"
        kill -"$signal" "$(cat "$folder/pid")"
        gone
    ) &
    watcher=$!
    status=0
    timeout 100 sh -c 'echo $$ >"$1/pid" && exec sh "$2" NODES=2 RANKS_PER_NODE=1 sleep "$3"' sh "$folder" "$script" "1000.$$" \
        >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    wait "$watcher" && [ "$status" -gt 128 ] && [ "$(wc -l <"$folder/networks")" = 2 ] && [ -z "$(sleepers)" ]
}
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status) in
[2367abefABEF]) skip "nothing is left after INT" "this shell was started with interrupts ignored" ;;
*) check "nothing is left after INT" interrupted INT ;;
esac
check "nothing is left after TERM" interrupted TERM
check "nothing is left after KILL" interrupted KILL
check "the machine's own network has no new device" sh -c '! ip -o link | grep -E " (port0|switch)[@:]"'

two_at_once() {
    sh "$script" NODES=2 RATE=none "$rungs" doctor --hello >"$folder/first" 2>/dev/null &
    hello
    wait $! && [ "$(grep -c 'of 4, the number from its neighbour is right' "$folder/first")" = 4 ] && [ "$status" = 0 ]
}
check "two clusters at the same time" two_at_once

# ---- rights ---------------------------------------------------------------------------------------------
# A user namespace in which this user has no name has no rights at all.
no_rights() {
    status=0
    unshare --user sh "$script" true >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 1 ] && grep -q "^cluster.sh: this system lets .* make no hosts: unshare: " "$folder/err"
}
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
unprivileged() {
    status=0
    $nobody env HOME=/ timeout 100 sh "$script" NODES=2 "$rungs" doctor --hello \
        >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 0 ] && [ "$(grep -c 'of 4, the number from its neighbour is right' "$folder/out")" = 4 ]
}
if unshare --user true 2>/dev/null; then
    check "without rights, a sentence" no_rights
else
    skip "without rights, a sentence" "there are no user namespaces here"
fi
if [ "$(id -u)" != 0 ]; then
    : # all of the above was without
elif ! $nobody test -r "$script" -a -x "$rungs"; then
    skip "not as root" "others may not read this folder"
elif ! $nobody unshare --user --map-root-user --net ip link add switch type bridge 2>/dev/null; then
    skip "not as root" "only root may make networks here"
else
    check "not as root" unprivileged
fi

finish "mpi/cluster"
