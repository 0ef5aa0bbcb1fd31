/* A product partitioned among threads: each computes a block of rows of C, or a block of columns in whole tiles, as a product
 * of its own.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_THREADS_H
#define CPU_GEMM_THREADS_H

#include "cpu/gemm/strided.h"

/* A block of rows has at least this many rows if C has them. Then no block falls below what an algorithm requires (tall_skinny: 8
 * rows), and the algorithm does not depend on the number of threads. */
enum { THREAD_ROWS = 8 };

typedef void MultiplyBlock(const StridedGemm *block);

/* Calls multiply() once for each block that is not empty, on at most `threads` threads; on the calling thread inside a parallel
 * region. */
void gemm_partition(const StridedGemm *product, MultiplyBlock *multiply, bool by_columns, int threads);

/* Whether threads should partition C by columns where B is used in panels: then each panel is packed once, but every thread reads
 * all of A. So C must not be tall and its panels must be balanced; or there are too few rows to partition. */
bool gemm_is_partitioned_by_columns(const StridedGemm *product, int threads);

#endif
