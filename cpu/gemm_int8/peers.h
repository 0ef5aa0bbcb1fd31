/* The peers of gemm_int8. What they take and give is its contract; `accepts` says whether they are there, and must have been
 * asked before the first call.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_PEERS_H
#define CPU_GEMM_INT8_PEERS_H

#include "core/error.h"
#include "cpu/gemm_int8/gemm_int8.h"

GemmInt8 gemm_int8_onednn; /* dnnl_gemm_u8s8s32; how many threads: onednn_use_threads (cpu/onednn.h) */
bool gemm_int8_onednn_accepts(const int *size, Error *reason);

#endif
