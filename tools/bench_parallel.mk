# Data-parallel training: two ranks of this machine, a cluster made on it, and PyTorch's DistributedDataParallel beside ours.
# SPDX-License-Identifier: MIT
#   make bench-parallel BENCH_RANKS=4      more ranks: only where each has a core of its own do times mean something
#   make bench-parallel-cluster BENCH_PARALLEL_NET=lenet BENCH_PARALLEL_BATCH=64

BENCH_PARALLEL := bench parallel
PARALLEL_PLANS := naive,fused,wfbp,ddp,greedy,optimal
parallel_files = --csv $(BENCH_OUT)/$(1).csv --json $(BENCH_OUT)/$(1).json $(call figure,--timeline-svg,$(1).svg)

bench-parallel: all  ## data-parallel LeNet-5 on two ranks of this machine beside one: weak-scaling efficiency
	@mkdir -p $(BENCH_OUT)
	sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) $(BENCH_PARALLEL) lenet --batch 64 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring,auto --rounds $(call rounds,31) --floor alone=0.95 $(call parallel_files,parallel)

# One rank on each host, and no more of them than there are cores: then no rank waits for a core, only for the network. Packets
# are moved by these cores here, not by network cards: at 1 Gbit/s that takes a third of a core, which no overlap can hide; at
# 100 Mbit/s little. A layer of 128 neurons sends 66 KB and computes 6 operations for each weight and sample: so the batch
# decides how much computing there is to hide it behind.
BENCH_PARALLEL_CLUSTER ?= NODES=2 RANKS_PER_NODE=1 RATE=100mbit
BENCH_PARALLEL_NET ?= mlp --inputs 128 --hidden $(call list,$(foreach layer,$(shell seq 24),128))
BENCH_PARALLEL_BATCH ?= 6144

# Communication takes half to twice the time of computation; the order of the rungs is the predicted one, within 10 %; the shortest step
# is one of merged gradients, or one within 2 % of it; of what can be hidden 80 % is.
FLOORS_CLUSTER := fused:ring:sums/apart=0.5 apart/fused:ring:sums=0.5 order=0.909 greedy:ring+optimal:ring/best=0.98 each/hidden=0.80

bench-parallel-cluster: all  ## the same on 2 hosts made on this machine, joined at 100 Mbit/s: what overlap hides, beside the model
	@mkdir -p $(BENCH_OUT)
	sh mpi/cluster/cluster.sh $(BENCH_PARALLEL_CLUSTER) $(RUNGS) $(BENCH_PARALLEL) $(BENCH_PARALLEL_NET) \
	    --batch $(BENCH_PARALLEL_BATCH) --threads 1 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring --bucket 256KiB --first-bucket 128KiB \
	    --rounds $(call rounds,9) $(addprefix --floor ,$(FLOORS_CLUSTER)) $(call parallel_files,parallel-cluster)

bench-ddp: all  ## data-parallel LeNet-5 on two ranks beside PyTorch's DistributedDataParallel (gloo): images per second
	@mkdir -p $(BENCH_OUT)
	@$(PYTHON) -c 'import torch' >/dev/null 2>&1 || \
	    { echo '$(PYTHON) has no PyTorch: pip install torch; PYTHON=.. names another Python' >&2; exit 1; }
	sh tools/mpirun.sh $(BENCH_RANKS) $(RUNGS) $(BENCH_PARALLEL) lenet --batch 64 --overlaps $(PARALLEL_PLANS) \
	    --collectives ring,auto --rounds $(call rounds,31) --torch $(PYTHON) --floor peer=1.5 $(call parallel_files,ddp)

.PHONY: bench-parallel bench-parallel-cluster bench-ddp
