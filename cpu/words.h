/* Products of narrow numbers: a multiply-add takes a group of them at once, 2 of bf16 or 4 of int8 that stand behind each other
 * along k, and adds their products into one sum of 4 bytes. Such a group is a word, and a product of words is a product of
 * floats in all but its multiply-add: the same five loops (cpu/gemm/five_loops.h), the same panels, the same tiles.
 *
 *                 k, k+1, ..                                    word of row m  = a(m, k) | a(m, k+1) | ..
 *         row m [ aa  aa  aa .. ]    bb bb bb ..  k, k+1, ..    word of column n = b(k, n) | b(k+1, n) | ..
 *               [ aa  aa  aa .. ]    bb bb bb ..                the element with the smallest k in the lowest bits
 *
 * A last group that is not whole has zeros in place of what is missing.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_WORDS_H
#define CPU_WORDS_H

#include "core/vector.h"
#include <stddef.h>

typedef uint32_t Words __attribute__((vector_size(VECTOR_BYTES)));

/* The tile of C that the registers hold: cpu/gemm/06_vector.c draws it. */
#if VECTOR_BYTES == 64
enum { TILE_ROWS = 14 };
#elif defined(__aarch64__)
enum { TILE_ROWS = 8 };
#else
enum { TILE_ROWS = 6 };
#endif
enum { TILE_VECTORS = 2, TILE_COLUMNS = TILE_VECTORS * VECTOR_LANES };
_Static_assert((int)TILE_ROWS <= (int)TILE_COLUMNS, "packing takes TILE_COLUMNS rows of A at a time");

static inline Words
words_load(const void *from)
{
    Words words;
    memcpy(&words, from, sizeof words);
    return words;
}

static inline void
words_store(void *to, Words words)
{
    memcpy(to, &words, sizeof words);
}

/* The same word in every lane. */
static inline Words
words_splat(uint32_t word)
{
    return word - (Words){0};
}

/* ---- packing: cpu/words.c ---- */

/* A panel: tiles of `width` rows of A or columns of B, one behind the other, [depth][width] words each. Several of them, so that
 * all of a cache line is packed when it comes, and not the same line once for each of the tiles that it holds elements of.
 *
 *                      k ->                       in memory
 *     tile 0   rows 0 .. width-1               [ k 0: width words | k 1: width words | .. ]
 *     tile 1   rows width .. 2 width - 1       [ k 0: width words | .. ]
 */
typedef struct WordPanel {
    uint32_t *words;
    int width, depth; /* width <= TILE_COLUMNS */
} WordPanel;

/* Packs the words of `count` rows (columns) with K elements each, into the first words of each tile; the last tile may be
 * narrow. Element (i, k) lies at x + i * element_bytes + k * stride. Up to a vector may be written behind the last tile. */
void words_pack_along(int element_bytes, const WordPanel *panel, const void *x, size_t stride, int count, int K);

/* The same, with element (i, k) at x + i * stride + k * element_bytes: then a group of k lies together already, and packing is
 * the transposition of a matrix of words. */
void words_pack_across(int element_bytes, const WordPanel *panel, const void *x, size_t stride, int count, int K);

/* ---- a micro-kernel for each tile ---- */

/* FUNCTION(rows, vectors, tile) with the first two constant, so that what is inlined there unrolls and the sums stay in
 * registers: the tile's rows (1 .. TILE_ROWS) and the vectors that its columns take. Under AddressSanitizer one version serves
 * all: its checks inside unrolled loops take minutes to compile. */
#ifdef __SANITIZE_ADDRESS__
#define WITH_CONSTANT_TILE(FUNCTION, tile) FUNCTION((tile)->rows, (tile)->columns > VECTOR_LANES ? 2 : 1, tile);
#else
#define TILE_CASE(ROWS, FUNCTION, tile)                                                                                \
    case 2 * (ROWS):                                                                                                   \
        FUNCTION(ROWS, 1, tile);                                                                                       \
        break;                                                                                                         \
    case 2 * (ROWS) + 1:                                                                                               \
        FUNCTION(ROWS, 2, tile);                                                                                       \
        break;
#if VECTOR_BYTES == 64
#define TILE_CASES_FROM_7(FUNCTION, tile)                                                                              \
    TILE_CASE(7, FUNCTION, tile)                                                                                       \
    TILE_CASE(8, FUNCTION, tile)                                                                                       \
    TILE_CASE(9, FUNCTION, tile)                                                                                       \
    TILE_CASE(10, FUNCTION, tile)                                                                                      \
    TILE_CASE(11, FUNCTION, tile)                                                                                      \
    TILE_CASE(12, FUNCTION, tile)                                                                                      \
    TILE_CASE(13, FUNCTION, tile)                                                                                      \
    TILE_CASE(14, FUNCTION, tile)
#elif defined(__aarch64__)
#define TILE_CASES_FROM_7(FUNCTION, tile) TILE_CASE(7, FUNCTION, tile) TILE_CASE(8, FUNCTION, tile)
#else
#define TILE_CASES_FROM_7(FUNCTION, tile)
#endif
#define WITH_CONSTANT_TILE(FUNCTION, tile)                                                                             \
    switch (2 * (tile)->rows + ((tile)->columns > VECTOR_LANES)) {                                                     \
        TILE_CASE(1, FUNCTION, tile)                                                                                   \
        TILE_CASE(2, FUNCTION, tile)                                                                                   \
        TILE_CASE(3, FUNCTION, tile)                                                                                   \
        TILE_CASE(4, FUNCTION, tile)                                                                                   \
        TILE_CASE(5, FUNCTION, tile)                                                                                   \
        TILE_CASE(6, FUNCTION, tile)                                                                                   \
        TILE_CASES_FROM_7(FUNCTION, tile)                                                                              \
    }
#endif

#endif
