/* See blocks.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/blocks.h"

enum { K_MIN = 256 };

/* The multiple of `unit` at or below x; at least one unit. */
static int
whole(size_t x, int unit)
{
    const size_t most = 1 << 20, limited = x < most ? x : most;
    return limited < (size_t)unit ? unit : (int)limited / unit * unit;
}

/* BEGIN LISTING blocks */
GemmBlocks
gemm_blocks(const size_t cache[4], int tile_rows, int tile_columns)
{
    const size_t l2 = (cache[2] > 0 ? cache[2] : (size_t)512 << 10) / sizeof(float);
    const size_t l3 = (cache[3] > 0 ? cache[3] : (size_t)8 << 20) / sizeof(float);
    const size_t k = l2 / 256 < K_MIN ? K_MIN : l2 / 256 > GEMM_K_MAX ? GEMM_K_MAX : l2 / 256;
    GemmBlocks blocks = {.k = (int)k};
    blocks.m = whole(l2 * 3 / 8 / k, tile_rows);
    blocks.n = whole(l3 / 4 / k, tile_columns);
    blocks.k_in_place = blocks.k + blocks.k / 4;
    blocks.a_in_place = l2 / 2;
    blocks.b_in_place = 2 * l2;
    blocks.a_in_l3 = l3 * 3 / 8;
    blocks.b_in_l3 = l3 / 2;
    return blocks;
}
/* END LISTING blocks */
