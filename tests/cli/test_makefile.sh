#!/bin/sh
# The switches of the Makefile: only 0 and 1 are answers, and what is no answer is refused before anything is made.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL OMP MPI CUDA BLAS WERROR SANITIZE V

# A make that only reads the Makefile.
read_makefile() {
    status=0
    ${MAKE:-make} -n BUILD="$folder/build" "$@" help >"$folder/out" 2>"$folder/err" || status=$?
}
refuses() {
    words=$1
    shift
    read_makefile "$@" && [ "$status" = 2 ] && [ ! -e "$folder/build" ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$words" "$folder/err"
}
accepts() { read_makefile "$@" && [ "$status" = 0 ] && [ ! -s "$folder/err" ]; }

refuses_others() {
    for switch in OMP MPI CUDA BLAS WERROR SANITIZE V; do
        for value in 2 yes no 00 01 -1 '0 1' '%' ''; do
            refuses "^Makefile.*$switch is \"$value\" (.*), expected 0 or 1" "$switch=$value" || { echo "$switch=$value"; return 1; }
        done
    done
}
accepts_0_and_1() {
    for switch in OMP MPI CUDA BLAS WERROR SANITIZE V; do
        for value in 0 1 "1 "; do
            accepts "$switch=$value" || { echo "$switch=$value"; return 1; }
        done
    done
}
names_the_environment() {
    CUDA=/usr/local/cuda
    export CUDA
    refuses 'CUDA is "/usr/local/cuda" (environment), expected 0 or 1: .*unset CUDA' || return 1
    CUDA=0 accepts || return 1
    unset CUDA
}

check "what is neither 0 nor 1 is refused" refuses_others
check "0 and 1 are accepted" accepts_0_and_1
check "a variable of the environment is named as such" names_the_environment
check "nothing given is accepted" accepts
check "a BUILD with a space is refused" refuses 'BUILD is "a b", expected one folder without spaces' BUILD="a b"
check "an empty BUILD is refused" refuses 'BUILD is "", expected one folder' BUILD=

finish "cli/makefile"
