#!/bin/sh
# Job scripts (mpi/cluster/job.sh): every site's can be read by its shell, holds what was requested, and runs with stand-ins for
# sbatch, srun, qsub, module and docker. No real one is used, so what those make of the options is not tested.
# SPDX-License-Identifier: MIT
# What stands between '' is for the shells of the jobs.
# shellcheck disable=SC2016
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" # what MPI never frees is not what is asked here
script=mpi/cluster/job.sh
bin=$folder/bin
mkdir "$bin"

# job STATUS NAME=VALUE.. COMMAND ARGUMENT..: the script in $folder/out; false unless it ends with that status.
job() {
    expected=$1
    shift
    status=0
    sh "$script" "$@" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    cp "$folder/out" "$folder/job"
    [ "$status" = "$expected" ]
}
has() { for line in "$@"; do grep -qxF -e "$line" "$folder/job" || { echo "no line: $line"; return 1; }; done; }

# ---- wrong calls ----------------------------------------------------------------------------------------
refuses() {
    words=$1
    shift
    job 2 "$@" && [ "$(wc -l <"$folder/err")" = 1 ] && [ ! -s "$folder/out" ] && grep -q -e "$words" "$folder/err"
}
help() { job 0 --help && grep -q "usage: sh $script" "$folder/out" && [ ! -s "$folder/err" ]; }
check "--help" help
check "the command is missing" refuses "the command is missing" NODES=2
check "NODES=0" refuses "NODES is '0', expected a whole number" NODES=0 true
check "RANKS_PER_NODE=many" refuses "RANKS_PER_NODE is 'many', expected a whole number" RANKS_PER_NODE=many true
check "an unknown site gets the list" refuses "there is no site 'moon', expected one of .*slurm-example" SITE=moon true
check "an unknown name" refuses "there is no option 'NODE=2'" NODE=2 true
check "more ranks than cores" refuses "65 ranks of 1 threads are more than the 64 cores" RANKS_PER_NODE=65 true
too_many_threads() { OMP_NUM_THREADS=33 refuses "2 ranks of 33 threads are more than the 64 cores" RANKS_PER_NODE=2 true; }
check "more threads than cores" too_many_threads
printf 'TEMPLATE=abacus\nCORES_PER_NODE=1\n' >"$folder/site"
no_template() { job 1 SITE="$folder/site" true && grep -q "TEMPLATE=abacus, expected one of .*slurm" "$folder/err"; }
check "an unknown template" no_template

# ---- what the scripts hold ------------------------------------------------------------------------------
# Readable: by the shell, by shellcheck, and no value is left open.
readable() {
    job 0 SITE="$1" NODES=3 RANKS_PER_NODE=1 "$rungs" doctor --hello || return 1
    ! grep -n '@[A-Z_]*@' "$folder/job" || return 1
    case $(head -n 1 "$folder/job") in *bash*) bash -n "$folder/job" ;; *) sh -n "$folder/job" ;; esac || return 1
    ! command -v shellcheck >/dev/null || shellcheck --severity=warning "$folder/job"
}
for site in mpi/cluster/sites/*; do
    check "the script of site ${site##*/}" readable "${site##*/}"
done
slurm_values() {
    job 0 SITE=slurm-example NODES=4 RANKS_PER_NODE=8 build/rungs doctor &&
        has "#SBATCH --nodes=4" "#SBATCH --ntasks-per-node=8" "#SBATCH --cpus-per-task=8" "#SBATCH --account=my-project" \
            "module load gcc openmpi" "sh tools/mpirun.sh 32 build/rungs doctor"
}
# Options behind the first command would be ignored by sbatch and qsub.
options_first() {
    awk -v mark="$1" 'index($0, mark) == 1 { options++; if (command) bad++ } !/^#/ && NF { command = 1 }
        END { exit !(options >= 5 && !bad) }' "$folder/job"
}
pbs_values() {
    job 0 SITE=pbs-example NODES=4 RANKS_PER_NODE=8 build/rungs doctor && options_first "#PBS " &&
        has "#PBS -l select=4:ncpus=64:mpiprocs=8:ompthreads=8" "#PBS -q workq" "#PBS -l walltime=00:30:00"
}
empty_values() {
    sed 's/^MODULES=.*/MODULES=/; s/^ACCOUNT=.*/ACCOUNT=/' mpi/cluster/sites/slurm-example >"$folder/site"
    job 0 SITE="$folder/site" true && ! grep -q 'module load\|--account' "$folder/job" && has "#SBATCH --partition=compute"
}
written() {
    job 0 SITE=laptop OUT="$folder/written" true && sh -n "$folder/written" && grep -q 'mpirun.sh 1 true' "$folder/written"
}
made() {
    env -u MAKEFLAGS -u MFLAGS make -s sbatch SITE=slurm-example NODES=5 RANKS_PER_NODE=2 CMD="echo 'a  b'" \
        >"$folder/job" 2>"$folder/err" &&
        has "#SBATCH --nodes=5" "sh tools/mpirun.sh 10 echo 'a  b'"
}
check "the values of Slurm" slurm_values
check "Slurm's options stand before the commands" options_first "#SBATCH "
check "the values of PBS" pbs_values
check "a line without its value is left out" empty_values
check "OUT= writes a file" written
check "make sbatch" made

# ---- running them ---------------------------------------------------------------------------------------
stand_in() { cat >"$bin/$1" && chmod +x "$bin/$1"; }
stand_in module <<'TEXT'
#!/bin/sh
echo "module $*"
TEXT
# What the job's options say, in the variables that Slurm sets; an option that is not spelled as Slurm does is an error.
stand_in sbatch <<'TEXT'
#!/bin/sh
! grep '^#SBATCH' "$1" | grep -vE '^#SBATCH --(job-name|nodes|ntasks-per-node|cpus-per-task|time|partition|account|output)=[^ ]+$' || exit 9
value() { sed -n "s/^#SBATCH --$1=//p" "$job"; }
job=$1
export SLURM_JOB_ID=17 SLURM_JOB_NODELIST=here SLURM_NTASKS=$(($(value nodes) * $(value ntasks-per-node)))
exec bash "$1"
TEXT
stand_in srun <<'TEXT'
#!/bin/sh
case $1 in --version) echo "slurm 0.0"; exit ;; esac
[ "$1 $2 $3 $4" = "--mpi=pmix --cpus-per-task=1 -n $SLURM_NTASKS" ] || exit 9
shift 4
MPIRUN=mpirun MPIRUN_FLAGS="-quiet" exec sh tools/mpirun.sh "$SLURM_NTASKS" "$@"
TEXT
stand_in qsub <<'TEXT'
#!/bin/sh
hostname >"$1.nodes"
hostname >>"$1.nodes"
PBS_JOBID=18 PBS_NODEFILE=$1.nodes exec bash "$1"
TEXT
stand_in docker <<'TEXT'
#!/bin/sh
while [ "$1" != debian:12 ]; do shift; done
shift
cd "$STAND_IN_TREE" && exec "$@"
TEXT
stand_in make <<'TEXT'
#!/bin/sh
TEXT

