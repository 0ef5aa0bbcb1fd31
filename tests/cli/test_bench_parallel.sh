#!/bin/sh
# `rungs bench parallel`: what it prints and writes, which calls it refuses, its peer; No speed is
# tested; a wrong plan is met in tests/mpi/test_bench_parallel_mpi.c.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
# What is fitted is printed, not judged; every run fits anew.
export RUNGS_FIT_SECONDS=0.05

# ranks STATUS P ARGUMENT..: rungs bench parallel on P ranks. What the launcher itself says is left out.
ranks() {
    expected=$1 p=$2
    shift 2
    status=0
    timeout 120 sh tools/mpirun.sh "$p" "$rungs" bench parallel "$@" >"$folder/out" 2>"$folder/all" </dev/null || status=$?
    grep '^rungs' "$folder/all" >"$folder/err" || : >"$folder/err"
    [ "$status" = "$expected" ]
}
quick() {
    quick_p=$1
    shift
    ranks 0 "$quick_p" "$@" --threads 1 --batch 3 --rounds 1
}
# refused_by_two STATUS TEXT ARGUMENT..: two ranks say one sentence, before anything is measured.
refused_by_two() {
    wanted=$1 hint=$2
    shift 2
    ranks "$wanted" 2 "$@" && one_sentence "$hint"
}
# refused STATUS TEXT ARGUMENT..: one rank does, without a launcher.
refused() {
    wanted=$1 hint=$2
    shift 2
    command_words=
    call "$wanted" bench parallel "$@" && one_sentence "$hint"
}

if [ ! -x "$rungs" ] || [ "${MPI:-1}" = 0 ] || "$rungs" bench allreduce --help 2>&1 | grep -q 'without MPI'; then
    without() { command_words="bench parallel" && call 1 lenet && [ ! -s "$folder/out" ] && grep -q 'this build is without MPI' "$folder/err"; }
    check "without MPI there is a sentence" without
    finish "cli/bench_parallel"
    exit
fi
if ! command -v mpirun >/dev/null 2>&1; then
    echo "skipped all: mpirun was not found"
    echo "cli/bench_parallel: 0 passed, 0 failed, 1 skipped"
    exit 0
fi

# A row for each plan and one for its sums, all right.
has_rows() {
    quick "$1" lenet --collectives ring,mpi --csv "$folder/t.csv" --json "$folder/t.json" || return 1
    for plan in naive fused wfbp ddp greedy optimal; do
        for with in ring mpi; do
            grep -q "^  $plan:$with  *[0-9]" "$folder/out" && grep -q "^  $plan:$with:sums  *[0-9]" "$folder/out" || return 1
        done
    done
    grep -q '^  alone  *[0-9]' "$folder/out" && grep -q '^  apart  *[0-9]' "$folder/out" && ! grep -q WRONG "$folder/out"
}
# What is in a column, of a row: field ROW COLUMN FILE. The network's name holds a comma, and stands in quotes.
field() {
    sed 's/"[^"]*"/quoted/g' "$3" | awk -F, -v row="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; n = NF; next }
        NF != n { exit 1 } $column["rung"] == row { print $column[name] }'
}
has() { [ "$(field "$1" "$2" "${4:-$folder/t.csv}")" = "$3" ]; }
# A network too noisy to fit is not predicted at all.
writes_csv() {
    [ "$(wc -l <"$folder/t.csv")" = 27 ] && has naive:ring buckets 10 && has fused:ring buckets 1 && has wfbp:ring buckets 5 &&
        has fused:ring parameters 61706 && has fused:ring ranks "$1" && has fused:ring kind rung && has alone kind reference &&
        [ "$(field naive:ring times_naive "$folder/t.csv")" ] && [ "$(field naive:ring sums "$folder/t.csv")" = "$(field naive:ring:sums seconds "$folder/t.csv")" ] &&
        { [ "$(field ddp:ring seconds_predicted "$folder/t.csv")" ] || grep -q 'too noisy: samples' "$folder/out"; }
}
writes_json() {
    [ "$(grep -c '"buckets"' "$folder/t.json")" = 26 ] && grep -q "\"ranks\":.\"$1\"" "$folder/t.json" && [ "$(grep -c '"samples":.\[' "$folder/t.json")" = 26 ] || return 1
    ! command -v python3 >/dev/null 2>&1 || python3 -m json.tool "$folder/t.json" >/dev/null
}
for p in ${MPI_RANKS:-3}; do
    [ "$p" -gt 1 ] || continue
    check "$p ranks: a row for each plan, none wrong" has_rows $p
    check "$p ranks: --csv has a row for each of them" writes_csv $p
    check "$p ranks: --json holds every sample" writes_json $p
