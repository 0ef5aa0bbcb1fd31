/* Block sizes from the caches, for rung 12: which operand stays in which cache, after Goto and van de Geijn (2008) and Low, Igual,
 * Smith and Quintana-Orti, Analytical Modeling Is Enough for High-Performance BLIS (2016).
 *
 *     k_c     L2 / 1 KiB, from 256 to 1024     a panel of B of 16 columns takes 1/16 of L2, one of 64 columns 1/4. It is read
 *                                              from there for each tile: 2 vectors for 12 FMAs, or 4 for 24. A deeper one
 *                                              gains little, since C is read and written once for each k_c terms of its sums
 *     m_c     3/8 L2 / k_c                     a packed block of A shares L2 with that panel
 *     n_c     1/4 L3 / k_c                     a packed block of B: L3 is shared with other cores
 *
 * The papers give L1 to the panel of B, with k_c near 256. Measured with one thread of a Zen 4 (AVX2, L2 1 MiB), sgemm 1024 and
 * 2048 with k_c 256, 512 and 1024 reach 0.85, 0.93 and 0.92 of OpenBLAS: what a tile costs beside its FMAs weighs more than L1.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BLOCKS_H
#define CPU_GEMM_BLOCKS_H

#include <stddef.h>

enum { GEMM_K_MAX = 1024 }; /* no block of k is deeper; k_in_place is at most 5/4 of it */

typedef struct GemmBlocks {
    int k, m, n;    /* k_c; m_c, whole tiles; n_c, whole tiles */
    int k_in_place; /* longest sum that is computed in one piece from a B in place: its panel shares L2 with A and C */
    size_t a_in_place, b_in_place; /* elements up to which A (transposed) and B are read in place */
    size_t a_in_l3, b_in_l3;       /* elements of A and B that L3 keeps beside others */
} GemmBlocks;

/* cache: bytes of L1, L2, L3 at [1] [2] [3] as in Host (core/host.h); for those that are 0, a common size: 512 KiB of L2, 8 MiB of
 * L3. tile_rows, tile_columns: of the micro-kernel, m_r and n_r. */
GemmBlocks gemm_blocks(const size_t cache[4], int tile_rows, int tile_columns);

#endif
