# Several hosts on one machine (mpi/cluster/), and job scripts for real ones.
# SPDX-License-Identifier: MIT
#   make cluster NODES=4 RANKS_PER_NODE=2 RATE=1gbit DELAY=0 CMD="build/rungs doctor --hello"

NODES ?= 4
RANKS_PER_NODE ?= 2
RATE ?= 1gbit
DELAY ?= 0
CMD ?= $(RUNGS) doctor --hello

# exec: a signal that ends make reaches the script itself.
cluster: $(RUNGS)  ## run CMD="build/rungs .." on NODES=4 hosts made on this machine, RANKS_PER_NODE=2, joined at RATE=1gbit
	@exec sh mpi/cluster/cluster.sh 'NODES=$(NODES)' 'RANKS_PER_NODE=$(RANKS_PER_NODE)' 'RATE=$(RATE)' 'DELAY=$(DELAY)' $(CMD)

ifeq ($(MPI),1)
test: $(BUILD)/tests/mpi/transfer
endif

.PHONY: cluster