done

shapes() {
    quick 2 mlp --inputs 7 --hidden 13,5 --classes 3 --overlaps wfbp,naive --csv "$folder/m.csv" && grep -q '7-13-5-3, ReLU' "$folder/out" &&
        has wfbp:ring buckets 3 "$folder/m.csv" && has naive:ring buckets 6 "$folder/m.csv" && has naive:ring parameters 192 "$folder/m.csv"
}
# Closed by each tensor of 1 byte or more: as many buckets as tensors.
buckets() {
    quick 2 mlp --inputs 7 --hidden 13,5 --classes 3 --overlaps ddp --bucket 1 --first-bucket 1 --csv "$folder/m.csv" &&
        has ddp:ring buckets 6 "$folder/m.csv"
}
nodes() { quick 3 lenet --overlaps fused --ranks-per-node 2 && grep -q 'ranks 3, nodes 2' "$folder/out"; }
alone_without_launcher() {
    command_words="bench parallel"
    call 0 lenet --overlaps fused --batch 2 --rounds 1 && grep -q 'tools/mpirun.sh 2 build/rungs bench parallel lenet' "$folder/out"
}
helps() {
    command_words="bench parallel"
    call 0 --help && grep -q -e '--overlaps LIST' "$folder/out" && grep -q 'naive,fused,wfbp,ddp,greedy,optimal' "$folder/out"
}
is_listed() { command_words=bench && call 0 --help && grep -q '^  rungs bench parallel ' "$folder/out"; }
# A network too noisy to fit is drawn as measured.
draws() {
    quick 2 lenet --overlaps fused,wfbp --timeline-svg "$folder/t.svg" && grep -q '<svg' "$folder/t.svg" && grep -q 'measured' "$folder/t.svg" &&
        grep -q 'wfbp:ring' "$folder/t.svg" && { grep -q 'predicted' "$folder/t.svg" || grep -q 'noisy' "$folder/out"; }
}
check "a perceptron has the requested shape" shapes
check "--bucket and --first-bucket close ddp's buckets" buckets
check "--ranks-per-node makes nodes" nodes
check "one rank works without a launcher, and says how to start more" alone_without_launcher
check "--help lists the plans" helps
check "the list of benchmarks has it" is_listed
if command -v gnuplot >/dev/null 2>&1; then
    check "--timeline-svg draws a step, measured and predicted" draws
else
    skipped=$((skipped + 1))
    echo "skipped: --timeline-svg draws a step, measured and predicted: no gnuplot here"
fi

# ---- the peer: a shell script in PyTorch's place ----

cat >"$folder/peer" <<'PEER'
#!/bin/sh
echo "torch of the tests"
while read -r seconds; do echo 5; done
PEER
printf '#!/bin/sh\necho "$@" >"%s/arguments"\nexec "%s"\n' "$folder" "$folder/peer" >"$folder/witness"
printf '#!/bin/sh\necho "short-lived torch"\n' >"$folder/quitter"
chmod +x "$folder/peer" "$folder/witness" "$folder/quitter"

