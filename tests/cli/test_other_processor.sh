#!/bin/sh
# A build on a processor that lacks its instructions: one sentence, not "Illegal instruction". qemu-user stands for other processors.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

# on PROCESSOR: the version, or the sentence; the exit status is in $status.
on() {
    status=0
    timeout 120 qemu-x86_64 -cpu "$1" "$rungs" --version >"$folder/out" 2>"$folder/all" </dev/null || status=$?
    grep -v '^qemu' "$folder/all" >"$folder/err"
}
works_or_says_why_not() {
    on "$1"
    case $status in
    0) [ ! -s "$folder/err" ] && grep -q '^rungs ' "$folder/out" ;;
    1) [ "$(grep -c '' "$folder/err")" = 1 ] && grep -Eq '^rungs: this program was compiled for processors with [A-Z0-9 .-]+, which this one lacks; run make clean and make here' "$folder/err" ;;
    *) false ;;
    esac
}
refuses() { works_or_says_why_not "$1" && [ "$status" = 1 ] && grep -Eq "with $2, which" "$folder/err"; }

instructions=$("$rungs" doctor 2>/dev/null | sed -n 's/^  [a-z]*  *vectors  *//p')
uses=${instructions#*this build uses }
[ "$uses" != "all of it" ] || uses=$instructions
if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null 2>&1; then
    echo "skipped: there is no qemu-x86_64 (apt-get install qemu-user), or this is another kind of processor"
    skipped=1
elif grep -q __asan_init "$rungs"; then
    echo "skipped: a program with AddressSanitizer needs more memory than qemu gives it"
    skipped=1
else
    for processor in core2duo Nehalem SandyBridge Haswell EPYC-Milan; do
        check "$processor" works_or_says_why_not "$processor"
    done
    case $uses in
    *512-bit*)
        check "AVX-512 on Haswell" refuses Haswell AVX-512
        check "AVX-512 on Nehalem" refuses Nehalem AVX
        ;;
    *256-bit*) check "AVX on Nehalem" refuses Nehalem AVX ;;
    esac
fi
check "the doctor names the kind of machine" \
    eval 'printf "%s\n" "$instructions" | grep -Eq "^the processor has (512|256|128)-bit vectors, (no )?VNNI, (no )?bf16, L2 of .*; this build uses "'

finish "cli/other processor"
