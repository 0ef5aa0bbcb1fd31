#!/bin/sh
# SPDX-License-Identifier: MIT
# Can the tests fail? The harness against tests/core/failing.c, the runner against programs that lie.
set -u
build=${BUILD:-build}
failing=$build/tests/core/failing
folder=$(mktemp -d "${TMPDIR:-/tmp}/rungs-harness-XXXXXX")
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0

# expect WHAT STATUS TEXT: the last command ended with STATUS and wrote TEXT (an extended regular expression) to $folder/out.
expect() {
    if [ "$status" -eq "$2" ] && grep -Eq -e "$3" "$folder/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $1: status $status (expected $2), output (expected $3):"
        sed 's/^/    /' "$folder/out"
    fi
}

try() {
    status=0
    "$@" >"$folder/out" 2>&1 || status=$?
}

# ---- tests/testing.c
try "$failing" passes
expect "a test that passes" 0 '^failing: 1 passed, 0 failed, 0 skipped$'
try "$failing" asserts_wrongly
expect "a test that fails" 1 '^failing: 0 passed, 1 failed, 0 skipped$'
expect "file and line of a failure" 1 '^FAILED asserts_wrongly: tests/core/failing.c:[0-9]+: .*1 == 2'
try "$failing" fails_in_a_row
expect "what the test looked at" 1 '^FAILED fails_in_a_row \(row 1\): tests/core/failing.c:'
try "$failing" accepts_what_should_be_refused
expect "what was not refused" 1 '^FAILED .*: true was not refused with "words"$'
try "$failing" refuses_in_other_words
expect "another sentence" 1 '^FAILED .*"a sentence" does not say "words"$'
for test in refuses_without_a_word refuses_after_an_old_sentence; do
    try "$failing" $test
    expect "$test" 1 "^FAILED $test: .*\"\" does not say"
done
try "$failing" is_refused
expect "what was refused, and why" 1 '^FAILED is_refused: .*: the reason$'
try "$failing" does_not_end
expect "what should have ended" 1 '^FAILED does_not_end: .* ended with status 77, not 1'
try "$failing" crashes
expect "a test that crashes" 1 '^FAILED crashes: .*(signal 11|Early exit)'
try "$failing" exits_early
expect "a test that calls exit(0)" 1 '^FAILED exits_early: .*before the end of the test'
try "$failing" exits_early_quietly
expect "a test that calls _exit(0)" 1 '^failing: 0 passed, 1 failed, 0 skipped$'
try "$failing" skips
expect "a test that is skipped" 0 '^failing: 0 passed, 0 failed, 1 skipped$'
expect "the reason" 0 '^skipped skips: because 7$'
for test in meets_exercise meets_exercise_in_a_child; do
    try "$failing" $test
    expect "$test: an exercise of the labs that is not solved yet" 0 "^skipped $test: exercise 01.1 is not solved yet: tests/core/failing.c:"
done
try "$failing" exits_erly
expect "a test that there is not" 1 '^failing: no test was run: CK_RUN_CASE=exits_erly'
expect "is a failure" 1 '^failing: 0 passed, 1 failed, 0 skipped$'
try "$failing" compares_nan
expect "NaN where a number should be" 1 '^FAILED compares_nan: .*1 of 3 wrong, first \[1\]'
try "$failing" compares_equal
expect "numbers within the tolerance" 0 '1 passed, 0 failed'
try env CK_DEFAULT_TIMEOUT=1 "$failing" hangs
expect "a test that hangs" 1 '^FAILED hangs: .*[Tt]imeout'
try env CK_DEFAULT_TIMEOUT=5 "$failing" # of which those that do not hang need little, also under sanitizers on a busy machine
expect "all of them: one failure does not stop the rest" 1 '^failing: [23] passed, 1[34] failed, 3 skipped$'

if nm "$failing" 2>/dev/null | grep -q __lsan; then
    try "$failing" leaks
    expect "a leak under AddressSanitizer" 1 '^failing: 0 passed, 1 failed, 0 skipped$'
    try "$failing" leaks_mpi
    expect "a leak of an MPI test" 1 'leaked in 1 allocation'
    expect "only that leak" 1 'SUMMARY: AddressSanitizer: 1000 byte'
else
    skipped=$((skipped + 3))
    echo "skipped leaks are seen only under AddressSanitizer: make sanitize"
fi

# ---- tools/run_tests.sh
# fake NAME LINE..: a program of that name with these lines.
fake() {
    {
        echo '#!/bin/sh'
        printf '%s\n' "$2"
    } >"$folder/tests/$1"
    chmod +x "$folder/tests/$1"
}
run_tests() {
    list=
    for name in "$@"; do
        list="$list $folder/tests/$name"
    done
    # shellcheck disable=SC2086
    try env BUILD="$folder" MPI="${mpi:-0}" ONLY="${only:-fake}" TEST_TIMEOUT="${limit:-60}" VERBOSE= sh tools/run_tests.sh $list
}
mkdir -p "$folder/tests"
fake fake_good 'echo "good: 3 passed, 0 failed, 2 skipped"'
fake fake_bad 'echo "the reason"; echo "bad: 1 passed, 2 failed, 0 skipped"; exit 1'
fake fake_silent 'exit 0'
fake fake_crash 'echo "crash: 3 passed, 0 failed, 0 skipped"; kill -SEGV $$'
fake fake_liar 'echo "liar: 1 passed, 1 failed, 0 skipped"; exit 0'
fake fake_hang 'sleep 60'
fake fake_checker "echo 'LeakSanitizer has encountered a fatal error.'; echo 'checker: 1 passed, 0 failed, 0 skipped'
    echo x >>'$folder/attempts'; [ \$(wc -l <'$folder/attempts') -eq \$(cat '$folder/wanted') ]"
