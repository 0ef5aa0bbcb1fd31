# Data-parallel training: two ranks of this machine, a cluster made on it, and PyTorch's DistributedDataParallel beside ours.
# SPDX-License-Identifier: MIT
#   make bench-parallel BENCH_RANKS=4      more ranks: only where each has a core of its own do times mean something
#   make bench-parallel-cluster BENCH_PARALLEL_NET=lenet BENCH_PARALLEL_BATCH=64

BENCH_PARALLEL := bench parallel
PARALLEL_PLANS := naive,fused,wfbp,ddp,greedy,optimal
parallel_files = --csv $(BENCH_OUT)/$(1).csv --json $(BENCH_OUT)/$(1).json $(call figure,--svg,$(1).svg)
parallel_summary = @echo; awk $(2) -f tools/bench_parallel.awk $(BENCH_OUT)/$(1).csv

bench-parallel: all  ## data-parallel LeNet-5 on two ranks of this machine beside one: weak-scaling efficiency
	@mkdir -p $(BENCH_OUT)
	sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) $(BENCH_PARALLEL) lenet --batch 64 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring,auto --rounds $(call rounds,31) $(call parallel_files,parallel)
	$(call parallel_summary,parallel,-v efficiency=0.95)

# One rank on each host, and no more of them than there are cores: then no rank waits for a core, only for the network. Packets
# are moved by these cores here, not by network cards: at 1 Gbit/s that takes a third of a core, which no overlap can hide; at
# 100 Mbit/s little. A layer of 128 neurons sends 66 KB and computes 6 operations for each weight and sample: so the batch
# decides how much computing there is to hide it behind.
BENCH_PARALLEL_CLUSTER ?= NODES=2 RANKS_PER_NODE=1 RATE=100mbit
BENCH_PARALLEL_NET ?= mlp --inputs 128 --hidden $(call list,$(foreach layer,$(shell seq 24),128))
BENCH_PARALLEL_BATCH ?= 6144

bench-parallel-cluster: all  ## the same on 2 hosts made on this machine, joined at 100 Mbit/s: what overlap hides, beside the model
	@mkdir -p $(BENCH_OUT)
	sh mpi/cluster/cluster.sh $(BENCH_PARALLEL_CLUSTER) $(RUNGS) $(BENCH_PARALLEL) $(BENCH_PARALLEL_NET) \
	    --batch $(BENCH_PARALLEL_BATCH) --threads 1 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring --bucket 256KiB --first-bucket 128KiB \
	    --steps 4 --rounds $(call rounds,9) $(call parallel_files,parallel-cluster)
	$(call parallel_summary,parallel-cluster,-v ratio=0.5:2 -v order=1 -v hidden=0.80)

bench-ddp: all  ## data-parallel LeNet-5 on two ranks beside PyTorch's DistributedDataParallel (gloo): images per second
	@mkdir -p $(BENCH_OUT)
	@$(PYTHON) -c 'import torch' >/dev/null 2>&1 || \
	    { echo '$(PYTHON) has no PyTorch: pip install torch; PYTHON=.. names another Python' >&2; exit 1; }
	sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) $(BENCH_PARALLEL) lenet --batch 64 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring,auto --rounds $(call rounds,31) --torch $(PYTHON) $(call parallel_files,ddp)
	$(call parallel_summary,ddp,-v times=1.5)

.PHONY: bench-parallel bench-parallel-cluster bench-ddp
