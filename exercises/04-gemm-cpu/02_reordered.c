/* LAB 04, exercise 04.1. This copy of cpu/gemm/02_reordered.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=04       points for each exercise, and the first wrong value
 *     make hint LAB=04.1      the next hint for an exercise
 *     make watch LAB=04       grade again whenever this file is saved
 *     make reset LAB=04       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from cpu/gemm/02_reordered.c; change it there. */
/* gemm, rung 2: reordered.
 * Idea      swap the two inner loops: for each k, add a row of B, times one element of A, to a row of C.
 * Before    naive walks down a column of B: one float used of each cache line, and a sum that waits for itself.
 * Now       the inner loop goes along rows of B and C, its iterations are independent, and the compiler makes vectors of it. But
 *           C is loaded and stored again for every k.   Wants: nothing; pays for an untransposed B only.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/gemm/gemm.h"
#include <stddef.h>

static void
scale_row(float *restrict c, size_t N, float beta)
{
    for (size_t n = 0; n < N; n++)
        c[n] = beta == 0 ? 0 : beta * c[n];
}

/* c[n] += a * b[n stride]. */
static void
add_row(float *restrict c, size_t N, float a, const float *restrict b, size_t stride)
{
    if (stride == 1)
        for (size_t n = 0; n < N; n++)
            c[n] += a * b[n];
    else
        for (size_t n = 0; n < N; n++)
            c[n] += a * b[n * stride];
}

/* EXERCISE 04.1  Reorder the loops (15 min, about 8 lines)
 * The sums of gemm_naive in another order: the loop over n is the innermost one, and add_row is that loop. For each row m of C
 *     C[m][n]  = beta C[m][n]                        for all n: scale_row
 *     C[m][n] += (alpha op(A)(m, k)) op(B)(k, n)     for all n: add_row, once for each k
 * Row m of C begins at &C[m * ldc]. gemm_naive shows where op(A)(m, k) lies, with and without transpose_a. Row k of op(B) begins
 * at &B[k * ldb] and goes on in steps of 1; of a transposed B it begins at &B[k] and goes on in steps of ldb. Indices are
 * size_t: m * ldc may be more than an int holds.
 */
void
gemm_reordered(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
               const float *B, int ldb, float beta, float *C, int ldc)
{
    EXERCISE_NOT_SOLVED("04.1"); /* TODO: about 8 lines */
}
