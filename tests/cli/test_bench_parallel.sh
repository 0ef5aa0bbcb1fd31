#!/bin/sh
# `rungs bench parallel`: what it prints and writes, which calls it refuses, its peer; and what is made of its table. No speed is
# tested; a wrong plan is met in tests/mpi/test_bench_parallel_mpi.c.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

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
    ranks 0 "$quick_p" "$@" --threads 1 --batch 3 --steps 1 --rounds 2
}
# refused STATUS TEXT ARGUMENT..: two ranks say one sentence, before anything is measured.
refused() {
    wanted=$1 hint=$2
    shift 2
    ranks "$wanted" 2 "$@" && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q -e "$hint" "$folder/err"
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

# A row for each plan, whose last column, #wrong, is 0.
has_rows() {
    quick "$1" lenet --collectives ring,mpi --csv "$folder/t.csv" --json "$folder/t.json" || return 1
    for plan in naive fused wfbp ddp greedy optimal; do
        for with in ring mpi; do
            awk -v plan=$plan -v with=$with '$1 == plan && $2 == with && $3 >= 1 && $4 > 0 && $NF == "0" { found++ }
                END { exit found != 1 }' "$folder/out" || return 1
        done
    done
    grep -q '^one rank alone ' "$folder/out" && grep -q '^every rank by itself ' "$folder/out" && ! grep -q WRONG "$folder/out"
}
# Every line as wide as the first; a row for each plan, with all that is known of it.
# A network too noisy to fit is not predicted at all.
writes_csv() {
    awk -F, -v p="$1" 'NR == 1 { n = NF; next } NF != n { exit 1 } $2 == "plan" && $5 == p && $11 > 0 && $NF == "0" { plans++ }
        $4 == "ring" && $21 > 0 { predicted++ } END { exit !(NR == 15 && plans == 12 && (predicted == 6 || predicted == 0)) }' "$folder/t.csv" &&
        [ "$(grep -c '^naive ring,plan,naive,ring,.*,61706,10,' "$folder/t.csv")" = 1 ] &&
        [ "$(grep -c '^fused ring,plan,fused,ring,.*,61706,1,' "$folder/t.csv")" = 1 ] &&
        [ "$(grep -c '^wfbp ring,plan,wfbp,ring,.*,61706,5,' "$folder/t.csv")" = 1 ]
}
writes_json() {
    [ "$(grep -c '"overlap"' "$folder/t.json")" = 12 ] && grep -q "\"ranks\":.$1" "$folder/t.json" && grep -q '"seconds_backward"' "$folder/t.json" || return 1
    ! command -v python3 >/dev/null 2>&1 || python3 -m json.tool "$folder/t.json" >/dev/null
}
for p in 2 3; do
    check "$p ranks: a row for each plan, none wrong" has_rows $p
    check "$p ranks: --csv has a row for each of them" writes_csv $p
    check "$p ranks: --json holds every sample" writes_json $p
done

shapes() {
    quick 2 mlp --inputs 7 --hidden 13,5 --classes 3 --overlaps wfbp,naive --csv "$folder/m.csv" && grep -q '7-13-5-3, ReLU' "$folder/out" &&
        grep -q '^wfbp ring,.*,192,3,' "$folder/m.csv" && grep -q '^naive ring,.*,192,6,' "$folder/m.csv"
}
# Closed by each tensor of 1 byte or more: as many buckets as tensors.
buckets() {
    quick 2 mlp --inputs 7 --hidden 13,5 --classes 3 --overlaps ddp --bucket 1 --first-bucket 1 --csv "$folder/m.csv" &&
        grep -q '^ddp ring,.*,192,6,' "$folder/m.csv"
}
nodes() { quick 3 lenet --overlaps fused --ranks-per-node 2 && grep -q '3 ranks on 2 nodes' "$folder/out"; }
alone_without_launcher() {
    command_words="bench parallel"
    call 0 lenet --overlaps fused --batch 2 --steps 1 --rounds 1 && grep -q 'tools/mpirun.sh 2 build/rungs bench parallel lenet' "$folder/out"
}
helps() {
    command_words="bench parallel"
    call 0 --help && grep -q -e '--overlaps LIST' "$folder/out" && grep -q 'naive,fused,wfbp,ddp,greedy,optimal' "$folder/out"
}
is_listed() { command_words=bench && call 0 --help && grep -q '^  rungs bench parallel ' "$folder/out"; }
# A network too noisy to fit is drawn as measured.
draws() {
    quick 2 lenet --overlaps fused,wfbp --svg "$folder/t.svg" && grep -q '<svg' "$folder/t.svg" && grep -q 'measured' "$folder/t.svg" &&
        grep -q 'wfbp ring' "$folder/t.svg" && { grep -q 'predicted' "$folder/t.svg" || grep -q 'noisy' "$folder/out"; }
}
check "a perceptron has the requested shape" shapes
check "--bucket and --first-bucket close ddp's buckets" buckets
check "--ranks-per-node makes nodes" nodes
check "one rank works without a launcher, and says how to start more" alone_without_launcher
check "--help lists the plans" helps
check "the list of benchmarks has it" is_listed
if command -v gnuplot >/dev/null 2>&1; then
    check "--svg draws a step, measured and predicted" draws
else
    skipped=$((skipped + 1))
    echo "skipped: --svg draws a step, measured and predicted: no gnuplot here"
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
    quick 2 lenet --overlaps fused --torch "$folder/witness" --csv "$folder/p.csv" && grep -q 'those of torch of the tests:' "$folder/out" &&
        grep -q 'torch_ddp.py --serve --model lenet --ranks 2 --batch 3 --threads 1$' "$folder/arguments" &&
        awk -F, '$2 == "peer" && $14 > 4.99 && $14 < 5.01 { peer++ } $2 == "plan" && $22 > 0 { plan++ } END { exit !(peer == 1 && plan == 1) }' "$folder/p.csv"
}
fails_with() {
    sentence=$1
    shift
    ranks 1 2 "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && grep -q "$sentence" "$folder/err"
}
check "a peer gets a row, and is told what to do" has_a_row_for_the_peer
check "a missing Python is said" fails_with 'could not be started\|ended before' lenet --overlaps fused --rounds 1 --torch "$folder/nothing"
check "a peer that ends is an error" fails_with 'ended in the middle' lenet --overlaps fused --rounds 1 --steps 1 --torch "$folder/quitter"

