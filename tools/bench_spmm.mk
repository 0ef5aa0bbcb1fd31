# Sparse against dense: at which density do they cross? SPDX-License-Identifier: MIT

# A square product, a layer of a convolution (512 channels of 3 x 3 x 512 weights, 14 x 14 pixels), a layer with a batch of 16.
SPMM_SHAPES ?= 1024x1024x1024 512x196x4608 1024x16x1024
SPMM_DENSITIES ?= 5 10 20 50 100 200 300 400 500 700
SPMM_SIZES = $(call list,$(foreach shape,$(SPMM_SHAPES),$(foreach density,$(SPMM_DENSITIES),$(shape)x$(density))))

bench-spmm: all  ## sparse times dense from 0.5 to 70 % of entries: where is it as fast as the dense product?
	@mkdir -p $(BENCH_OUT)
	$(RUNGS) bench spmm --rungs reordered,vector,openmp,dense --sizes $(SPMM_SIZES) --rounds $(call rounds,15) \
	  --seconds $(BENCH_SECONDS) --csv $(BENCH_OUT)/spmm.csv --json $(BENCH_OUT)/spmm.json \
	  --crossing dense $(call figure,--svg,spmm.svg)

.PHONY: bench-spmm
