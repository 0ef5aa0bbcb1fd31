/* The five loops around a micro-kernel, after Goto and van de Geijn (Anatomy of high-performance matrix multiplication, 2008) in
 * the form of BLIS (Van Zee and van de Geijn, 2015): every operand is used again from the cache that it fits.
 *
 *     loop 5   n, by N_block      a block of C's columns
 *     loop 4   k, by K_block      B's block [K_block][N_block] is packed:                        lives in the shared L3
 *     loop 3   m, by M_block      A's block [M_block][K_block] is packed, by each thread:        lives in its L2
 *     loop 2   n, by tile_columns a panel of B [K_block][tile_columns]:                          lives in its L1
 *     loop 1   m, by tile_rows    a panel of A [K_block][tile_rows] streams from L2 past it
 *     kernel   k, one by one      a tile of C [tile_rows][tile_columns]:                         lives in registers
 *
 * The loops neither read operands nor know what an element is: a product brings three functions that pack panels and compute
 * tiles. A panel consists of words of 4 bytes, `count` for each k: a word is one float, or 2 of bf16, or 4 of int8.
 *
 * The partition of k depends on K alone, so an element of C is summed in the same order by any number of threads.
 * Lecture: lectures/04-gemm-cpu.md. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_FIVE_LOOPS_H
#define CPU_GEMM_FIVE_LOOPS_H

#include "cpu/partition.h"
#include <stdbool.h>

/* A block of the product: rows m .. m+rows-1 and columns n .. n+columns-1 of C, summed over k .. k+K-1. The first block of a sum
 * has k = 0, also where the whole sum is empty. */
typedef struct GemmBlock {
    int m, rows, n, columns, k, K;
} GemmBlock;

/* Packs `count` rows of A (or columns of B) from `first` on, words k .. k+K-1 of each. A panel may be written 64 bytes beyond its
 * tile_rows (tile_columns) * K words: what comes there is packed later. */
typedef void PackPanel(const void *product, int first, int count, int k, int K, void *panel);

/* Adds this block's products to C. The panels are those packed for its rows and columns; NULL where nothing was packed. */
typedef void ComputeTile(const void *product, const GemmBlock *part, const void *a, const void *b);

typedef struct FiveLoops {
    int M, N, K;                 /* K in words */
    int tile_rows, tile_columns; /* the micro-kernel takes 1 .. this many */
    int M_block, N_block, K_block;
    PackPanel *pack_a, *pack_b; /* NULL: the operand is read in place */
    ComputeTile *compute;
    const void *product;
    int threads; /* at most; they partition C by rows, or by columns if N > M (five_loops.c) */
} FiveLoops;

void five_loops(const FiveLoops *loops);

#endif
