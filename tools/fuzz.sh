#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs fuzz targets:
#   sh tools/fuzz.sh probe CLANG                       can this compiler build them? If not: what to install
#   sh tools/fuzz.sh run BUILD SECONDS NAME..          each BUILD/tests/fuzz/fuzz_NAME for SECONDS, one line each
# New inputs are kept in BUILD/corpus/NAME, what broke a reader in BUILD/findings/NAME. Exit status 1 if anything did.
set -u

probe() {
    [ -n "$(command -v "$1")" ] || {
        echo "fuzz: $1 was not found; install it: apt-get install clang (Debian, Ubuntu), dnf install clang compiler-rt (Fedora)" >&2
        return 1
    }
    folder=$(mktemp -d) || return 1
    printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
        'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { (void)data; (void)size; return 0; }' >"$folder/probe.c"
    status=0
    "$1" -fsanitize=fuzzer,address,undefined "$folder/probe.c" -o "$folder/probe" >"$folder/log" 2>&1 || status=1
    if [ $status -ne 0 ]; then
        sed 's/^/    /' "$folder/log" >&2
        major=$("$1" -dumpversion 2>/dev/null | cut -d. -f1)
        echo "fuzz: $1 has no libFuzzer; install its runtime: apt-get install libclang-rt-${major:-14}-dev (Debian, Ubuntu)," \
            "dnf install compiler-rt (Fedora)" >&2
    fi
    rm -r "$folder"
    return $status
}

# run_target BUILD SECONDS NAME
run_target() {
    corpus=$1/corpus/$3 findings=$1/findings/$3 log=$1/$3.log seeds=tests/fuzz/corpus/$3
    mkdir -p "$corpus" "$findings"
    [ -d "$seeds" ] || seeds=
    status=0
    # Leaks are looked for, an input may take 10 s and 2 GiB; longer inputs find nothing that shorter ones do not.
    # shellcheck disable=SC2086
    "$1/tests/fuzz/fuzz_$3" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
        -artifact_prefix="$findings/" "$corpus" $seeds >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ $status -eq 0 ] && [ -n "$runs" ]; then
        echo "fuzz: $3: $2 s, $runs runs, ${edges:-0} edges, no findings"
        return 0
    fi
    tail -n 40 "$log" | sed 's/^/    /'
    echo "fuzz: $3: broken (status $status); the input lies in $findings, the report is $log; again: $1/tests/fuzz/fuzz_$3 FILE"
    return 1
}

case ${1:-} in
probe)
    probe "$2" || exit 1
    ;;
run)
    build=$2 seconds=$3 failed=0
    case $seconds in
    '' | *[!0-9]*)
        echo "fuzz: SECONDS is \"$seconds\", expected a whole number" >&2
        exit 2
        ;;
    esac
    shift 3
    for name in "$@"; do
        run_target "$build" "$seconds" "$name" || failed=1
    done
    exit $failed
    ;;
*)
    echo "usage: fuzz.sh probe CLANG | fuzz.sh run BUILD SECONDS NAME.." >&2
    exit 2
    ;;
esac
