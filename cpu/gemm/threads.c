/* See threads.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/threads.h"
#include "cpu/gemm/micro_kernel.h"
#include "cpu/partition.h"
#ifdef _OPENMP
#include <omp.h>
#endif

static StridedGemm
block_of_rows(const StridedGemm *p, int t, int threads)
{
    const int first = partition_begin(t, threads, p->M);
    StridedGemm block = *p;
    block.M = partition_begin(t + 1, threads, p->M) - first;
    block.A = gemm_a(p, first, 0);
    block.C = gemm_c(p, first, 0);
    block.first_c = (size_t)first * p->ldc;
    return block;
}

/* Whole tiles; there may be none. */
static StridedGemm
block_of_columns(const StridedGemm *p, int t, int threads)
{
    const int tiles = ceil_div(p->N, TILE_COLUMNS);
    const int first = smaller(partition_begin(t, threads, tiles) * TILE_COLUMNS, p->N);
    StridedGemm block = *p;
    block.N = smaller(partition_begin(t + 1, threads, tiles) * TILE_COLUMNS, p->N) - first;
    block.B = gemm_b(p, 0, first);
    block.C = gemm_c(p, 0, first);
    block.first_n = first;
    block.first_c = (size_t)first;
    return block;
}

void
gemm_partition(const StridedGemm *p, MultiplyBlock *multiply, bool by_columns, int threads)
{
#ifdef _OPENMP
    if (omp_in_parallel())
        threads = 1; /* a nested region has one thread, which would compute all blocks one by one */
#endif
    if (!by_columns && p->M < THREAD_ROWS * threads)
        threads = p->M < THREAD_ROWS ? 1 : p->M / THREAD_ROWS;
    if (threads == 1) {
        multiply(p);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        const StridedGemm block = by_columns ? block_of_columns(p, t, threads) : block_of_rows(p, t, threads);
        if (block.M > 0 && block.N > 0)
            multiply(&block);
    }
}

bool
gemm_is_partitioned_by_columns(const StridedGemm *p, int threads)
{
    return p->M < threads * TILE_ROWS ||
           (p->N >= p->M / 2 && partition_is_balanced(ceil_div(p->N, TILE_COLUMNS), threads));
}
