#!/bin/sh
# mpi4py's tests of collectives accept our drop-in library (tools/mpi_test.sh), and reject it with broken rungs. Nothing is fetched for
# this: `make mpi-test` does that, and runs more of them.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
export DOWNLOAD=0 MODULES=test_cco_buf RANKS=3

# A stand-in for Python with mpi4py's tests: the module test_cco_buf, under the name that $folder/name holds, has 7 tests.
mkdir "$folder/test"
touch "$folder/test/runtests.py"
cat >"$folder/python" <<'END'
#!/bin/sh
case $* in
*print*) echo 4.1.2 ;;
*runtests.py*)
    while [ "$1" != -i ]; do shift; done
    if grep -Eq -e "$2" "${0%/*}/name"; then n=7; else n=0; fi
    printf 'Ran %s tests in 0.1s\n\nOK\n' "$n" >&2
    ;;
esac
END
chmod +x "$folder/python"
with_stand_in() { # STATUS MODULE-AS-IT-IS-NAMED LAST-LINES
    echo "$2" >"$folder/name"
    status=0
    RANKS=1 PYTHON="$folder/python" MPI4PY_TESTS="$folder/test" sh tools/mpi_test.sh "$build/librungs_mpi.so" \
        >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = "$1" ] && grep -Eq -e "$3" "$folder/out"
}
if [ -e "$build/librungs_mpi.so" ] && ! grep -q __asan_init "$build/librungs_mpi.so"; then
    check "modules are named so until 4.0" with_stand_in 0 test_cco_buf '^mpi4py: 7 passed, 0 failed'
    check "and so from 4.1 on" with_stand_in 0 test_cco_buf.py '^mpi4py: 7 passed, 0 failed'
    check "0 tests are a failure" with_stand_in 1 test_cco_buffer.py '^mpi4py: no test ran: .* has no module named like one of: test_cco_buf;'
    check "and counted" with_stand_in 1 test_cco_buffer.py '^mpi4py: 0 passed, 1 failed, 0 skipped$'
fi

status=0
sh tools/mpi_test.sh "$build/librungs_mpi.so" >"$folder/out" 2>"$folder/err" || status=$?
accepted() { [ "$status" = 0 ]; }
# A test that fails on some ranks leaves the others in calls that nobody else makes: the run may have to be stopped.
are_rejected() {
    TEST_TIMEOUT=30 sh tools/mpi_test.sh "$build/tests/mpi/librungs_mpi_wrong.so" >"$folder/out" 2>"$folder/err" && return 1
    grep -Eq '^mpi4py: .* [1-9][0-9]* failed' "$folder/out"
}

if grep '^mpi4py: skipped: ' "$folder/out" >"$folder/reason"; then
    sed 's/^mpi4py: skipped: /skipped /' "$folder/reason"
    skipped=$((skipped + 1))
else
    check "mpi4py's tests accept the drop-in library" accepted
    check "they reject broken rungs" are_rejected
fi
finish "mpi/mpi4py"
