# What the tests of the labs' machinery share; each test_*.sh sources it from the project's root, with $name set.
# $work is a fresh folder that is removed at the end; what the last command printed lies in $work/log.
# shellcheck shell=sh
# SPDX-License-Identifier: MIT
set -u
export BUILD="${BUILD:-build}"
case $BUILD in /*) ;; *) BUILD=$(pwd)/$BUILD ;; esac
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export RUNGS_STATE="$work/state"
: >"$work/log"

finish() {
    # shellcheck disable=SC2154 # name is the caller's
    echo "$name: $passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
    exit
}

# skip HOW_MANY WHY
skip() {
    skipped=$((skipped + $1))
    echo "skipped $2"
}

# verdict STATUS TEXT: one test is over.
verdict() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        tail -n 30 "$work/log" | sed 's/^/    /'
    fi
}

# says TEXT: it stands in the log.
says() { grep -q -e "$1" "$work/log"; }

is_handout() { grep -q EXERCISE_NOT_SOLVED src/perceptron.c; }

# Everything that a student's files are linked with is built.
build_objects() {
    ${MAKE:-make} -s --no-print-directory lab-objects >"$work/log" 2>&1 || { verdict 1 "make lab-objects"; finish; }
}

# A clone of this tree as it is now, in $work/tree: what is new here is tracked there.
clone_tree() {
    mkdir "$work/tree" &&
        sh tools/files.sh '*' | tar -cf - -T - | tar -xf - -C "$work/tree" &&
        (cd "$work/tree" && git init -q && git add -A &&
            git -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false commit -q -m tree) >"$work/log" 2>&1
}
