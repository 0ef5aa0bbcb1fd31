#!/bin/sh
# A container on one machine; made by `make sbatch SITE=@SITE@`. Start it where docker is:  sh FILE
# Checked by a stand-in for docker; this template has not been run with a real one.
# SPDX-License-Identifier: MIT
#
# --shm-size: ranks share memory in /dev/shm, of which a container has 64 MB. --privileged: several nodes are made inside.
cd @FOLDER@ || exit
docker run --rm --shm-size=2g --privileged --volume "$PWD:$PWD" --workdir "$PWD" @IMAGE@ sh -ec '
    ./setup.sh
    make
    sh mpi/cluster/job.sh SITE=laptop OUT=/tmp/rungs_job "$@"
    exec sh /tmp/rungs_job' sh NODES=@NODES@ RANKS_PER_NODE=@RANKS_PER_NODE@ @COMMAND@