# ---- wrong calls ----

check "a network must be named" refused 2 "a network must be named"
check "an unknown network is refused" refused 2 "there is no network 'lenett'" lenett
check "an unknown plan is refused with those that there are" refused 2 "there is no 'wfpb'; there are naive, fused" lenet --overlaps naive,wfpb
check "an empty plan is refused" refused 2 "there is no ''" lenet --overlaps naive,
check "unknown collectives are refused" refused 2 "rign" lenet --collectives rign
check "a batch of 0 is refused" refused 2 "batch" lenet --batch 0
check "PyTorch is refused for other networks" refused 2 "lenet only" mlp --torch python3
check "a mistyped option gets the right one" refused 2 "did you mean --rounds" lenet --round 3
check "a file that cannot be written is refused" refused 1 "/nowhere/t.csv" lenet --csv /nowhere/t.csv
check "one file for two tables is refused" refused 2 "the same file" lenet --csv "$folder/x" --json "$folder/x"

# ---- what is made of the table ----

header='row,kind,overlap,collectives,ranks,nodes,threads,batch,parameters,buckets,seconds,first_quartile,third_quartile,samples_per_second,efficiency,efficiency_low,efficiency_high,seconds_communication,seconds_hideable,hidden,seconds_predicted,times_peer,times_peer_low,times_peer_high,wrong'
# row NAME OVERLAP SECONDS EFFICIENCY COMMUNICATION HIDDEN PREDICTED TIMES WRONG
row() { echo "$1,plan,$2,ring,2,1,1,64,61706,5,$3,$3,$3,1,$4,$4,$4,$5,$5,$6,$7,$8,$8,$8,$9"; }
# judge STATUS SECONDS-OF-OPTIMAL HIDDEN WRONG FLOOR..
judge() {
    wanted=$1
    {
        echo "$header"
        echo "every rank by itself,apart,,,2,1,1,64,61706,,10,10,10,1,1,1,1,,,,,,,,"
        echo "PyTorch,peer,,,2,1,1,64,61706,,30,30,30,1,,,,,,,,,,,"
        row "fused ring" fused 20 0.5 10 "" 20 1.5 0
        row "optimal ring" optimal "$2" 0.96 10 "$3" 11 2 "$4"
    } >"$folder/judged.csv"
    shift 4
    status=0
    awk "$@" -f tools/bench_parallel.awk "$folder/judged.csv" >"$folder/out" || status=$?
    [ "$status" = "$wanted" ]
}
check "good plans are good" judge 0 11 0.9 0 -v efficiency=0.95 -v ratio=0.5:2 -v order=1 -v hidden=0.8 -v times=1.5
check "too low an efficiency is not" judge 1 11 0.9 0 -v efficiency=0.97
check "too little communication is not" judge 1 11 0.9 0 -v ratio=1.1:2
check "another order than the predicted one is not" judge 1 25 0.9 0 -v order=1
check "too little hidden is not" judge 1 11 0.7 0 -v hidden=0.8
check "too slow beside the peer is not" judge 1 11 0.9 0 -v times=2.1
check "a wrong plan is not" judge 1 11 0.9 7 -v efficiency=0.5

makes() {
    ${MAKE:-make} -n -o all EMULATOR=0 BUILD="$folder/build" "$1" >"$folder/out" 2>"$folder/err" && grep -q "$2" "$folder/out"
}
check "make bench-parallel" makes bench-parallel 'mpirun.sh 2 .*bench parallel lenet .*--overlaps naive,fused,wfbp,ddp,greedy,optimal'
check "make bench-parallel-cluster" makes bench-parallel-cluster 'cluster.sh NODES=2 .*bench parallel mlp .*--hidden 128,128'
check "make bench-ddp" makes bench-ddp 'bench parallel lenet .*'

finish "cli/bench_parallel"
