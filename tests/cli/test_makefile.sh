#!/bin/sh
# The switches of the Makefile: only 0 and 1 are answers, and what is no answer is refused before anything is made.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL OMP MPI CUDA BLAS WERROR SANITIZE FAT VARIANTS V RUNGS_ISA

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
    for switch in OMP MPI CUDA BLAS WERROR SANITIZE FAT V; do
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

# With FAT=1, on x86-64. A compiler for another processor is one that says so.
refuses_other_machines() {
    printf '#!/bin/sh\necho aarch64-linux-gnu\n' >"$folder/compiler" && chmod +x "$folder/compiler" &&
        refuses 'FAT=1 is for x86-64 under Linux, and .*/compiler compiles for aarch64-linux-gnu' FAT=1 CC="$folder/compiler"
}
refuses_variants() {
    for variants in v9 'v2 v9' x86-64-v3 v2,v3 ''; do
        refuses "VARIANTS is \"$variants\", expected some of v2 v3 v4 v4-bf16" FAT=1 VARIANTS="$variants" || { echo "$variants"; return 1; }
    done
}
refuses_isa() {
    status=0
    RUNGS_ISA=v9 ${MAKE:-make} -n FAT=1 BUILD="$folder/build" grade >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q 'RUNGS_ISA is "v9", which is no variant of this build; expected one of v2' "$folder/err"
}
grades_in_a_variant() {
    RUNGS_ISA=v2 ${MAKE:-make} -pn FAT=1 BUILD="$folder/build" CUDA=0 src/core/variants.h >"$folder/out" 2>"$folder/err"
    grep -q "^BUILD := $folder/build/v2\$" "$folder/out" && grep -q '^MARCH := x86-64-v2$' "$folder/out" && grep -q '^FAT := 0$' "$folder/out" &&
        [ ! -e "$folder/build/v2/v2" ]
}

check "what is neither 0 nor 1 is refused" refuses_others
check "0 and 1 are accepted" accepts_0_and_1
check "a variable of the environment is named as such" names_the_environment
check "nothing given is accepted" accepts
check "a BUILD with a space is refused" refuses 'BUILD is "a b", expected one folder without spaces' BUILD="a b"
check "an empty BUILD is refused" refuses 'BUILD is "", expected one folder' BUILD=
if [ "$(uname -sm)" = "Linux x86_64" ]; then
    check "FAT=1 is refused where it cannot work" refuses_other_machines
    check "variants that there are not are refused" refuses_variants
    check "FAT=1 with SANITIZE=1 is refused" refuses 'FAT=1 and SANITIZE=1 do not go together' FAT=1 SANITIZE=1
    check "a target of one variant beside one of all is refused" refuses 'lab-prepare is made for one variant and all for all: run make twice' FAT=1 lab-prepare all
    check "a wrong RUNGS_ISA is refused" refuses_isa
    rm -rf "$folder/build"
    check "labs are graded in the build of one variant" grades_in_a_variant
else
    skipped=$((skipped + 1))
    echo "skipped FAT=1: this is not x86-64 under Linux"
fi

finish "cli/makefile"
