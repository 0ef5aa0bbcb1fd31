# What the tests of the program share. Each test_*.sh sources it first, calls `check` for each test, and ends with `finish NAME`.
# A test that needs the tree's files finds itself in its root; $folder is a fresh folder that is removed at the end.
# shellcheck shell=sh
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
rungs=$(cd "${BUILD:-build}" && pwd)/rungs
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0 status=0
unsolved= # in a handout of the labs: the exercise that a command needed, and that is not solved yet
command_words= # of the command that a script tests: "train mlp"
export RUNGS_PROGRESS=off
: >"$folder/out"
: >"$folder/err"

# call STATUS ARGUMENT..: runs rungs $command_words; output in $folder/out and /err; false unless it ends with that status.
call() {
    expected=$1
    shift
    status=0
    # shellcheck disable=SC2086
    "$rungs" $command_words "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    note_unsolved
    [ "$status" = "$expected" ]
}

# one_sentence HINT: the last command wrote nothing but one line to stderr, which contains HINT.
one_sentence() { [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$1" "$folder/err"; }

# prints PATTERN ARGUMENT..: ends well, prints nothing on stderr, and a line of its output matches.
prints() {
    pattern=$1
    shift
    call 0 "$@" && grep -q -e "$pattern" "$folder/out" && [ ! -s "$folder/err" ]
}

# refuses STATUS HINT ARGUMENT..: ends with that status and one sentence that contains HINT.
refuses() {
    wanted=$1 hint=$2
    shift 2
    call "$wanted" "$@" && one_sentence "$hint"
}

note_unsolved() {
    sentence=$(sed -n 's/^rungs:.* \(exercise [^ ]* is not solved yet\): .*/\1/p' "$folder/err" | head -n 1)
    unsolved=${sentence:-$unsolved}
}

# check TEXT COMMAND..: one test. It is skipped if it fails after a command has met an unsolved exercise: what that command should
# have left may be what is missing.
check() {
    text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        return
    fi
    note_unsolved
    if [ -n "$unsolved" ]; then
        skipped=$((skipped + 1))
        echo "skipped $text: $unsolved"
    else
        failed=$((failed + 1))
        echo "failed: $text (exit status $status)"
        tail -n 30 "$folder/out" | sed 's/^/    stdout: /'
        head -n 5 "$folder/err" | sed 's/^/    stderr: /'
    fi
}

# start ARGUMENT..: rungs $command_words in the background, as $pid. Only when the output of the test before is gone can anybody wait
# for a line of this one.
start() {
    : >"$folder/out"
    # shellcheck disable=SC2086
    "$rungs" $command_words "$@" >"$folder/out" 2>"$folder/err" </dev/null &
    pid=$!
}

# Until the run in the background has written a line that matches, at most 20 s.
wait_for() {
    tries=0
    while ! grep -q "$1" "$folder/out"; do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || { echo "no line $1"; kill -9 "$pid"; return 1; }
        sleep 0.05
    done
}

# Sends signal $1 to the run in the background; true if it ends with status $2.
stops_with() {
    kill "-$1" "$pid"
    status=0
    wait "$pid" 2>/dev/null || status=$?
    [ $status = "$2" ]
}

# finish NAME: the closing line; the exit status of the script is 1 if a test failed.
finish() {
    echo "$1: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}
