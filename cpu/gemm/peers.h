/* The peers of gemm: libraries that are loaded if they are here, each at its best setting. Not rungs of ours. What they take and
 * give is gemm's contract; `accepts` says whether there is one, and must have been asked before the first call.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PEERS_H
#define CPU_GEMM_PEERS_H

#include "core/error.h"
#include "cpu/gemm/gemm.h"

Gemm gemm_openblas; /* cblas_sgemm; the rest is in cpu/openblas.h */

Gemm gemm_blis; /* cblas_sgemm */
bool blis_accepts(const int *size, Error *reason);
const char *blis_describe(void);
void blis_use_threads(int threads);

Gemm gemm_onednn;        /* dnnl_sgemm; the rest is in cpu/onednn.h */
Gemm gemm_onednn_matmul; /* a primitive, prepared for one shape and kept for the next call */
const char *onednn_matmul_describe(void);

#endif
