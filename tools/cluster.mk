# Several hosts on one machine (mpi/cluster/), and job scripts for real ones.
# SPDX-License-Identifier: MIT
#   make cluster NODES=4 RANKS_PER_NODE=2 RATE=1gbit DELAY=0 CMD="build/rungs doctor --hello"
#   make sbatch SITE=slurm-example NODES=4 RANKS_PER_NODE=8 CMD="build/rungs doctor" OUT=job.sh    without OUT, it is printed

NODES ?= 4
RANKS_PER_NODE ?= 2
RATE ?= 1gbit
DELAY ?= 0
SITE ?= slurm-example
CMD ?= $(RUNGS) doctor --hello

# exec: a signal that ends make reaches the script itself.
cluster: $(RUNGS)  ## run CMD="build/rungs .." on NODES=4 hosts made on this machine, RANKS_PER_NODE=2, joined at RATE=1gbit
	@exec sh mpi/cluster/cluster.sh 'NODES=$(NODES)' 'RANKS_PER_NODE=$(RANKS_PER_NODE)' 'RATE=$(RATE)' 'DELAY=$(DELAY)' $(CMD)

sbatch:  ## print a job script for a real cluster: SITE=slurm-example (mpi/cluster/sites), NODES=4, RANKS_PER_NODE=2, CMD=..; OUT=FILE
	@exec sh mpi/cluster/job.sh 'SITE=$(SITE)' 'NODES=$(NODES)' 'RANKS_PER_NODE=$(RANKS_PER_NODE)' 'OUT=$(OUT)' $(CMD)

ifeq ($(MPI),1)
tests: $(BUILD)/tests/mpi/transfer
endif

.PHONY: cluster sbatch
