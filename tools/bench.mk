# Benchmarks. They take minutes and want a quiet machine; nothing else depends on them. SPDX-License-Identifier: MIT
#   make bench-gemm-large BENCH_ROUNDS=31      more samples
#   make bench BENCH_GEMM=vector               hold another rung against the peers

BENCH_SETS := gemm-large gemm-small gemm-skinny gemm-bf16 gemm-int8 spmm conv conv-input-gradient conv-weight-gradient memory gemv mlp
BENCH_GEMM ?= expert
BENCH_PEERS ?= openblas,blis,onednn,onednn_matmul
BENCH_SECONDS ?= 40
BENCH_OUT := $(BUILD)/bench
PYTHON ?= python3

# Rounds of a set, unless BENCH_ROUNDS says otherwise.
rounds = $(or $(BENCH_ROUNDS),$(1))
# A figure, if there is what draws it.
figure = $$(command -v gnuplot >/dev/null && echo $(1) $(BENCH_OUT)/$(2))
# bench_ladder LADDER,SET,RUNGS,SIZES,ROUNDS,FLOORS (src/ladder/floor.h); above 1 ours is faster
bench_ladder = @mkdir -p $(BENCH_OUT); set -x; $(RUNGS) bench $(1) --rungs $(3) --sizes $(4) --rounds $(call rounds,$(5)) \
    --seconds $(BENCH_SECONDS) --csv $(BENCH_OUT)/$(2).csv --json $(BENCH_OUT)/$(2).json $(call figure,--svg,$(2).svg) $(addprefix --floor ,$(6))

comma := ,
empty :=
list = $(subst $(empty) $(empty),$(comma),$(strip $(1)))

GEMV_SIZES := 64,256,512,1003x999,2048,4096,1x100000,4x50000,10x1000,10000x10,100000x20
LARGE_SIZES := 1024,1536,2048,3072,4096
NARROW_SIZES := 1024,1536,2048,3072,4096
SMALL_SIZES := 16,17,24,31,32,33,48,63,64,65,96,100,127,128,160,192,200,256
# One sample to a batch of sixteen; a last layer of ten classes; an A with more rows than the caches hold; and what a
# convolution becomes: M pixels, K inputs of a pixel.
SKINNY_SIZES := $(call list,$(foreach m,1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16,$(m)x1024x1024) \
    128x10x1024 1024x10x1024 128x10x784 784x10x4096 \
    20000x10x784 20000x26x1000 20000x65x1152 200000x66x64 \
    3136x64x27 3136x64x64 3136x64x147 3136x64x576 784x128x576 784x128x1152 196x512x4608 784x512x4608)

bench: all  ## verify and measure beside OpenBLAS, BLIS, oneDNN, PyTorch, in sets (see bench-..; minutes; results in build/bench)
	@status=0; for set in $(BENCH_SETS); do $(MAKE) --no-print-directory bench-$$set || status=1; done; exit $$status

bench-gemm-large: all  ## matrix products of 1024 to 4096: the best rung against the peers and the machine's peak
	$(call bench_ladder,gemm,gemm-large,$(BENCH_GEMM)$(comma)$(BENCH_PEERS),$(LARGE_SIZES),15,peer=1.00 bound=0.90)

bench-gemm-small: all  ## matrix products of 16 to 256, against OpenBLAS
	$(call bench_ladder,gemm,gemm-small,$(BENCH_GEMM)$(comma)openblas,$(SMALL_SIZES),31,peer=0.95 mean:peer=1.10)

bench-gemm-skinny: all  ## matrix products of few rows, of few columns, of the shapes of convolutions
	$(call bench_ladder,gemm,gemm-skinny,$(BENCH_GEMM)$(comma)$(BENCH_PEERS),$(SKINNY_SIZES),31,peer=1.00)

# Beside our own product of floats, of the same size and in the same run.
bench-gemm-bf16: all  ## matrix products of bf16, against ours of floats and oneDNN's
	$(call bench_ladder,gemm_bf16,gemm-bf16,float$(comma)$(BENCH_GEMM)$(comma)onednn,$(NARROW_SIZES),15,float=1.60 peer=0.95)

bench-gemm-int8: all  ## matrix products of int8, against ours of floats and oneDNN's
	$(call bench_ladder,gemm_int8,gemm-int8,float$(comma)$(BENCH_GEMM)$(comma)onednn,$(NARROW_SIZES),15,float=3.00 peer=0.95)

