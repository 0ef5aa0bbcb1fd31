#!/bin/sh
# `make handout`: what is packed and what is not, and what a student can do with it. It is made in a clone of this tree, where things
# lie about that must not leave. SPDX-License-Identifier: MIT
# Thorough: compiles a handout.
set -u
cd "$(dirname "$0")/../.." || exit 1
name=handout
# shellcheck source=tests/labs/labs.sh
. tests/labs/labs.sh
if is_handout; then
    skip 1 "handout: this is one"
    finish
fi
command -v git >/dev/null 2>&1 || { skip 1 "handout: there is no git here"; finish; }
clone_tree
verdict $? "a clone of this tree"
solution=$(pwd)/src/perceptron.c
cd "$work/tree" || finish
unset BUILD MAKEFLAGS MAKELEVEL MFLAGS RUNGS_STATE RUNGS_TEST_ALL SANITIZE

# ---- what is packed -----------------------------------------------------------------------------------------------------
mkdir -p build-mpi0/src submissions .rungs/backup && echo private >notes.md && cp notes.md build-mpi0/src/a.c
for file in submissions/anna.c exercises/01-perceptron/anna.c exercises/01-perceptron/perceptron.c; do
    cp "$solution" "$file"
done
# pack SCRIPT LABS LAB: runs tools/labs_SCRIPT.sh.
pack() { BUILD=$work/out LABS=$2 LAB=$3 MAKE=make sh "tools/labs_$1.sh" >"$work/log" 2>&1; }
pack handout "1 2" '' && tar -xzf "$work/out/rungs-labs-01-02.tar.gz" -C "$work"
verdict $? "make handout"
handout=$work/rungs-labs-01-02
tar -tzf "$work/out/rungs-labs-01-02.tar.gz" >"$work/log"
! says 'notes\|build-mpi0\|anna\|submissions\|[.]rungs\|[.]git/'
verdict $? "only what git tracks is packed"
says '/[.]ci/run$' && says '/START-HERE.txt$' && says '/tests/labs/grade_run.c$' && says '/tools/labs_handout.mk$'
verdict $? "all of that is packed"
git status --short --ignored >"$work/log" && says '^!! build-mpi0/$'
verdict $? "git ignores a second build folder"
if command -v zip >/dev/null 2>&1; then
    pack gradescope '' 1 && unzip -l "$work/out/gradescope-01.zip" >"$work/log" && says run_autograder && ! says 'notes\|build-mpi0\|anna\|submissions'
    verdict $? "make gradescope packs no more"
else
    skip 1 "gradescope: there is no program zip"
fi
pack handout 2 '' && tar -xzf "$work/out/rungs-labs-02.tar.gz" -C "$work" && cd "$work/rungs-labs-02" &&
    grep -q 'double z = w' src/perceptron.c && [ -f solutions/01-perceptron/answers.md ] && [ ! -d solutions/02-backpropagation ] &&
    ! grep -q 'double z = w' exercises/01-perceptron/perceptron.c
verdict $? "a handout of lab 02 has the solution of lab 01, and both skeletons"
cp -r "$handout" "$work/no-git" && cd "$work/no-git" && rm -rf "$work/out" && ! pack handout 2 '' && says 'git tracks no file in .*in a clone' &&
    [ ! -f "$work/out/rungs-labs-02.tar.gz" ]
verdict $? "outside of a clone nothing is packed"
rm -rf "$work/no-git" "$work/rungs-labs-02"

cd "$handout" || finish
! grep -q 'perceptron_predict(w, x, n)' src/perceptron.c exercises/*/* && [ ! -e src/lenet.c ] && [ ! -d solutions/01-perceptron ] && [ ! -d solutions/02-backpropagation ]
verdict $? "no solution is in it"
grep -rn '](.*solutions/0[12]' --include='*.md' . >"$work/log"
[ ! -s "$work/log" ] && grep -q 'The answers (not in this handout)' lectures/01-perceptron.md
verdict $? "no link leads to solutions that are not there"

# ---- what a student can do -----------------------------------------------------------------------------------------------
# What lab 01 does not need is left out, to save time.
grade_here() {
    make -j2 grade LAB=01 OPTIMIZE=-O0 MPI=0 BLAS=0 EMULATOR=0 "$@" \
        SOURCES="$(echo src/*.c src/core/*.c src/ladder/*.c src/cli/main.c cpu/o*.c cpu/ladder_arrays.c cpu/softmax/*.c cpu/gemm/*.c cpu/conv/matrices.c cpu/pool/01_naive.c gpu/library.c gpu/counters.c)" \
        >"$work/log" 2>&1
}
! grade_here JSON="$work/results.json" && total 0
verdict $? "the skeleton has no points"
! says jobserver
verdict $? "make -j2 has no warning of a jobserver"
mine=exercises/01-perceptron/perceptron.c
# breaks STATEMENT: my file is the solution, with this in exercise 01.3.
breaks() { code=$1 awk '{ print } /BEGIN SOLUTION 01.3/ { print ENVIRON["code"] }' "$solution" >$mine; }
breaks ''
grade_here && total 100
verdict $? "the solution has all"
breaks '*(volatile int *)8 = 1;'
! grade_here && total 60 && says 'signal 11\|a sanitizer stopped it'
verdict $? "a crash costs its exercise"
breaks 'for (volatile int i = 0; max_epochs != 0; i = 0) ;'
! grade_here && total 60 && says 'did not end within'
verdict $? "an endless loop costs its exercise"
make -s reset LAB=01 >"$work/log" 2>&1 && grep -q EXERCISE_NOT_SOLVED $mine && grep -q 'volatile int i' .rungs/backup/01-perceptron/perceptron.c.*
verdict $? "reset keeps the student's version"

# run_tests NAME: of the tests, those that match; their programs are made before.
run_tests() {
    programs=$(for program in build/tests/$1; do [ -x "$program" ] && echo "$program"; done)
    # shellcheck disable=SC2086
    BUILD=build ONLY=$1 MPI=0 sh tools/run_tests.sh $programs >"$work/log" 2>&1
}
make -s -j2 OPTIMIZE=-O0 MPI=0 BLAS=0 EMULATOR=0 all build/tests/test_perceptron >"$work/log" 2>&1
verdict $? "the project builds from the skeletons"
run_tests test_perceptron && says '1 passed, 0 failed, [1-9][0-9]* skipped$' && says 'skipped .*: exercise 01.[1-3] is not solved yet: exercises/01'
verdict $? "a test that needs an exercise is skipped, the others are run"
run_tests cli/test_lecture_commands && says '[1-9][0-9]* passed, 0 failed, [1-9][0-9]* skipped$'
verdict $? "so is a command"
breaks ''
make -s -j2 OPTIMIZE=-O0 MPI=0 BLAS=0 EMULATOR=0 build/tests/test_perceptron >"$work/log" 2>&1 && run_tests test_perceptron && says ' 0 failed, 0 skipped$'
verdict $? "with the solution nothing is skipped"
finish
