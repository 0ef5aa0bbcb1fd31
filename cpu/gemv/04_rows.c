/* gemv, rung 4: rows.
 * Idea      eight rows at a time, so that one load of x serves eight multiply-adds.
 *
 *               x            [ 16 columns ]                       one load
 *               row i        [            ]  -> sum[0]            one load and one multiply-add each
 *               row i + 1    [            ]  -> sum[1]
 *               ..
 *               row i + 7    [            ]  -> sum[7]
 *
 * Before    two loads a multiply-add; at the end of each row its 16 sums were added up on their own, and the last N % 16 columns
 *           went one by one.
 * Now       9 / 8 loads a multiply-add. The eight rows are eight chains, so one vector each is enough; their sums are added up
 *           together (vector_sums). The N % 16 edge columns are one more step, with zeros in the unused lanes.
 * Model     A and an eighth as much of x at the bandwidth of L1, or the bytes from the level that holds them. From 64 columns.
 * Wants     nothing (any M, N): the last M % 8 rows go in tiles of 4, 2, 1 rows.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemv/gemv.h"

enum { SUMS = 8 }; /* accumulators of a tile: 8 rows with one each, 4 with two, 2 with four, one row with eight */

/* What all tiles of a call share. */
typedef struct GemvCall {
    int N;
    float alpha, beta;
    size_t lda;
    const float *x;
} GemvCall;

/* y[0 .. rows-1]. Inlined with `rows` constant, so that the loops over rows and chains unroll and the sums stay in registers. */
static inline __attribute__((always_inline)) void
tile(const GemvCall *p, const int rows, const float *A, float *y)
{
    const int chains = SUMS / rows, N = p->N;
    Vector sum[SUMS] = {{0.0f}};
    int j = 0;
    for (; N - j >= chains * VECTOR_LANES; j += chains * VECTOR_LANES)
#pragma GCC unroll 8
        for (int s = 0; s < SUMS; s++)
            sum[s] += vector_load(A + (s / chains) * p->lda + j + s % chains * VECTOR_LANES) *
                      vector_load(p->x + j + s % chains * VECTOR_LANES);
#pragma GCC unroll 8
    for (int c = 0; c < chains - 1; c++)
        if (N - j >= VECTOR_LANES) { /* fewer whole vectors than chains are left: the last chain is for the tail */
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++)
                sum[r * chains + c] += vector_load(A + r * p->lda + j) * vector_load(p->x + j);
            j += VECTOR_LANES;
        }
    if (j < N) {
        Vector part = vector_load_first(p->x + j, N - j);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            sum[(r + 1) * chains - 1] += vector_load_first(A + r * p->lda + j, N - j) * part;
    }
    if (rows == 8) {
        gemv_finish_eight(p->alpha, vector_sums(sum), p->beta, y);
        return;
    }
    float total[SUMS];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        for (int c = 1; c < chains; c++)
            sum[r * chains] += sum[r * chains + c];
        total[r] = vector_sum(sum[r * chains]);
    }
    gemv_finish(rows, p->alpha, total, p->beta, y);
}

void
gemv_rows(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    const GemvCall p = {.N = N, .alpha = alpha, .beta = beta, .lda = (size_t)lda, .x = x};
    int i = 0;
    for (; M - i >= 8; i += 8)
        tile(&p, 8, A + (size_t)i * p.lda, y + i);
    if (M - i >= 4) {
        tile(&p, 4, A + (size_t)i * p.lda, y + i);
        i += 4;
    }
    if (M - i >= 2) {
        tile(&p, 2, A + (size_t)i * p.lda, y + i);
        i += 2;
    }
    if (M - i >= 1)
        tile(&p, 1, A + (size_t)i * p.lda, y + i);
}
