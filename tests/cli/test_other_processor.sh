#!/bin/sh
# A build on a processor that lacks its instructions: one sentence, not "Illegal instruction". One for several (make FAT=1, BUILD=build/fat)
# takes the widest variant that runs, and all compute the same. qemu-user stands for other processors.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
unset RUNGS_ISA

# on PROCESSOR COMMAND..: its status in $status, without qemu's own warnings. "here" is this machine itself.
on() {
    where=$1
    shift
    [ "$where" = here ] || set -- qemu-x86_64 -cpu "$where" "$@"
    status=0
    timeout 120 "$@" >"$folder/out" 2>"$folder/all" </dev/null || status=$?
    sed '/^qemu/d' "$folder/all" >"$folder/err"
}
works_or_says_why_not() {
    on "$1" "$rungs" --version
    case $status in
    0) [ ! -s "$folder/err" ] && grep -q '^rungs ' "$folder/out" ;;
    1) [ "$(grep -c '' "$folder/err")" = 1 ] && grep -Eq "^rungs: $lacks" "$folder/err" ;;
    *) false ;;
    esac
}
refuses() { works_or_says_why_not "$1" && [ "$status" = 1 ] && grep -Eq "with $2, which" "$folder/err"; }

# ---- a build for several processors --------------------------------------------------------------------------------------
takes() { on "$1" "$rungs" --version && [ "$status" = 0 ] && [ ! -s "$folder/err" ] && grep -q "($2 of $variants)" "$folder/out"; }
takes_none() { works_or_says_why_not "$1" && [ "$status" = 1 ]; }
# named PROCESSOR NAME: RUNGS_ISA has that name.
named() { RUNGS_ISA=$2 && export RUNGS_ISA && takes "$1" "$2"; }
misnamed() { # PROCESSOR NAME SENTENCE
    RUNGS_ISA=$2 && export RUNGS_ISA
    on "$1" "$rungs" --version
    unset RUNGS_ISA
    [ "$status" = 2 ] && one_sentence "^rungs: RUNGS_ISA is \"$2\", $3, or unset it\$"
}
has_variant() { case ", $variants," in *", $1,"*) ;; *) false ;; esac }
named_here() { (for name in $(echo "$runs_here" | tr -d ,); do named here "$name" || exit 1; done); }

# The accuracy of LeNet on a processor; it must have learnt.
accuracy() {
    on "$1" "$rungs" train lenet --data digits --epochs 2
    [ "$status" = 0 ] && sed -n 's/^test accuracy \([0-9.]*\) .*/\1/p' "$folder/out"
}
learns_as_here() {
    there=$(accuracy "$1") here=$(accuracy here)
    echo "$there $here" | awk '{ exit !(NF == 2 && $1 > 0.8 && $2 > 0.8 && $1 - $2 < 0.02 && $2 - $1 < 0.02) }'
}

