#!/bin/sh
# `make blas-test`: the reference's BLAS test programs on our drop-in library.   sh tools/blas_test.sh LIBRARY
#
# The programs are Debian's package libblas-test: level 1, 2 and 3 in single precision, called from Fortran and from C. They test
# results and, where there are any, the reports of illegal arguments. LIBRARY is preloaded; routines that it does not have come from
# the reference. Only ours are tested, with the inputs of the package and with larger sizes, gemm with each of its rungs.
#
#   BLAS_TESTS=DIR   where the programs lie, if not in /usr/lib/*/blas
#
# Ends with "blas: N passed, N failed, N skipped"; exit status 1 if anything failed.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
case ${1:?usage: blas_test.sh LIBRARY} in /*) library=$1 ;; *) library=$PWD/$1 ;; esac
passed=0 failed=0

skip() {
    echo "blas: skipped: $1"
    echo "blas: 0 passed, 0 failed, 1 skipped"
    exit 0
}

tests=
for folder in ${BLAS_TESTS:-/usr/lib/*/blas /usr/lib64/blas}; do
    [ ! -x "$folder/xscblat3" ] || [ ! -e "$folder/libblas.so.3" ] || tests=$folder
done
[ -n "$tests" ] || skip "the reference's BLAS and its test programs are not here: apt-get install libblas3 libblas-test (Debian, Ubuntu)"
! grep -q __asan_init "$library" || skip "a library with AddressSanitizer cannot be loaded into foreign programs"
# Those for C want a variable that only the reference's BLAS has (cpu/blas/illegal.c): so that one has the rest of the routines.
export LD_LIBRARY_PATH="$tests${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export RUNGS_BLAS_VERBOSE=1
unset RUNGS_GEMM
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
rungs=$(sed -n 's/^ *{"\([a-z_]*\)", gemm_.*/\1/p' cpu/gemm/choose.c)

# judge TEXT: counts the last run, whose output is in $folder/out and stderr in $folder/err. Each line of $folder/want must be found
# in the output; a line of stars is a failure, whatever else stands there.
judge() {
    verdict=ok
    grep -q '^librungs_blas: rung ' "$folder/err" || verdict='FAILED: the library was not called'
    while IFS= read -r line; do
        grep -Eq "$line" "$folder/out" || verdict="FAILED: did not say \"$line\""
    done <"$folder/want"
    ! grep -q '\*\*\*\*\*' "$folder/out" || verdict='FAILED: wrong results'
    if [ "$verdict" = ok ]; then
        passed=$((passed + 1))
        verdict="ok$(awk '/ CALLS\)/ { sub(/.*\( */, ""); sum += $1 } END { if (sum) print ", " sum " calls" }' "$folder/out")"
    else
        failed=$((failed + 1))
        grep -Eh '\*\*\*\*\*|FAIL' "$folder/out" "$folder/err" | head -n 5 | sed 's/^/    /'
    fi
    printf '%-56s %s\n' "$1" "$verdict"
}

# program NAME: runs it with $folder/in and $LD_PRELOAD set for it alone. It may write to stdout, or to a file in its folder.
program() {
    rm -f "$folder"/*.out
    (cd "$folder" && LD_PRELOAD=$library timeout 300 "$tests/$1" <in >out 2>err; cat ./*.out >>out 2>/dev/null)
}

# level1 PROGRAM PREFIX: these programs ask nothing. Tests that are not ours are not judged.
level1() {
    : >"$folder/in"
    program "$1"
    awk '/Test of subprogram/ { name = $NF } /PASS/ { print name " passed" }' "$folder/out" >"$folder/names"
    mv "$folder/names" "$folder/out"
    printf '%s\n' "^${2}SDOT passed" "^${2}SAXPY passed" >"$folder/want"
    judge "$1: ${2}SDOT ${2}SAXPY"
}

# higher PROGRAM INPUT ROUTINE NOTE [SIZES]: the input without the other routines, perhaps with these values of N.
higher() {
    awk -v keep="$3" -v sizes="${5:-}" '
        /T PUT F FOR NO TEST/ && $1 != keep { next }
        sizes != "" && /NUMBER OF VALUES OF N$/ { print split(sizes, parts, " "), "NUMBER OF VALUES OF N"; next }
        sizes != "" && / VALUES OF N$/ { print sizes, "VALUES OF N"; next }
        { print }' "$tests/$2" >"$folder/in"
    {
        echo "^ *$3 +PASSED THE TESTS OF ERROR-EXITS"
        [ -z "${5:-}" ] || echo "FOR N .* ${5##* }\$"
        case $1 in
        *cblat*) printf "^ *$3 +PASSED THE %s-MAJOR +COMPUTATIONAL TESTS\n" COLUMN ROW ;;
        *) echo "^ *$3 +PASSED THE COMPUTATIONAL TESTS" ;;
        esac
    } >"$folder/want"
    program "$1"
    judge "$1: $3, $4"
}

level1 xblat1s ''
level1 xscblat1 CBLAS_
larger='0 1 2 7 13 31 33 64 65' # 9 values up to 65 is what the programs take
higher xblat2s sblat2.in SGEMV "sizes as shipped"
higher xscblat2 sin2 cblas_sgemv "sizes as shipped"
higher xblat2s sblat2.in SGEMV "sizes to 65" "$larger"
higher xscblat2 sin2 cblas_sgemv "sizes to 65" "$larger"
for RUNGS_GEMM in $rungs; do
    export RUNGS_GEMM
    higher xblat3s sblat3.in SGEMM "rung $RUNGS_GEMM"
    higher xscblat3 sin3 cblas_sgemm "rung $RUNGS_GEMM"
    higher xblat3s sblat3.in SGEMM "rung $RUNGS_GEMM, sizes to 65" "$larger"
    higher xscblat3 sin3 cblas_sgemm "rung $RUNGS_GEMM, sizes to 65" "$larger"
done
echo "blas: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
