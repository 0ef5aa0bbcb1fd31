#!/bin/sh
# `make watch` on a terminal: its keys, and that Ctrl-C ends it cleanly in the middle of a grading, with no process and no file left.
# The terminal is that of script(1). SPDX-License-Identifier: MIT
# Thorough: waits for gradings to begin and to end.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=watch
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
if is_handout; then
    skip 1 "watch: this is a handout, without the solutions that the test starts from"
    finish
fi
script --version 2>/dev/null | grep -q util-linux || { skip 1 "watch: there is no script(1) of util-linux"; finish; }
env --default-signal=INT true 2>/dev/null || { skip 1 "watch: env(1) here cannot undo that a background job ignores Ctrl-C"; finish; }
[ -d /proc/self ] || { skip 1 "watch: there is no /proc to look for processes"; finish; }
build_objects
runs="$BUILD/labs/run" # the beginning of the names of what a grading writes, and of what it runs

# Other gradings of this build may be running, those of other tests or of another window: only processes of this test's own terminal
# count, which are one session, and only folders that name this test's student.

# The numbers of the processes on the terminal that still run; $1 is a part of their arguments.
processes() {
    ps -eo pid=,sess=,stat=,args= |
        awk -v session="$(cat "$work/session")" -v part="${1:-}" '$2 == session && $3 !~ /^Z/ && index($0, part) { print $1 }'
}
# The gradings' folders that name the student's file.
folders() { for run in "$runs".*; do ! grep -rqsF "$work/student" "$run" || echo "$run"; done; }

# within SECONDS COMMAND..: until it succeeds.
within() {
    tries=$(($1 * 10))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}

# A student's file whose exercise 01.3 never ends.
mkdir "$work/student"
awk '{ print } /BEGIN SOLUTION 01.3/ { print "for (volatile int i = 0; max_epochs != 0; i = 0) ;" }' src/perceptron.c >"$work/endless.c"

# start FILE [VARIABLE=..]: make watch with this as the student's file, on a terminal whose keys are written to descriptor 5.
start() {
    cp "$1" "$work/student/perceptron.c"
    rm -f "$work/keys" "$work/status" "$work/session" && mkfifo "$work/keys"
    : >"$work/log"
    (
        status=0
        env --default-signal=INT TERM=dumb script -qefc "echo \$\$ >$work/session; exec ${MAKE:-make} watch LAB=01 FROM=$work/student BUILD=$BUILD ${2:-} ${3:-}" /dev/null \
            <"$work/keys" >"$work/log" 2>&1 || status=$?
        echo $status >"$work/status"
    ) &
    exec 5>"$work/keys"
    within 10 [ -s "$work/session" ]
    verdict $? "the terminal is a session of its own"
}
key() { printf '%b' "$1" >&5; }
ended() { [ -s "$work/status" ]; }
nothing_left() { left="$(processes) $(folders)" && { [ "$left" = " " ] || { echo "left: $left" >>"$work/log"; false; }; }; }
# The grader and its test. And the folder is found now, or nothing_left would hold with any folder left.
in_endless_loop() { says 'a wrong one moves every weight' && [ "$(processes --finished | wc -l)" -eq 2 ] && [ "$(folders | wc -l)" -eq 1 ]; }

start src/perceptron.c
within 60 says 'q quit'
verdict $? "the first grading"
cp "$BUILD/labs/results.json" "$work/before.json"
sed 's/double z = w\[0\]/double z = 1/' src/perceptron.c >"$work/student/perceptron.c"
within 60 says 'Next: exercise 01.1'
verdict $? "a saved file is graded again"
key h
within 20 says 'Hint 1 of 3'
verdict $? "h shows a hint"
key q
within 20 ended && [ "$(cat "$work/status")" = 0 ]
verdict $? "q ends with status 0"
exec 5>&-
within 5 nothing_left
verdict $? "nothing is left behind q"

cp "$BUILD/labs/results.json" "$work/before.json"
start "$work/endless.c"
within 60 in_endless_loop
verdict $? "a grading is under way"
key '\003'
within 10 ended
verdict $? "Ctrl-C ends it"
exec 5>&-
within 5 nothing_left
verdict $? "no process and no folder is left"
cmp -s "$work/before.json" "$BUILD/labs/results.json"
verdict $? "the results of before are as they were"

# A compiler that takes for ever, but for the Makefile's questions what it can do. It sleeps for seconds that no other program has.
printf '#!/bin/sh\ncase "$*" in *"-o /dev/null"*) exec %s "$@" ;; *) exec sleep 1000.%s ;; esac\n' \
    "$(cat "$BUILD/labs/compiler")" $$ >"$work/slow"
chmod +x "$work/slow"
building() { ps -eo args= | grep -qx "sleep 1000[.]$$"; }
not_building() { ! building; }
start src/perceptron.c "BUILD=$work/new" "CC=$work/slow"
within 60 building
verdict $? "a build is under way"
key '\003'
within 10 ended
verdict $? "Ctrl-C ends it too"
within 5 not_building
verdict $? "and its compilers"
exec 5>&-

start "$work/endless.c"
within 60 in_endless_loop
pids=$(processes --finished)
test=${pids##*[!0-9]} # the younger one
kill -KILL "${pids%%[!0-9]*}"
gone() { ! kill -0 "$test" 2>/dev/null; }
within 5 gone
verdict $? "an endless loop ends with its grader, whatever ends that"
key '\003'
within 20 ended
exec 5>&-
within 5 nothing_left
verdict $? "and nothing is left of it"
finish
