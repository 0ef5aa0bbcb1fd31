/* The peers of gemm_int8. What they take and give is its contract; `accepts` says whether they are there, and must have been
 * asked before the first call.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_PEERS_H
#define CPU_GEMM_INT8_PEERS_H

#include "core/error.h"
#include "cpu/gemm_int8/gemm_int8.h"

GemmInt8 gemm_int8_onednn; /* dnnl_gemm_u8s8s32; how many threads: onednn_use_threads (cpu/onednn.h) */
bool gemm_int8_onednn_accepts(const int *size, Error *reason);
const char *gemm_int8_onednn_describe(void);

/* Whether it is right for all inputs: computed with the largest ones. Without VNNI sums of two products saturate at 16 bits,
 * and it is right only where none exceeds 32767: where A holds 0 .. 127, or for the ladder's inputs. False if oneDNN is not
 * here. */
bool gemm_int8_onednn_exact(void);

#endif
