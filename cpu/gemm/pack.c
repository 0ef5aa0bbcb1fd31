/* See pack.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/pack.h"
#include "core/vector.h"
#include "cpu/partition.h"

enum { ROWS_AHEAD = 16, FLOATS_AHEAD = 64 }; /* prefetched ahead: the stride defeats the hardware prefetcher */

/* x_i = 1: a row of the panel is a row of the matrix. Whole vectors are written; what exceeds the row is overwritten by the next
 * one, or follows the panel. */
static void
pack_along(float *restrict panel, size_t width, const float *restrict x, size_t x_k, int count, int K)
{
    for (int k = 0; k < K; k++, panel += width, x += x_k)
        for (int i = 0; i < count; i += VECTOR_LANES) {
            __builtin_prefetch(x + ROWS_AHEAD * x_k + i);
            vector_store(panel + i, vector_load_first(x + i, count - i));
        }
}

/* x_k = 1: a column of the panel is a row of the matrix. Squares of VECTOR_LANES x VECTOR_LANES are transposed in registers. */
static void
pack_square(float *restrict panel, size_t width, const float *restrict x, size_t x_i, int count, int K)
{
    Vector square[VECTOR_LANES];
    if (K == VECTOR_LANES) {
        for (int i = 0; i < VECTOR_LANES; i++)
            square[i] = i < count ? vector_load(x + (size_t)i * x_i) : (Vector){0};
    } else {
        for (int i = 0; i < VECTOR_LANES; i++)
            square[i] = i < count ? vector_load_first(x + (size_t)i * x_i, K) : (Vector){0};
    }
    for (int i = 0; i < count; i++)
        __builtin_prefetch(x + (size_t)i * x_i + FLOATS_AHEAD);
    vector_transpose(square);
    for (int k = 0; k < K; k++)
        vector_store(panel + (size_t)k * width, square[k]);
}

void
pack_panel(float *panel, int width, const float *x, size_t x_i, size_t x_k, int count, int K)
{
    if (x_i == 1) {
        pack_along(panel, (size_t)width, x, x_k, count, K);
        return;
    }
    /* Backwards: where the width is no multiple of a vector, the last vector of a row overwrites the beginning of the next row,
     * which is written later. */
    for (int i = (count - 1) / VECTOR_LANES * VECTOR_LANES; i >= 0; i -= VECTOR_LANES)
        for (int k = 0; k < K; k += VECTOR_LANES)
            pack_square(panel + (size_t)k * (size_t)width + i, (size_t)width, x + (size_t)i * x_i + k, x_i,
                        smaller(VECTOR_LANES, count - i), smaller(VECTOR_LANES, K - k));
}