fake fake_ranks_mpi 'echo "ranks: 1 passed, 0 failed, 0 skipped"'

run_tests fake_good
expect "a program whose tests pass" 0 '^3 passed, 0 failed, 2 skipped$'
run_tests fake_good fake_bad
expect "sums and status" 1 '^4 passed, 2 failed, 2 skipped$'
expect "the output of a failure is shown" 1 'the reason'
run_tests fake_silent
expect "a program without a summary" 1 '^0 passed, 1 failed, 0 skipped$'
run_tests fake_crash
expect "a program that crashes behind its summary" 1 '^3 passed, 1 failed, 0 skipped$'
run_tests fake_liar
expect "failures with status 0" 1 '^1 passed, 2 failed, 0 skipped$'
limit=2 run_tests fake_hang
expect "a program that hangs" 1 'stopped after 2 s'
for wanted in "3 0" "4 1"; do
    rm -f "$folder/attempts"
    echo "${wanted% *}" >"$folder/wanted"
    run_tests fake_checker
    expect "a leak checker that crashes, asked three times, and well at time ${wanted% *}" "${wanted#* }" '^1 passed, '
done
run_tests fake_absent
expect "a program that does not exist" 1 '^0 passed, 1 failed, 0 skipped$'
run_tests fake_ranks_mpi
expect "without MPI its programs are skipped" 0 '^0 passed, 0 failed, 1 skipped$'
only=no_such_name run_tests fake_good
expect "a name that nothing has" 1 '^0 passed, 1 failed, 0 skipped$'

# Scripts in a tree of their own: two wait for each other to begin, and one of these fails; one must find nothing else running; one is
# for the second half of `make test-all`.
mkdir -p "$folder/tree/tools" "$folder/tree/tests/a" "$folder/tree/tests/b"
cp tools/run_tests.sh "$folder/tree/tools/"
for name in a/test_first b/test_second; do
    {
        printf '#!/bin/sh\ntouch %s/begun_%s\nother=0\n' "$folder" "${name##*/}"
        printf 'for _ in $(seq 100); do [ $(ls %s/begun_* | wc -l) -lt 2 ] || { other=1; break; }; sleep 0.1; done\n' "$folder"
        [ $name = a/test_first ] || printf 'echo "the second one"\nother=0\n'
        printf 'sleep 1\ntouch %s/ended_%s\n' "$folder" "${name##*/}"
        printf 'echo "%s: $other passed, $((1 - other)) failed, 0 skipped"\n[ $other = 1 ]\n' "$name"
    } >"$folder/tree/tests/$name.sh"
done
cat >"$folder/tree/tests/a/test_alone.sh" <<END
#!/bin/sh
# Alone: it must find that both have ended.
quiet=\$(ls $folder/ended_* | wc -l)
echo "alone: \$((quiet / 2)) passed, \$((1 - quiet / 2)) failed, 0 skipped"
END
printf '#!/bin/sh\n# Thorough: not now.\necho "thorough: 7 passed, 0 failed, 0 skipped"\n' >"$folder/tree/tests/b/test_thorough.sh"
chmod +x "$folder/tree/tests/"*/*.sh
try sh -c 'cd "$0" && env BUILD=build ONLY= TEST_LANES=3 sh tools/run_tests.sh' "$folder/tree"
expect "scripts that run beside each other" 1 '^ok  *a/test_first.sh  *1 passed, 0 failed, 0 skipped'
expect "the failure of one" 1 '^FAILED b/test_second.sh  *0 passed, 1 failed, 0 skipped'
expect "its output" 1 '^  *the second one$'
expect "one that runs alone" 1 '^ok  *a/test_alone.sh  *1 passed, 0 failed, 0 skipped'
expect "and the sum, without what is thorough" 1 '^2 passed, 1 failed, 0 skipped$'
try sh -c 'cd "$0" && env BUILD=build ONLY= RUNGS_TEST_ALL=1 sh tools/run_tests.sh' "$folder/tree"
expect "what is thorough, and nothing else" 0 '^7 passed, 0 failed, 0 skipped$'

# ---- a rank that fails
if [ "${MPI:-0}" = 1 ] && command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    try timeout 60 sh tools/mpirun.sh 3 "$failing" rank 2
    expect "the message of a rank, and the end of the others" "$status" \
        '^rungs: rank 2: tests/core/failing.c:[0-9]+: process_rank\(\) != atoi\(argv\[2\]\): this rank fails on purpose$'
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || failed=$((failed + 1))
    if nm "$failing" 2>/dev/null | grep -q __lsan; then
        try env ASAN_OPTIONS=fast_unwind_on_malloc=0 sh tools/mpirun.sh 2 "$failing" leaks_mpi
        expect "a leak of one of two ranks" 1 'SUMMARY: AddressSanitizer: 1000 byte'
    fi
    try sh tools/mpirun.sh 2 sh -c 'exit 0'
    expect "mpirun.sh says how many" 0 '^mpirun: 2 ranks x [0-9]+ threads on [0-9]+ cores$'
else
    skipped=$((skipped + 2))
    echo "skipped a failing rank: there is no MPI here"
fi

echo "harness: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