# OpenBLAS keeps the kernels that it is told to take; everything else that could slow it down is unset.
bench-haswell:  ## a build for AVX2 against OpenBLAS's kernels for AVX2, forced
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/haswell MARCH=haswell all
	@unset OPENBLAS_L2_SIZE OPENBLAS_THREAD_TIMEOUT OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME; \
	OPENBLAS_CORETYPE=Haswell && export OPENBLAS_CORETYPE && mkdir -p $(BENCH_OUT) && set -x && \
	$(BUILD)/haswell/rungs bench gemm --keep-environment --rungs $(BENCH_GEMM),openblas --sizes $(LARGE_SIZES) \
	    --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) --csv $(BENCH_OUT)/haswell.csv --json $(BENCH_OUT)/haswell.json --floor peer=0.95

# The whole ladder at one size, as a picture.
bench-roofline: all  ## every rung of the matrix product under the machine's roofs: build/bench/roofline.svg
	@mkdir -p $(BENCH_OUT)
	$(RUNGS) bench gemm --sizes 1024 --csv $(BENCH_OUT)/roofline.csv --roofline $(BENCH_OUT)/roofline.svg

# Memory-bound operations, far out of cache: LADDER/RUNG/SIZE. The bound is the triad's bandwidth, interleaved.
MEMORY_SETS := $(foreach l,sigmoid/polynomial tanh/polynomial relu/loop sigmoid_gradient/loop tanh_gradient/loop relu_gradient/loop \
      sgd/one_pass momentum/one_pass adam/one_pass,$(l)/20000000) softmax/vector/20000x1000 \
    $(foreach l,batch_norm batch_norm_infer batch_norm_gradient layer_norm layer_norm_gradient,$(l)/vector/50176x256) \
    $(foreach l,max_pool max_pool_gradient average_pool average_pool_gradient,$(l)/vector/32x112x112x64x3x2x1)

bench-memory: all  ## activations, optimisers, softmax, normalisation, pooling: as fractions of the triad's rate
	@mkdir -p $(BENCH_OUT); status=0; \
	for set in $(MEMORY_SETS); do \
	    ladder=$${set%%/*}; size=$${set##*/}; rung=$${set#*/}; rung=$${rung%/*}; \
	    $(RUNGS) bench $$ladder --rungs $$rung --sizes $$size --rounds $(call rounds,15) --seconds $(BENCH_SECONDS) --floor bound=0.85 \
	        --csv $(BENCH_OUT)/memory-$$ladder.csv --json $(BENCH_OUT)/memory-$$ladder.json || status=1; \
	done; exit $$status

bench-gemv: all  ## matrix times vector
	$(call bench_ladder,gemv,gemv,all,$(GEMV_SIZES),31)

bench-lenet: all  ## training steps of LeNet-5 on images of 28 x 28, beside PyTorch
	@mkdir -p $(BENCH_OUT)
	@if $(PYTHON) -c 'import torch' >/dev/null 2>&1; then torch='--torch $(PYTHON)'; \
	 else echo '$(PYTHON) has no PyTorch (pip install torch): our rows stand alone; PYTHON=.. names another Python'; fi; \
	 set -ex; $(RUNGS) bench lenet --rounds $(call rounds,31) --csv $(BENCH_OUT)/lenet.csv --json $(BENCH_OUT)/lenet.json $$torch

bench-mlp: all  ## training steps of 64-64-10 and of 784-1024-1024-10, beside PyTorch
	@mkdir -p $(BENCH_OUT)
	@if $(PYTHON) -c 'import torch' >/dev/null 2>&1; then torch='--torch $(PYTHON)'; \
	 else echo '$(PYTHON) has no PyTorch (pip install torch): our rows stand alone; PYTHON=.. names another Python'; fi; \
	 set -ex; $(RUNGS) bench mlp --rounds $(call rounds,31) --csv $(BENCH_OUT)/mlp.csv --json $(BENCH_OUT)/mlp.json $$torch; \
	 $(RUNGS) bench mlp --inputs 784 --hidden 1024,1024 --batch 128 --kernels best --rounds $(call rounds,31) \
	   --csv $(BENCH_OUT)/mlp-large.csv --json $(BENCH_OUT)/mlp-large.json $$torch

.PHONY: bench bench-lenet bench-gemm-large bench-gemm-small bench-gemm-skinny bench-gemm-bf16 bench-gemm-int8 bench-haswell bench-roofline bench-memory bench-gemv bench-mlp
