/* What the rungs of gemm_int8 on panels share: the check of K, storing a row of a tile, and the loop over blocks of k.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_BLOCKS_H
#define CPU_GEMM_INT8_BLOCKS_H

#include "core/checked.h"
#include "cpu/gemm/low_precision.h"
#include "cpu/gemm_int8/gemm_int8.h"

static inline LowPrecisionGemm
int8_gemm(bool transpose_a, bool transpose_b, int K, const uint8_t *A, int lda, int zero_a, const int8_t *B, int ldb,
          int zero_b, int32_t *C, int ldc)
{
    CHECK_THAT(K <= gemm_int8_longest(zero_a, zero_b), "sums of %d products may leave 32 bits; %d are the limit", K,
               gemm_int8_longest(zero_a, zero_b));
    LowPrecisionGemm p = low_precision_gemm(1, transpose_a, transpose_b, K, A, lda, B, ldb, C, ldc);
    p.zero_a = zero_a;
    p.zero_b = zero_b;
    return p;
}

/* c[n] = sum[n] for the block that begins a sum, c[n] += sum[n] for those after it. */
static inline void
int8_finish_row(int columns, const uint32_t *sum, bool first, int32_t *c)
{
    for (int n = 0; n < columns; n++)
        c[n] = (int32_t)(first ? sum[n] : (uint32_t)c[n] + sum[n]);
}

/* Loops over k in blocks of at most `words` words, each a product of its own that is added to C: rungs 3 and 4 need the sums of a
 * whole panel's rows or columns, and put them into one word more, behind the others. */
static inline void
int8_blocks_of_k(LowPrecisionGemm *p, FiveLoops loops, int words)
{
    const int K = p->K, all = ceil_div(K, 4), parts = all > 0 ? ceil_div(all, words) : 1;
    for (int i = 0; i < parts; i++) {
        const int begin = partition_begin(i, parts, all), end = partition_begin(i + 1, parts, all);
        p->first = 4 * begin;
        p->K = (4 * end < K ? 4 * end : K) - p->first;
        loops.K = loops.K_block = end - begin + 1;
        five_loops(&loops);
    }
}

#endif
