#!/bin/sh
# `make mpi-test`: mpi4py's own tests of collectives on our drop-in library, on 1 to 4 ranks.   sh tools/mpi_test.sh LIBRARY
#
# mpi4py is the MPI of Python (Debian: python3-mpi4py); its tests compare every routine, type and operation with what is right. They are
# not in that package: they are fetched with pip, the version that is installed, unless they are here.
#
#   MPI4PY_TESTS=DIR     where its test/ lies, if not in build/
#   DOWNLOAD=0           fetch nothing
#   RANKS="1 2 3 4"  MODULES="test_cco_buf .."   what is run
#   RUNGS_ALLREDUCE=..   as for every program
#
# A test that fails without our library, too, counts as skipped. Ends with "mpi4py: N passed, N failed, N skipped"; exit status 1 if
# anything failed.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 1
case ${1:?usage: mpi_test.sh LIBRARY} in /*) library=$1 ;; *) library=$PWD/$1 ;; esac
modules=${MODULES:-test_cco_buf test_cco_vec test_cco_obj test_cco_obj_inter test_cco_nb_buf test_attributes test_comm test_comm_topo}
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores
passed=0 failed=0 skipped=0 none=

skip() {
    echo "mpi4py: skipped: $1"
    echo "mpi4py: 0 passed, 0 failed, 1 skipped"
    exit 0
}

[ -e "$library" ] || skip "this build has no $1 (MPI=0, or there is no MPI)"
! grep -q __asan_init "$library" || skip "a library with AddressSanitizer cannot be loaded into foreign programs"
python=
for candidate in ${PYTHON:-} /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c 'import mpi4py' >/dev/null 2>&1 || python=$candidate
done
[ -n "$python" ] || skip "there is no mpi4py: apt-get install python3-mpi4py (Debian, Ubuntu)"
version=$("$python" -c 'import mpi4py; print(mpi4py.__version__)')
sources=$PWD/build/mpi4py-$version
tests=${MPI4PY_TESTS:-$sources/test}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

if [ ! -e "$tests/runtests.py" ] && [ -z "${MPI4PY_TESTS:-}" ] && [ "${DOWNLOAD:-1}" = 1 ]; then
    # Only mpi4py itself from its source: what pip builds that with (Cython) would take minutes.
    timeout 600 python3 -m pip download --quiet --no-deps --no-binary mpi4py --dest "$folder" "mpi4py==$version" >"$folder/log" 2>&1 &&
        tar xf "$folder/mpi4py-$version.tar.gz" -C "$folder" && mkdir -p "$sources" &&
        mv "$folder/mpi4py-$version/test" "$tests"
fi
[ -e "$tests/runtests.py" ] || skip "mpi4py's tests are not in $tests: pip download could not fetch them, or was not asked to"

# Modules are chosen by a pattern of names, which runtests.py of mpi4py 4.0 and before matches against test_comm, later versions against
# test_comm.py.
#
# run RANKS LIBRARY MODULE..: output of all ranks in $folder/log, the names of tests that failed on any of them in $folder/names.
run() {
    ranks=$1 preload=$2
    shift 2
    status=0
    timeout "${TEST_TIMEOUT:-300}" sh tools/mpirun.sh "$ranks" env RUNGS_MPI_VERBOSE=1 LD_PRELOAD="$preload" \
        "$python" "$tests/runtests.py" --no-builddir -q -i "^($(printf '%s|' "$@")none)(\.py)?\$" >"$folder/log" 2>&1 || status=$?
    sed -n 's/^\(FAIL\|ERROR\): //p' "$folder/log" | sort -u >"$folder/names"
    all=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' "$folder/log" | sort -n | tail -n 1)
    [ "$status" = 0 ] || [ -s "$folder/names" ] || echo "the run, which ended with status $status" >"$folder/names"
    [ "${all:-none} $status" != "none 0" ] && [ "$all" != 0 ] || none=1 # ended well without tests, or says that none ran
}

# A run of no tests would accept any library.
check_that_some_ran() {
    [ -n "$none" ] || return 0
    tail -n 5 "$folder/log" | sed 's/^/    /'
    echo "mpi4py: no test ran: $tests/runtests.py of mpi4py $version has no module named like one of: $modules; give others in MODULES"
    echo "mpi4py: 0 passed, 1 failed, 0 skipped"
    exit 1
}

judge() { # RANKS
    # shellcheck disable=SC2086
    run "$1" "$library" $modules
    check_that_some_ran
    ended=$status ran=$all
    mv "$folder/names" "$folder/ours"
    mv "$folder/log" "$folder/ours.log"
    : >"$folder/names"
    # shellcheck disable=SC2086
    [ ! -s "$folder/ours" ] || run "$1" "" $modules
    left_out=$(sed -n 's/.*(.*skipped=\([0-9]*\).*)$/\1/p' "$folder/ours.log" | sort -n | tail -n 1)
    both=$(comm -12 "$folder/ours" "$folder/names" | wc -l)
    f=$(comm -23 "$folder/ours" "$folder/names" | wc -l)
    if [ "$1" -gt 1 ] && [ "$ended" = 0 ] && ! grep -q '^librungs_mpi: rank 0: .* [1-9][0-9]* taken over' "$folder/ours.log"; then
        f=$((f + 1))
        echo "    the library took nothing over"
    fi
    s=$((${left_out:-0} + both)) p=$((${ran:-0} - ${left_out:-0} - both - f))
    [ "$p" -ge 0 ] || p=0
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    echo "mpi4py $version on $1 ranks: $p passed, $f failed, $s skipped"
    comm -23 "$folder/ours" "$folder/names" | head -n 8 | sed 's/^/    failed: /'
    comm -12 "$folder/ours" "$folder/names" | head -n 8 | sed 's/^/    skipped, fails without our library, too: /'
    sed -n 's/^librungs_mpi: rank 0: /    /p' "$folder/ours.log"
}

for ranks in ${RANKS:-1 2 3 4}; do
    judge "$ranks"
done
echo "mpi4py: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
