#!/bin/bash -l
# A job for PBS (OpenPBS, PBS Pro; Torque wants -l nodes=N:ppn=CORES instead of select), made by `make sbatch SITE=@SITE@`.
# Hand it in:  qsub FILE    Watch it:  qstat    End it:  qdel NUMBER
# Checked by a stand-in for qsub; this template has not been run on a real cluster.
# bash -l: so that the command `module` is there. SPDX-License-Identifier: MIT
#
# Change the following to match your system (or better, the site that it comes from: mpi/cluster/sites).
#PBS -N rungs
#PBS -l select=@NODES@:ncpus=@CORES_PER_NODE@:mpiprocs=@RANKS_PER_NODE@:ompthreads=@THREADS@
#PBS -l walltime=@TIME@
#PBS -q @PARTITION@
#PBS -A @ACCOUNT@
#PBS -j oe
module load @MODULES@

cd @FOLDER@ || exit
export RANKS_PER_NODE=@RANKS_PER_NODE@ OMP_NUM_THREADS=@THREADS@
export MPIRUN_NODES=@NODES@
export MPIRUN="@LAUNCHER@"
export MPIRUN_FLAGS="@FLAGS@"
echo "job ${PBS_JOBID:-}: @NODES@ nodes x @RANKS_PER_NODE@ ranks x @THREADS@ threads, listed in ${PBS_NODEFILE:-}"
sh tools/mpirun.sh @RANKS@ @COMMAND@