# A program that calls the drop-in BLAS; that says how wide its vectors are.
link_caller() {
    cat >"$folder/caller.c" <<'END'
#include <stdio.h>
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
int main(void) {
    static float A[9 * 40], B[40 * 70], C[9 * 70];
    int wrong = 0;
    for (int i = 0; i < 9 * 40; i++) A[i] = i % 7;
    for (int i = 0; i < 40 * 70; i++) B[i] = i % 5;
    cblas_sgemm(101, 111, 111, 9, 70, 40, 1, A, 40, B, 70, 0, C, 70);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 70; j++) {
            float sum = 0;
            for (int k = 0; k < 40; k++) sum += A[i * 40 + k] * B[k * 70 + j];
            wrong += !(C[i * 70 + j] == sum);
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
END
    ${CC:-cc} "$folder/caller.c" "${rungs%/*}/librungs_blas.so" -Wl,-rpath,"${rungs%/*}" -o "$folder/caller" 2>"$folder/err"
}
multiplies() { # PROCESSOR BITS
    RUNGS_BLAS_VERBOSE=1 on "$1" "$folder/caller"
    [ "$status" = 0 ] && grep -q '^0 wrong$' "$folder/out" && grep -q "vectors of $2 bits" "$folder/err"
}
multiplies_misnamed() {
    RUNGS_ISA=v99 on here "$folder/caller"
    [ "$status" = 0 ] && grep -q '^0 wrong$' "$folder/out" && [ "$(grep -c '' "$folder/err")" = 1 ] &&
        grep -q '^librungs_blas: RUNGS_ISA is "v99", which is no variant' "$folder/err"
}

# -----------------------------------------------------------------------------------------------------------------------
variants=$("$rungs" --version 2>/dev/null | sed -n 's/.* of \(.*\))$/\1/p')
lacks='this program was compiled for processors with [A-Z0-9 .-]+, which this one lacks; run make clean and make here'
[ -z "$variants" ] || lacks="this processor runs none of the variants that are here \\($variants\\): run make, which compiles for it\$"
instructions=$("$rungs" doctor 2>/dev/null | sed -n 's/^  [a-z]*  *vectors  *//p')
uses=${instructions#*this build uses }
[ "$uses" != "all of it" ] || uses=$instructions
if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null 2>&1; then
    echo "skipped: there is no qemu-x86_64 (./setup.sh --dev installs it), or this is another kind of processor"
    skipped=1
elif grep -q __asan_init "$rungs"; then
    echo "skipped: a program with AddressSanitizer needs more memory than qemu gives it"
    skipped=1
else
    for processor in core2duo Nehalem SandyBridge Haswell EPYC-Milan; do
        check "$processor" works_or_says_why_not "$processor"
    done
    case $variants:$uses in
    :*512-bit*)
        check "AVX-512 on Haswell" refuses Haswell AVX-512
        check "AVX-512 on Nehalem" refuses Nehalem AVX
        ;;
    :*256-bit*) check "AVX on Nehalem" refuses Nehalem AVX ;;
    "v2, v3"*)
        link_caller
        check "a program with the drop-in BLAS" test -x "$folder/caller"
        check "no variant for core2duo" takes_none core2duo
        check "SandyBridge, which has AVX without AVX2, takes v2" takes SandyBridge v2
        for pair in Nehalem:v2:128 Haswell:v3:256; do
            processor=${pair%%:*} bits=${pair##*:} name=${pair#*:} && name=${name%:*}
            check "$processor takes $name" takes "$processor" "$name"
            check "LeNet on $processor" learns_as_here "$processor"
            check "the drop-in BLAS on $processor" multiplies "$processor" "$bits"
        done
        check "RUNGS_ISA=v2 on Haswell" eval '(named Haswell v2)'
        check "RUNGS_ISA=v3 on Nehalem" misnamed Nehalem v3 'which this processor cannot run; expected one of v2'
        if has_variant v4; then
            check "RUNGS_ISA=v4 on Haswell" misnamed Haswell v4 'which this processor cannot run; expected one of v2, v3'
        else
            check "RUNGS_ISA=v4 where there is none" misnamed Haswell v4 'which is no variant of this build; expected one of v2, v3'
        fi
        ;;
    esac
fi
if [ -n "$variants" ]; then
    RUNGS_ISA=none && export RUNGS_ISA
    runs_here=$("$rungs" --version 2>&1 | sed -n 's/.* expected one of \(.*\), or unset it$/\1/p')
    unset RUNGS_ISA
    check "some run here" test -n "$runs_here"
    check "a name that is none" misnamed here v99 "which is no variant of this build; expected one of $runs_here"
    check "each that runs here can be named" named_here
    check "the widest is taken" takes here "${runs_here##* }"
    check "an empty name is none" eval '(RUNGS_ISA= && export RUNGS_ISA && takes here "${runs_here##* }")'
    [ ! -x "$folder/caller" ] || check "a library says what is wrong with a name, and works" multiplies_misnamed
fi
check "the doctor names the variant" eval '"$rungs" doctor | grep -Eq "^  ok  *variant  *[a-z0-9-]+( of $variants|)"'
check "the doctor names the kind of machine" \
    eval 'printf "%s\n" "$instructions" | grep -Eq "^the processor has (512|256|128)-bit vectors, (no )?VNNI, (no )?bf16, L2 of .*; this build uses "'

finish "cli/other processor"
