#!/bin/sh
# One machine, on which several nodes are made if there are to be several; made by `make sbatch SITE=@SITE@`. Start it:  sh FILE
# SPDX-License-Identifier: MIT
cd @FOLDER@ || exit
nodes=@NODES@
if [ "$nodes" = 1 ]; then
    sh tools/mpirun.sh @RANKS@ @COMMAND@
else
    sh mpi/cluster/cluster.sh NODES="$nodes" RANKS_PER_NODE=@RANKS_PER_NODE@ @COMMAND@
fi