has_a_row_for_the_peer() {
    quick 2 lenet --overlaps fused --torch "$folder/witness" --csv "$folder/p.csv" && grep -q 'pytorch: torch of the tests' "$folder/out" &&
        grep -q 'torch_ddp.py --serve --model lenet --ranks 2 --batch 3 --threads 1$' "$folder/arguments" &&
        has pytorch kind peer "$folder/p.csv" && has pytorch throughput 5 "$folder/p.csv" && [ "$(field fused:ring times_peer "$folder/p.csv")" ]
}
# Where it does not start it has no row; a floor beside it is then not met.
has_no_peer() { quick 2 lenet --overlaps fused --torch "$folder/nothing" && grep -q '^  pytorch  *skipped: ' "$folder/out"; }
misses_the_peer() { ranks 1 2 lenet --overlaps fused --batch 3 --rounds 1 --torch "$folder/nothing" --floor peer=0.01 && grep -q 'nothing was measured' "$folder/out"; }
loses_the_peer() { ranks 1 2 lenet --overlaps fused --batch 3 --rounds 1 --torch "$folder/quitter" && grep -q '^  pytorch  *WRONG: The peer ended in the middle' "$folder/out"; }
floors() {
    quick 2 lenet --overlaps fused,optimal --floor alone=0.0001 --floor fused:ring:sums/apart=0.0001 --floor fused:ring+optimal:ring/best=0.0001 &&
        [ "$(grep -c 'ok)$' "$folder/out")" = 3 ] && ranks 1 2 lenet --overlaps fused --batch 3 --rounds 1 --floor each/hidden=0.5 && grep -q 'nothing was measured' "$folder/out"
}
check "a peer gets a row, and is told what to do" has_a_row_for_the_peer
check "a missing Python is said" has_no_peer
check "a floor beside a missing peer is not met" misses_the_peer
check "a peer that ends is an error" loses_the_peer
check "floors name rows and columns" floors

# ---- wrong calls ----

check "a network must be named" refused_by_two 2 "a network must be named"
check "an unknown network is refused" refused 2 "there is no network 'lenett'" lenett
check "an unknown plan is refused with those that there are" refused_by_two 2 "there is no 'wfpb'; there are naive, fused" lenet --overlaps naive,wfpb
check "an empty plan is refused" refused 2 "there is no ''" lenet --overlaps naive,
check "unknown collectives are refused" refused 2 "rign" lenet --collectives rign
check "a batch of 0 is refused" refused 2 "batch" lenet --batch 0
check "PyTorch is refused for other networks" refused 2 "lenet only" mlp --torch python3
check "a mistyped option gets the right one" refused 2 "did you mean --rounds" lenet --round 3
fits_for() {
    RUNGS_FIT_SECONDS=$1 && export RUNGS_FIT_SECONDS
    ranks 2 2 lenet --overlaps fused --threads 1 --batch 3 --rounds 1 && grep -q "RUNGS_FIT_SECONDS is \"$1\", expected seconds" "$folder/err"
}
check "seconds of a fit that are no number are refused" fits_for soon
unset RUNGS_FIT_SECONDS
check "a file that cannot be written is refused" refused_by_two 1 "/nowhere/t.csv" lenet --csv /nowhere/t.csv
check "one file for two tables is refused" refused 2 "the same file" lenet --csv "$folder/x" --json "$folder/x"

# ---- the targets of make ----

makes() {
    ${MAKE:-make} -n -o all EMULATOR=0 BUILD="$folder/build" "$1" >"$folder/out" 2>"$folder/err" && grep -q "$2" "$folder/out"
}
check "make bench-parallel" makes bench-parallel 'mpirun.sh 2 .*bench parallel lenet .*--overlaps naive,fused,wfbp,ddp,greedy,optimal'
check "make bench-parallel-cluster" makes bench-parallel-cluster 'cluster.sh NODES=2 .*bench parallel mlp .*--hidden 128,128'
check "make bench-ddp" makes bench-ddp 'bench parallel lenet .*'

finish "cli/bench_parallel"
