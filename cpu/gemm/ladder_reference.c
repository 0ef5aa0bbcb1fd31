/* gemm's ladder: the product in double that results are compared with. It need not be the fastest, but 4096 x 4096 x 4096 must
 * take seconds, not minutes: a tile of 4 rows and 3 vectors of columns stays in registers, a panel of B in cache, and threads
 * share the columns.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/gemm/ladder_internal.h"
#include "cpu/partition.h"
#include <stdbool.h>
#include <string.h>

typedef double Doubles __attribute__((vector_size(VECTOR_BYTES)));

enum { ROWS = 4, VECTORS = 3, LANES = VECTOR_BYTES / sizeof(double), COLUMNS = VECTORS * LANES, DEPTH = 256 };
#define PARALLEL_MIN 1e6

/* panel[k][0 .. COLUMNS-1] = op(B)[first_k + k][first_n ..], zeros behind the last column. */
static void
pack(const GemmOperands *o, int first_k, int depth, int first_n, int columns, double panel[DEPTH][COLUMNS])
{
    for (int k = 0; k < depth; k++) {
        const float *b = o->B + (size_t)(first_k + k) * o->b_k + (size_t)first_n * o->b_column;
        for (int n = 0; n < COLUMNS; n++)
            panel[k][n] = n < columns ? (double)b[(size_t)n * o->b_column] : 0.0;
    }
}

/* sums = rows m .. of op(A), from first_k on, times the panel. Behind the last row it is computed again. */
static void
sum_tile(const GemmOperands *o, int m, int first_k, int depth, double panel[DEPTH][COLUMNS], double sums[ROWS][COLUMNS])
{
    const float *a[ROWS];
    Doubles sum[ROWS][VECTORS] = {{{0}}};
    for (int i = 0; i < ROWS; i++)
        a[i] = o->A + (size_t)smaller(m + i, o->M - 1) * o->a_row + (size_t)first_k * o->a_k;
    for (int k = 0; k < depth; k++) {
        Doubles b[VECTORS];
        memcpy(b, panel[k], sizeof b);
#pragma GCC unroll 4
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[i][v] += (double)a[i][(size_t)k * o->a_k] * b[v];
    }
    memcpy(sums, sum, sizeof sum);
}

/* Columns first_n .. of C. */
static void
compute_columns(const GemmOperands *o, int first_n, int columns, double *C)
{
    double panel[DEPTH][COLUMNS], sums[ROWS][COLUMNS];
    for (int m = 0; m < o->M; m++)
        memset(C + (size_t)m * (size_t)o->N + (size_t)first_n, 0, sizeof(double) * (size_t)columns);
    for (int k = 0; k < o->K; k += DEPTH) {
        const int depth = smaller(DEPTH, o->K - k);
        pack(o, k, depth, first_n, columns, panel);
        for (int m = 0; m < o->M; m += ROWS) {
            sum_tile(o, m, k, depth, panel, sums);
            for (int i = 0; i < ROWS && m + i < o->M; i++)
                for (int n = 0; n < columns; n++)
                    C[(size_t)(m + i) * (size_t)o->N + (size_t)(first_n + n)] += sums[i][n];
        }
    }
}

void
gemm_reference(const GemmOperands *operands, double *C)
{
    /* For few multiplications threads cost more than they save, and on a busy machine a thousand times as much. */
#pragma omp parallel for schedule(dynamic) if ((double)operands->M * operands->N * operands->K > PARALLEL_MIN)
    for (int n = 0; n < operands->N; n += COLUMNS)
        compute_columns(operands, n, smaller(COLUMNS, operands->N - n), C);
}
