#!/bin/sh
# `make lint`: who includes whom, our own rules of style, cppcheck, shellcheck. Exit status 1 if anything is found.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
skipped=''

files() { sh tools/files.sh "$@"; }

# verdict NAME STATUS: one line for each part.
verdict() {
    if [ "$2" = 0 ]; then
        echo "lint: $1: clean"
    else
        echo "lint: $1: the findings stand above"
        failed=1
    fi
}

# The file names hold no blanks: they are ours.
# shellcheck disable=SC2046
{
    awk -f tools/check_includes.awk $(files 'src/*.[ch]' 'cpu/*.[ch]' 'gpu/*' 'mpi/*.[ch]' 'tests/*.[ch]' | grep -E '\.(c|h|cpp|cu|cuh)$')
    verdict "who includes whom" $?

    awk -v exceptions=tools/lint_allow.txt -f tools/check_style.awk \
        $(files '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sh' '*.awk' '*.mk' '*.gp' Makefile '.ci/run') /dev/null
    verdict "style" $?

    # lectures/measured/ holds what programs printed when they were measured.
    awk -v words=tools/private_words.txt -f tools/check_words.awk \
        $(files '*.c' '*.h' '*.cpp' '*.cu' '*.cuh' '*.sh' '*.awk' '*.mk' '*.md' '*.py' '*.gp' Makefile '.ci/run' |
            grep -v '^lectures/measured/') /dev/null
    verdict "words (tools/private_words.txt)" $?

    if command -v cppcheck >/dev/null 2>&1; then
        # Check's macros make code that cppcheck cannot read, so tests are left to the compilers and sanitizers.
        # unknownMacro, missingInclude: headers of libraries are not given to it. invalidFunctionArg: it guesses that every loop
        # may run no times, and then finds a logarithm of 0.
        # nullPointerRedundantCheck: it does not see that a failed CHECK_POINTER does not return.
        cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr -j 2 \
            --suppress=missingInclude --suppress=unknownMacro --suppress=unmatchedSuppression --suppress=invalidFunctionArg --suppress=nullPointerRedundantCheck \
            --error-exitcode=1 -Isrc -I. -D_GNU_SOURCE -D__linux__ -DRUNGS_ROOT='"."' $(files 'src/*.c' 'cpu/*.c' 'gpu/*.c' 'mpi/*.c') 2>&1
        verdict "cppcheck" $?
    else
        skipped="$skipped cppcheck"
    fi

    if command -v shellcheck >/dev/null 2>&1; then
        shellcheck -x --severity=warning $(files '*.sh') .ci/run
        verdict "shellcheck" $?
    else
        skipped="$skipped shellcheck"
    fi
}

[ -z "$skipped" ] || echo "lint: not installed here, left out:$skipped (./setup.sh --dev)"
exit "$failed"
