# Benchmarks. They take minutes and want a quiet machine; nothing else depends on them. SPDX-License-Identifier: MIT

BENCH_SIZES ?= 64,256,512,1003x999,2048,4096,1x100000,4x50000,10x1000,10000x10,100000x20
BENCH_ROUNDS ?= 31
PYTHON ?= python3

bench: all  ## verify and measure every rung beside OpenBLAS, a network beside PyTorch (minutes; results in build/bench)
	@mkdir -p $(BUILD)/bench
	$(RUNGS) bench gemv --sizes $(BENCH_SIZES) --rounds $(BENCH_ROUNDS) \
	  --csv $(BUILD)/bench/gemv.csv --json $(BUILD)/bench/gemv.json
	@echo; echo 'gemv, best rung against the best peer (above 1: ours is faster; 95 % interval):'
	@awk -f tools/bench_ratios.awk $(BUILD)/bench/gemv.csv
	@echo
	@if $(PYTHON) -c 'import torch' >/dev/null 2>&1; then torch='--torch $(PYTHON)'; \
	 else echo '$(PYTHON) has no PyTorch (pip install torch): our rows stand alone; PYTHON=.. names another Python'; fi; \
	 $(RUNGS) bench mlp --rounds $(BENCH_ROUNDS) --csv $(BUILD)/bench/mlp.csv --json $(BUILD)/bench/mlp.json $$torch

.PHONY: bench
