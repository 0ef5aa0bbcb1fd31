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

# ---- wrong answers: a mistake is made in the reference by one sed command, and graded -----------------------------------------------

# wrong_answers REFERENCE..: what the tests of one lab begin with. These are the files that a student hands in.
wrong_answers() {
    references=$*
    if grep -q EXERCISE_NOT_SOLVED "$1"; then
        skip 1 "wrong answers: this is a handout, without the solutions that the test starts from"
        finish
    fi
    build_objects
}

# Fresh copies of the references.
student() {
    # shellcheck disable=SC2086
    rm -rf "$work/student" && mkdir "$work/student" && cp $references "$work/student"
}

# change FILE SED WHAT: in the student's copy. Where that changes nothing, the test is over and has failed.
change() {
    sed "$2" "$work/student/${1##*/}" >"$work/changed"
    if cmp -s "$work/changed" "$work/student/${1##*/}"; then
        echo "the sed command changes nothing in $1" >"$work/log"
        verdict 1 "$3"
        return 1
    fi
    mv "$work/changed" "$work/student/${1##*/}"
}

# grade_student LAB|EXERCISE
grade_student() { FROM=$work/student LAB=$1 JSON=$work/results.json sh tools/labs_grade.sh grade >"$work/log" 2>&1; }

total() { says "^ *total  *$1/100 "; }

# row POINTS TITLE: the table shows these points for the test.
row() { says "  $2  *$1 "; }

# also POINTS TITLE WHAT: after the last mistake that test has these points.
also() {
    row "$1" "$2"
    verdict $? "$3"
}

# mistake EXERCISE FILE SED POINTS TITLE TEXT WHAT: the test called TITLE gives POINTS points, and the table says TEXT.
mistake() {
    student
    change "$2" "$3" "$7" || return
    grade_student "$1"
    row "$4" "$5" && says "$6"
    verdict $? "$7"
}

# mistake_in_lab LAB FILE SED POINTS TEXT WHAT: the whole lab scores POINTS points.
mistake_in_lab() {
    student
    change "$2" "$3" "$6" || return
    ! grade_student "$1" && total "$4" && says "$5"
    verdict $? "$6"
}

needs_mpi() {
    if ! grep -q HAVE_MPI "$BUILD/labs/compile.flags" || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
        skip 1 "wrong answers: this build is without MPI"
        finish
    fi
}