# runs COMMAND..: submits the job; both ranks must say hello.
runs() {
    status=0
    PATH=$bin:$PATH OMP_NUM_THREADS='' timeout 120 "$@" "$folder/job" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
    [ "$status" = 0 ] && [ "$(grep -c 'of 2, the number from its neighbour is right' "$folder/out")" = 2 ]
}
# here SITE CORES: that site, with nodes of this machine's size.
here() { sed "s/^CORES_PER_NODE=.*/CORES_PER_NODE=$2/" "mpi/cluster/sites/$1" >"$folder/site"; }
cores=$(nproc)
slurm_by_mpirun() {
    here slurm-example "$cores" && job 0 SITE="$folder/site" RANKS_PER_NODE=2 "$rungs" doctor --hello && runs sbatch &&
        grep -qx "module load gcc openmpi" "$folder/out" && grep -q "^job 17: 1 nodes (here) x 2 ranks x $((cores / 2)) threads" "$folder/out"
}
slurm_by_srun() {
    here slurm-example 1 && printf '%s\n' 'LAUNCHER=srun' "FLAGS='--mpi=pmix --cpus-per-task=\$OMP_NUM_THREADS'" >>"$folder/site"
    job 0 SITE="$folder/site" NODES=2 "$rungs" doctor --hello && runs sbatch
}
pbs() { here pbs-example "$cores" && job 0 SITE="$folder/site" RANKS_PER_NODE=2 "$rungs" doctor --hello && runs qsub; }
hosts() {
    echo "$(hostname) slots=2" >"$folder/hostfile"
    here hosts-example 2 && echo "HOSTFILE=$folder/hostfile" >>"$folder/site"
    job 0 SITE="$folder/site" RANKS_PER_NODE=2 "$rungs" doctor --hello && runs sh
}
laptop() { job 0 SITE=laptop RANKS_PER_NODE=2 "$rungs" doctor --hello && runs sh; }
laptop_cluster() { job 0 SITE=laptop NODES=2 "$rungs" doctor --hello && runs sh; }
# In the container: a tree whose setup.sh does nothing.
docker_runs() {
    STAND_IN_TREE=$folder/tree
    export STAND_IN_TREE
    mkdir -p "$STAND_IN_TREE" && ln -sf "$(pwd)/mpi" "$(pwd)/tools" "$STAND_IN_TREE" && cp "$bin/make" "$STAND_IN_TREE/setup.sh"
    here docker 2 && job 0 SITE="$folder/site" RANKS_PER_NODE=2 "$rungs" doctor --hello && runs sh
}
# The words of a command reach it as they are.
words() {
    job 0 SITE=laptop printf '<%s>\n' "two  words" "it's \$HOME" '' '*' || return 1
    sh "$folder/job" >"$folder/out" 2>"$folder/err"
    [ "$(tr -d '\r\n' <"$folder/out")" = "<two  words><it's \$HOME><><*>" ]
}

if [ "${MPI:-1}" != 1 ] || ! command -v mpirun >/dev/null 2>&1; then
    skipped=$((skipped + 1))
    echo "skipped running the jobs: this build is without MPI"
    finish "mpi/sbatch"
    exit
fi
if [ "$cores" -ge 2 ]; then
    check "a job for Slurm by mpirun" slurm_by_mpirun
    check "a job for PBS" pbs
else
    skipped=$((skipped + 2))
    echo "skipped jobs of two ranks that are bound to cores: there is one core"
fi
check "a job for Slurm by srun" slurm_by_srun
check "a job for hosts" hosts
check "a job for a laptop" laptop
check "a job for docker" docker_runs
check "the command's words" words
if sh mpi/cluster/cluster.sh NODES=1 RANKS_PER_NODE=1 true >/dev/null 2>"$folder/err"; then
    check "a job for a laptop of two nodes" laptop_cluster
else
    skipped=$((skipped + 1))
    echo "skipped a job for a laptop of two nodes: $(grep '^cluster.sh: ' "$folder/err" | sed 's/^cluster.sh: //')"
fi

finish "mpi/sbatch"
