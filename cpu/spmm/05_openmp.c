/* spmm, rung 5: OpenMP.
 * Idea      the rows are shared out between the threads by the number of their entries, not by their own.
 *
 *               row       0   1   2   3   4   5   6   7          equal numbers of rows:      9 and 3 entries
 *               entries   4   3   1   1   1   0   1   1          equal numbers of entries:   rows 0 - 1 and 2 - 7
 *
 *           Each row costs something also without entries (C is written): as much as ROW_WORK of them.
 * Before    one core's multiply-adds, and the bytes that one core gets from its cache.
 * Now       those of all; the threads' parts of the work differ by one row's at most. A block of B is copied by all together,
 *           then read by all. An element of C is summed by one thread and in rung 4's order, so the result has rung 4's bits.
 * Model     rung 4's, at what all threads read together. Waking them is left out.
 * Wants     nothing; uses one thread below PARALLEL_MIN multiply-adds.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/spmm/packed.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { ROW_WORK = 4 };

/* Below, waking the other threads costs more than they save. */
#define PARALLEL_MIN 5e5

int
spmm_openmp_threads(const Csr *A, int N, int threads)
{
    return (double)A->nonzeros * N < PARALLEL_MIN ? 1 : threads;
}

/* Of the rows before row i. */
static double
work_before(const Csr *A, int i)
{
    return (double)(A->offset[i] - A->offset[0]) + (double)ROW_WORK * i;
}

int
spmm_openmp_first_row(const Csr *A, int t, int threads)
{
    const double share = work_before(A, A->rows) * t / threads;
    int low = 0, high = A->rows; /* the first row with no less work before it than the share lies there */
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (work_before(A, middle) < share)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#ifdef _OPENMP

/* Rung 3 for this thread's rows: B is not packed. */
static void
multiply_rows(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int first = spmm_openmp_first_row(A, t, threads), end = spmm_openmp_first_row(A, t + 1, threads);
    const Csr mine = csr_rows(A, first, end);
    spmm_vector(&mine, N, alpha, B, ldb, beta, C + (size_t)first * (size_t)ldc, ldc);
}

/* Rung 4 for this thread's rows; all threads pack the shared block. */
static void
multiply_packed_rows(const Packed *p)
{
    const int t = omp_get_thread_num(), threads = omp_get_num_threads();
    const int first = spmm_openmp_first_row(p->A, t, threads), end = spmm_openmp_first_row(p->A, t + 1, threads);
    Block block = packed_first(p);
    do {
#pragma omp for schedule(static) /* at its end all wait for all: the block is complete */
        for (int row = 0; row < block.rows; row++)
            packed_copy_row(p, &block, row);
        packed_multiply(p, &block, first, end);
#pragma omp barrier /* nobody reads the block any more */
    } while (packed_next(p, &block));
}

#endif

void
spmm_openmp(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
#ifdef _OPENMP
    const int threads = spmm_openmp_threads(A, N, host_threads());
    if (threads > 1 && packed_pays(A, N)) {
        const Packed p = packed_create(A, N, alpha, B, ldb, beta, C, ldc);
#pragma omp parallel num_threads(threads)
        multiply_packed_rows(&p);
        return;
    }
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        multiply_rows(A, N, alpha, B, ldb, beta, C, ldc);
        return;
    }
#endif
    spmm_packed(A, N, alpha, B, ldb, beta, C, ldc);
}
