/* Tiles of a product: see 08_expert_tiles.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_tiles.h"
#include <stdint.h>

enum { FEW_ROWS = TILE_SUMS };

int
vectors_in_place(const Product *p)
{
    const bool aligned = p->b_k % VECTOR_LANES == 0 && (uintptr_t)p->B % VECTOR_BYTES == 0;
    const int most = ceil_div(p->N, VECTOR_LANES);
    if (most <= 2)
        return most > 0 ? most : 1;
    if (most >= 8 && p->M <= TILE_SUMS / 8)
        return 8;
    if (p->M <= FEW_ROWS) { /* as few passes over B as possible, then as few loads of A */
        const int by_4 = ceil_div(p->M, TILE_SUMS / 4), by_3 = ceil_div(p->M, TILE_SUMS / 3);
        const int by_2 = ceil_div(p->M, TILE_SUMS / 2) + (TILE_VECTORS > 2);
        return most >= 4 && by_4 <= by_3 && by_4 <= by_2 ? 4 : by_3 <= by_2 ? 3 : 2;
    }
    return !aligned ? 2 : smaller(most, TILE_VECTORS); /* unaligned: most loads of B touch two lines, those of A one */
}

/* At 4 KiB from each other, more than 10 rows drive each other out of the first cache. */
int
rows_in_place(const Product *p, int vectors)
{
    return vectors > 1 ? TILE_SUMS / vectors : smaller(TILE_SUMS, p->M <= TILE_ROWS_MAX ? TILE_ROWS_MAX : 10);
}
