#!/bin/sh
# Several machines that ssh reaches without a password, with this folder at the same place on all of them; made by
# `make sbatch SITE=@SITE@`. Start it on the first one:  sh FILE
# This template has been run with the one machine that it was written on, never with several.
# SPDX-License-Identifier: MIT
cd @FOLDER@ || exit
export RANKS_PER_NODE=@RANKS_PER_NODE@ OMP_NUM_THREADS=@THREADS@
export MPIRUN_NODES=@NODES@
export MPIRUN="@LAUNCHER@"
# The machines. Change that file to match your system.
MPIRUN_FLAGS="--hostfile @HOSTFILE@"
export MPIRUN_FLAGS="$MPIRUN_FLAGS @FLAGS@"
sh tools/mpirun.sh @RANKS@ @COMMAND@
