# All-reduce on two ranks beside the MPI library, at its default and at each algorithm that it can be told. SPDX-License-Identifier: MIT
#   make bench-allreduce BENCH_RANKS=4      more ranks: only where each has a core of its own do times mean something

BENCH_RANKS ?= 2
BENCH_SIZES_ALLREDUCE ?= 4..256M
BENCH_MPI := sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) bench
allreduce_summary = awk -v title='$(1)' -v place=$(2) -v rungs=$(3) -v floors=$(4) -f tools/bench_collective.awk $(5)

# Floors against the faster of the library's default and its best algorithm: bytes from:times, and so on upwards.
FLOORS_PRIVATE := 0:1.00
FLOORS_WINDOW := 0:1.00,65536:1.20,4194304:2.00
FLOORS_RING := 1048576:1.00
FLOORS_NONE := 1048576:0

# Auto is held to 0.95 of the best rung for private vectors only: it does not know that vectors are in the shared window and
# decides there as if they were private.

bench-allreduce: all  ## all-reduce on two ranks, beside MPI_Allreduce at its default and at its best algorithm
	@mkdir -p $(BENCH_OUT)
	$(BENCH_MPI) allreduce --sizes $(BENCH_SIZES_ALLREDUCE) --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) --model \
	    --csv $(BENCH_OUT)/allreduce.csv --json $(BENCH_OUT)/allreduce.json $(call figure,--svg,allreduce.svg)
	$(BENCH_MPI) allreduce --in-window --sizes $(BENCH_SIZES_ALLREDUCE) --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) \
	    --csv $(BENCH_OUT)/allreduce-window.csv --json $(BENCH_OUT)/allreduce-window.json $(call figure,--svg,allreduce-window.svg)
	@echo; status=0; \
	 $(call allreduce_summary,in the shared window$(comma) in place: the best of ours,in,all,$(FLOORS_WINDOW),$(BENCH_OUT)/allreduce-window.csv) || status=1; \
	 $(call allreduce_summary,private vectors$(comma) rungs called directly and not through the drop-in library: the best of ours,both,all,$(FLOORS_PRIVATE),$(BENCH_OUT)/allreduce.csv) || status=1; \
	 $(call allreduce_summary,private vectors$(comma) called directly: the plain ring$(comma) alone,both,ring,$(FLOORS_RING),$(BENCH_OUT)/allreduce.csv) || status=1; \
	 $(call allreduce_summary,private vectors$(comma) called directly: the ring in segments$(comma) without a floor,both,segmented_ring,$(FLOORS_NONE),$(BENCH_OUT)/allreduce.csv) || status=1; \
	 $(call allreduce_summary,auto beside the best of ours$(comma) private vectors,both,auto,best,$(BENCH_OUT)/allreduce.csv) || status=1; exit $$status

# The rungs whose messages the model counts one by one. Of 1 MB and more, what links carry decides.
MODEL_RUNGS := naive,whole_ring,tree,recursive_doubling,ring,rabenseifner
BENCH_SIZES_MODEL ?= 64K,256K,1M,4M,32M
BENCH_CLUSTER := NODES=4 RANKS_PER_NODE=1 RATE=1gbit

# Rank 0 of a cluster shares this folder and writes the files. All hosts share this machine's cores.
bench-cluster: all  ## all-reduce on 4 hosts made on this machine, joined at 1 Gbit/s: ring beside naive, and what the model predicts
	@mkdir -p $(BENCH_OUT)
	sh mpi/cluster/cluster.sh $(BENCH_CLUSTER) $(RUNGS) bench allreduce --rungs $(MODEL_RUNGS) --sizes $(BENCH_SIZES_MODEL) \
	    --rounds $(call rounds,5) --seconds $(BENCH_SECONDS) --model \
	    --csv $(BENCH_OUT)/cluster.csv --json $(BENCH_OUT)/cluster.json
	@echo; awk -v ratio=ring:naive:2.5 -v order=33554432 -v error=0.25 -f tools/bench_model.awk $(BENCH_OUT)/cluster.csv

bench-model: all  ## all-reduce in shared memory: the errors of what the model predicts
	@mkdir -p $(BENCH_OUT)
	$(BENCH_MPI) allreduce --rungs $(MODEL_RUNGS) --sizes $(BENCH_SIZES_MODEL) --rounds $(call rounds,15) \
	    --seconds $(BENCH_SECONDS) --model --csv $(BENCH_OUT)/model.csv --json $(BENCH_OUT)/model.json
	@echo; awk -v error=0.25 -f tools/bench_model.awk $(BENCH_OUT)/model.csv

# A foreign program on build/librungs_mpi.so; RUNGS_ALLREDUCE=ring chooses another rung. Without the library both names of the routine are
# the same one: how far that line is from 1.00 says how far the other may be wrong. The runs of the two are interleaved.
BENCH_SIZES_DROPIN ?= 4 64 1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864
DROPIN_TIMES := $(BUILD)/tests/mpi/dropin_times
dropin_times = sh tools/mpirun.sh $(BENCH_RANKS) env LD_PRELOAD=$(1) $(DROPIN_TIMES) $(call rounds,15) 2 $(BENCH_SIZES_DROPIN)
dropin_summary = awk -v rung=$(1) -f tools/bench_dropin.awk $(BENCH_OUT)/dropin-$(1).txt >$(BENCH_OUT)/dropin-$(1).csv && \
    $(call allreduce_summary,$(2),both,all,$(3),$(BENCH_OUT)/dropin-$(1).csv)

bench-dropin: all $(DROPIN_TIMES)  ## MPI_Allreduce of a foreign program on the drop-in library, beside the library's own
	@mkdir -p $(BENCH_OUT); rm -f $(BENCH_OUT)/dropin-*
	for run in 1 2 3; do \
	    $(call dropin_times,$(abspath $(MPI_LIBRARY))) >>$(BENCH_OUT)/dropin-ours.txt && \
	    $(call dropin_times,) >>$(BENCH_OUT)/dropin-none.txt || exit 1; done
	@echo; status=0; \
	 $(call dropin_summary,ours,private vectors through the drop-in library,$(FLOORS_PRIVATE)) || status=1; \
	 $(call dropin_summary,none,the same without it: nothing but noise,0:0) || status=1; exit $$status

# A communicator that lives for one all-reduce: at most twice as long as on the MPI library.
DROPIN_LIVES := $(BUILD)/tests/mpi/dropin_lives
bench-communicators: all $(DROPIN_LIVES)  ## MPI_Comm_dup, MPI_Allreduce, MPI_Comm_free on the drop-in library, beside the library's own
	@for rung in window ring auto; do echo "RUNGS_ALLREDUCE=$$rung"; \
	    sh tools/mpirun.sh $(BENCH_RANKS) env LD_PRELOAD=$(abspath $(MPI_LIBRARY)) RUNGS_ALLREDUCE=$$rung \
	        $(DROPIN_LIVES) $(call rounds,101) || exit 1; done

.PHONY: bench-allreduce bench-cluster bench-model bench-dropin bench-communicators
