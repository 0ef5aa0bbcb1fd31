/* Products of low-precision numbers (cpu/gemm_bf16, cpu/gemm_int8): one multiply-add takes a group of 2 bf16 or 4 int8 that
 * follow each other along k, and adds their products to one sum of 4 bytes. Such a group is a word, and a product of words is
 * a product of floats in all but its multiply-add: the same five loops (five_loops.h), the same panels, the same tiles.
 *
 *                 k, k+1, ..                                    word of row m  = a(m, k) | a(m, k+1) | ..
 *         row m [ aa  aa  aa .. ]    bb bb bb ..  k, k+1, ..    word of column n = b(k, n) | b(k+1, n) | ..
 *               [ aa  aa  aa .. ]    bb bb bb ..                the element with the smallest k in the lowest bits
 *
 * A last group that is not whole is filled up with zeros.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_LOW_PRECISION_H
#define CPU_GEMM_LOW_PRECISION_H

#include "core/vector.h"
#include "cpu/gemm/strided.h"
#include <stddef.h>

/* ---- a product whose transposes are strides ---- */

/* op(A)(m, k) is element m * a_row + k * a_k of A, op(B)(k, n) element k * b_k + n * b_column of B: one of the two strides is
 * 1. */
typedef struct LowPrecisionGemm {
    int element_bytes;
    const void *A, *B;
    size_t a_row, a_k, b_k, b_column, ldc;
    void *C; /* floats, or int32_t */
    float alpha, beta;
    int zero_a, zero_b;
    int first, K; /* of the sum over k: the block that the panels hold, elements first .. first + K - 1 */
} LowPrecisionGemm;

/* alpha, beta and the zero points are left to the caller. */
static inline LowPrecisionGemm
low_precision_gemm(int element_bytes, bool transpose_a, bool transpose_b, int K, const void *A, int lda, const void *B,
                   int ldb, void *C, int ldc)
{
    return (LowPrecisionGemm){.element_bytes = element_bytes,
                              .A = A,
                              .B = B,
                              .a_row = transpose_a ? 1 : (size_t)lda,
                              .a_k = transpose_a ? (size_t)lda : 1,
                              .b_k = transpose_b ? 1 : (size_t)ldb,
                              .b_column = transpose_b ? (size_t)ldb : 1,
                              .ldc = (size_t)ldc,
                              .C = C,
                              .K = K};
}

/* The elements op(A)(m, first + k), op(B)(first + k, n), C(m, n). */
static inline const void *
low_precision_a(const LowPrecisionGemm *p, int m, int k)
{
    return (const char *)p->A + ((size_t)m * p->a_row + (size_t)(p->first + k) * p->a_k) * (size_t)p->element_bytes;
}

static inline const void *
low_precision_b(const LowPrecisionGemm *p, int k, int n)
{
    return (const char *)p->B + ((size_t)(p->first + k) * p->b_k + (size_t)n * p->b_column) * (size_t)p->element_bytes;
}

static inline void *
low_precision_c(const LowPrecisionGemm *p, int m, int n)
{
    return (char *)p->C + ((size_t)m * p->ldc + (size_t)n) * 4;
}

/* ---- words ---- */

typedef uint32_t Words __attribute__((vector_size(VECTOR_BYTES)));

/* The tile of C that the registers hold: 06_vector.c draws it. */
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

/* The five loops with the block sizes of rung 6 of gemm, on one thread, K in words; packing and computing are left to the
 * caller. */
static inline FiveLoops
low_precision_loops(int M, int N, int K, const LowPrecisionGemm *product)
{
    return (FiveLoops){.M = M,
                       .N = N,
                       .K = K,
                       .tile_rows = TILE_ROWS,
                       .tile_columns = TILE_COLUMNS,
                       .M_block = 28 * TILE_ROWS,
                       .N_block = 4096,
                       .K_block = 256,
                       .product = product,
                       .threads = 1};
}

/* ---- packing: low_precision.c ---- */

/* A panel: tiles of `width` rows of A or columns of B, one behind the other, [depth][width] words each. Several of them, so that
 * all of a cache line is packed when it is loaded, and not the same line once for each tile that it holds elements of.
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
 * narrower. Element (i, k) is number i * x_i + k * x_k of x; one of the strides is 1. Up to a vector may be written behind
 * the last tile. */
void words_pack(int element_bytes, const WordPanel *panel, const void *x, size_t x_i, size_t x_k, int count, int K);

/* ---- a micro-kernel for each tile ---- */

/* FUNCTION(rows, vectors, tile) with the tile's rows (1 .. TILE_ROWS) and vectors constant, so that the loops inlined there
 * unroll and the sums stay in registers. Under AddressSanitizer one version serves all: its checks inside unrolled loops take
 * minutes to compile. */
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
