/* The peers of gemm_bf16. What they take and give is its contract, with the restrictions that stand here; `accepts` says
 * whether they are there, and must have been asked before the first call.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BF16_PEERS_H
#define CPU_GEMM_BF16_PEERS_H

#include "core/error.h"
#include "cpu/gemm_bf16/gemm_bf16.h"

/* oneDNN's matmul primitive on matrices in place, without packing in advance. alpha = 1 and beta = 0 only. How many
 * threads: onednn_use_threads (cpu/onednn.h). */
GemmBf16 gemm_bf16_onednn;
bool gemm_bf16_onednn_accepts(const int *size, Error *reason);
const char *gemm_bf16_onednn_describe(void);

#endif
