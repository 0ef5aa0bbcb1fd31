#!/bin/bash -l
# A job for Slurm, made by `make sbatch SITE=@SITE@`.
# Hand it in:  sbatch FILE    Watch it:  squeue --me    End it:  scancel NUMBER
# Checked by a stand-in for sbatch and srun; this template has not been run on a real cluster.
# bash -l: so that the command `module` is there. SPDX-License-Identifier: MIT
#
# Change the following to match your system (or better, the site that it comes from: mpi/cluster/sites).
#SBATCH --job-name=rungs
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=@RANKS_PER_NODE@
#SBATCH --cpus-per-task=@THREADS@
#SBATCH --time=@TIME@
#SBATCH --partition=@PARTITION@
#SBATCH --account=@ACCOUNT@
#SBATCH --output=%x_%j.out
module load @MODULES@

cd @FOLDER@ || exit
export RANKS_PER_NODE=@RANKS_PER_NODE@ OMP_NUM_THREADS=@THREADS@
export MPIRUN_NODES=@NODES@
export MPIRUN="@LAUNCHER@"
export MPIRUN_FLAGS="@FLAGS@"
echo "job ${SLURM_JOB_ID:-}: @NODES@ nodes (${SLURM_JOB_NODELIST:-}) x @RANKS_PER_NODE@ ranks x @THREADS@ threads"
sh tools/mpirun.sh @RANKS@ @COMMAND@
