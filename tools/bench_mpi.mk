# All-reduce on two ranks beside the MPI library, at its default and at each algorithm that it can be told. SPDX-License-Identifier: MIT
#   make bench-allreduce BENCH_RANKS=4      more ranks: only where each has a core of its own do times mean something

BENCH_RANKS ?= 2
BENCH_SIZES_ALLREDUCE ?= 4..256M
BENCH_MPI := sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) bench

# Floors against the faster of the library's default and its best algorithm. Auto is held to 0.95 of the best rung for private vectors
# only: it does not know that vectors lie in the shared window and decides there as if they were private.
FLOORS_PRIVATE := peer=1.00 ring/peer=1M:1.00 segmented_ring/peer=1M:0 auto/best=0.95
FLOORS_WINDOW := peer=1.00,64K:1.20,4M:2.00

bench-allreduce: all  ## all-reduce on two ranks, beside MPI_Allreduce at its default and at its best algorithm
	@mkdir -p $(BENCH_OUT)
	status=0; \
	$(BENCH_MPI) allreduce --sizes $(BENCH_SIZES_ALLREDUCE) --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) --model \
	    $(addprefix --floor ,$(FLOORS_PRIVATE)) \
	    --csv $(BENCH_OUT)/allreduce.csv --json $(BENCH_OUT)/allreduce.json $(call figure,--svg,allreduce.svg) || status=1; \
	$(BENCH_MPI) allreduce --in-window --place in --sizes $(BENCH_SIZES_ALLREDUCE) --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) \
	    $(addprefix --floor ,$(FLOORS_WINDOW)) \
	    --csv $(BENCH_OUT)/allreduce-window.csv --json $(BENCH_OUT)/allreduce-window.json $(call figure,--svg,allreduce-window.svg) || status=1; \
	exit $$status

# The rungs whose messages the model counts one by one. Of 1 MB and more, what links carry decides.
MODEL_RUNGS := naive,whole_ring,tree,recursive_doubling,ring,rabenseifner
BENCH_SIZES_MODEL ?= 64K,256K,1M,4M,32M
BENCH_CLUSTER := NODES=4 RANKS_PER_NODE=1 RATE=1gbit

# Rank 0 of a cluster shares this folder and writes the files. All hosts share this machine's cores.
bench-cluster: all  ## all-reduce on 4 hosts made on this machine, joined at 1 Gbit/s: ring beside naive, and what the model predicts
	@mkdir -p $(BENCH_OUT)
	sh mpi/cluster/cluster.sh $(BENCH_CLUSTER) $(RUNGS) bench allreduce --rungs $(MODEL_RUNGS) --sizes $(BENCH_SIZES_MODEL) \
	    --rounds $(call rounds,5) --seconds $(BENCH_SECONDS) --model \
	    --floor ring/naive=1M:2.5 --floor order=32M:0.909 --floor each/predicted=64K:0.75 \
	    --csv $(BENCH_OUT)/cluster.csv --json $(BENCH_OUT)/cluster.json

bench-model: all  ## all-reduce in shared memory: the errors of what the model predicts
	@mkdir -p $(BENCH_OUT)
	$(BENCH_MPI) allreduce --rungs $(MODEL_RUNGS) --sizes $(BENCH_SIZES_MODEL) --rounds $(call rounds,15) \
	    --seconds $(BENCH_SECONDS) --model --floor each/predicted=64K:0.75 \
	    --csv $(BENCH_OUT)/model.csv --json $(BENCH_OUT)/model.json

# A foreign program on build/librungs_mpi.so; RUNGS_ALLREDUCE=ring chooses another rung. Without the library both names of the routine are
# the same one: how far that table is from 1.00 says how far the other may be wrong.
BENCH_SIZES_DROPIN ?= 4,64,1K,4K,16K,64K,256K,1M,4M,16M,64M
DROPIN_TIMES := $(BUILD)/tests/mpi/dropin_times
dropin_times = sh tools/mpirun.sh $(BENCH_RANKS) env LD_PRELOAD=$(1) $(DROPIN_TIMES) $(call rounds,45) $(BENCH_SIZES_DROPIN) $(2)

bench-dropin: all $(DROPIN_TIMES)  ## MPI_Allreduce of a foreign program on the drop-in library, beside the library's own
	status=0; $(call dropin_times,$(abspath $(MPI_LIBRARY)),program/library=1.00) || status=1; \
	$(call dropin_times,,program/library=0) || status=1; exit $$status

# A communicator that lives for one all-reduce: at most twice as long as on the MPI library.
DROPIN_LIVES := $(BUILD)/tests/mpi/dropin_lives
bench-communicators: all $(DROPIN_LIVES)  ## MPI_Comm_dup, MPI_Allreduce, MPI_Comm_free on the drop-in library, beside the library's own
	@for rung in window ring auto; do echo "RUNGS_ALLREDUCE=$$rung"; \
	    sh tools/mpirun.sh $(BENCH_RANKS) env LD_PRELOAD=$(abspath $(MPI_LIBRARY)) RUNGS_ALLREDUCE=$$rung \
	        $(DROPIN_LIVES) $(call rounds,101) || exit 1; done

.PHONY: bench-allreduce bench-cluster bench-model bench-dropin bench-communicators
