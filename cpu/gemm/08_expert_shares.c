/* Shares of a product: see 08_expert_shares.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_shares.h"
#include "cpu/float_tile.h"
#include "cpu/partition.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* The rows of thread t of so many. */
static Product
share_of_rows(const Product *p, int t, int threads)
{
    const int first = partition_begin(t, threads, p->M);
    Product share = *p;
    share.M = partition_begin(t + 1, threads, p->M) - first;
    share.A = product_a(p, first, 0);
    share.C = product_c(p, first, 0);
    share.first_c = (size_t)first * p->ldc;
    return share;
}

/* The columns of thread t of so many, whole tiles; there may be none. */
static Product
share_of_columns(const Product *p, int t, int threads)
{
    const int tiles = ceil_div(p->N, TILE_COLUMNS);
    const int first = smaller(partition_begin(t, threads, tiles) * TILE_COLUMNS, p->N);
    Product share = *p;
    share.N = smaller(partition_begin(t + 1, threads, tiles) * TILE_COLUMNS, p->N) - first;
    share.B = product_b(p, 0, first);
    share.C = product_c(p, 0, first);
    share.first_n = first;
    share.first_c = (size_t)first;
    return share;
}

void
product_share(const Product *p, MultiplyShare *multiply, bool by_columns, int threads)
{
#ifdef _OPENMP
    if (omp_in_parallel())
        threads = 1; /* a team inside a team has one thread, which would do all shares one by one */
#endif
    if (!by_columns && p->M < SHARE_ROWS * threads)
        threads = p->M < SHARE_ROWS ? 1 : p->M / SHARE_ROWS;
    if (threads == 1) {
        multiply(p);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        const Product share = by_columns ? share_of_columns(p, t, threads) : share_of_rows(p, t, threads);
        if (share.M > 0 && share.N > 0)
            multiply(&share);
    }
}
