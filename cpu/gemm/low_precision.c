/* Packing into panels of words, two vectors of words at a time: see low_precision.h. Intrinsics: one, for the bytes at an edge.
 * Without AVX-512 they are copied one row at a time.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/low_precision.h"
#include "cpu/partition.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A row of TILE_COLUMNS elements: as bytes, as 16 bits each, and the two halves of the latter. */
typedef uint8_t Bytes __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef uint16_t Shorts __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t HalfShorts __attribute__((vector_size(VECTOR_BYTES / 2)));

/* The first bytes (fewer than a vector's), zeros behind them, whose memory is not touched. */
ALWAYS_INLINE Words
load_first(const uint8_t *from, int bytes)
{
#if VECTOR_BYTES == 64 && defined(__AVX512BW__)
    return (Words)_mm512_maskz_loadu_epi8(((uint64_t)1 << bytes) - 1, from);
#else
    Words words = {0};
    memcpy(&words, from, (size_t)bytes);
    return words;
#endif
}

/* ---- elements that follow each other along a panel ---- */

/* BEGIN LISTING words-along */
/* TILE_COLUMNS elements of 1 or 2 bytes, or the first `count` of them, as 16 bits each. */
ALWAYS_INLINE Shorts
load_row(const int element_bytes, const uint8_t *x, int count)
{
    Words row;
    if (count < TILE_COLUMNS)
        row = load_first(x, count * element_bytes);
    else
        memcpy(&row, x, (size_t)(TILE_COLUMNS * element_bytes)); /* the vector, or its first half */
    if (element_bytes == 2)
        return (Shorts)row;
    Bytes bytes;
    memcpy(&bytes, &row, sizeof bytes);
    return __builtin_convertvector(bytes, Shorts);
}

/* Words low | high << 16 of two rows. Widening by shifts costs what interleaving by shuffles does, and looks the same for all
 * widths. */
ALWAYS_INLINE void
store_words(uint32_t *panel, Shorts low, Shorts high, int count)
{
    HalfShorts l[2], h[2];
    memcpy(l, &low, sizeof l);
    memcpy(h, &high, sizeof h);
    words_store(panel, __builtin_convertvector(l[0], Words) | __builtin_convertvector(h[0], Words) << 16);
    if (count > VECTOR_LANES)
        words_store(panel + VECTOR_LANES, __builtin_convertvector(l[1], Words) | __builtin_convertvector(h[1], Words)
                                                                                     << 16);
}

/* One group of k: bytes 0 and 1 of each word make a short, bytes 2 and 3 another one. `rows` is its number of elements, the
 * others are zero. */
ALWAYS_INLINE void
pack_group(const int element_bytes, uint32_t *panel, const uint8_t *x, size_t stride, int count, const int rows)
{
    Shorts shorts[2] = {{0}};
#pragma GCC unroll 4
    for (int g = 0; g < rows; g++)
        shorts[g * element_bytes / 2] |= load_row(element_bytes, x + (size_t)g * stride, count)
                                         << (8 * (g * element_bytes % 2));
    store_words(panel, shorts[0], shorts[1], count);
}
/* END LISTING words-along */

/* All tiles, one group of k after the other. What a group writes beyond its words is overwritten by the next one; the last group
 * is written exactly, because the next tile has been begun already. */
ALWAYS_INLINE void
pack_along(const int element_bytes, const WordPanel *panel, const uint8_t *x, size_t stride, int count, int K)
{
    const int group = 4 / element_bytes, width = panel->width;
    const size_t apart = (size_t)width * (size_t)panel->depth;
    uint32_t *to = panel->words;
    for (; K > group; K -= group, to += width, x += (size_t)group * stride)
        for (int i = 0, tile = 0; i < count; i += width, tile++)
            pack_group(element_bytes, to + (size_t)tile * apart, x + i * element_bytes, stride,
                       smaller(count - i, width), group);
    for (int i = 0, tile = 0; K > 0 && i < count; i += width, tile++) {
        uint32_t last[TILE_COLUMNS];
        pack_group(element_bytes, last, x + i * element_bytes, stride, smaller(count - i, width), K);
        memcpy(to + (size_t)tile * apart, last, (size_t)smaller(count - i, width) * sizeof last[0]);
    }
}

/* ---- elements that follow each other along k ---- */

/* A square of words [rows][k], transposed to [k][rows]. `bytes` of each row are there. */
ALWAYS_INLINE void
pack_square(uint32_t *panel, int width, const uint8_t *x, size_t stride, int rows, int bytes)
{
    Vector square[VECTOR_LANES]; /* words, as vector_transpose takes them: nothing calculates with them */
    if (bytes == VECTOR_BYTES)
        for (int i = 0; i < VECTOR_LANES; i++)
            square[i] = i < rows ? (Vector)words_load(x + (size_t)i * stride) : (Vector){0};
    else
        for (int i = 0; i < VECTOR_LANES; i++)
            square[i] = i < rows ? (Vector)load_first(x + (size_t)i * stride, bytes) : (Vector){0};
    vector_transpose(square);
    for (int i = 0; 4 * i < bytes; i++)
        words_store(panel + (size_t)i * (size_t)width, (Words)square[i]);
}

/* One tile. Its last rows come first: their squares are not whole, and write over words that the next ones overwrite. */
static void
pack_tile(uint32_t *tile, int width, const uint8_t *x, size_t stride, int rows, int bytes)
{
    for (int i = (rows - 1) / VECTOR_LANES * VECTOR_LANES; i >= 0; i -= VECTOR_LANES)
        for (int k = 0; k < bytes; k += VECTOR_BYTES)
            pack_square(tile + (size_t)(k / 4) * (size_t)width + i, width, x + (size_t)i * stride + k, stride,
                        smaller(rows - i, VECTOR_LANES), smaller(bytes - k, VECTOR_BYTES));
}

/* Then a group of k is a word already, and packing is the transposition of a matrix of words. */
static void
pack_across(const WordPanel *panel, const uint8_t *x, size_t stride, int count, int bytes)
{
    const int width = panel->width;
    uint32_t *tile = panel->words;
    for (int i = 0; i < count; i += width, tile += (size_t)width * (size_t)panel->depth)
        pack_tile(tile, width, x + (size_t)i * stride, stride, smaller(count - i, width), bytes);
}

void
words_pack(int element_bytes, const WordPanel *panel, const void *x, size_t x_i, size_t x_k, int count, int K)
{
    const size_t bytes = (size_t)element_bytes;
    if (x_i != 1)
        pack_across(panel, x, x_i * bytes, count, K * element_bytes);
    else if (element_bytes == 2)
        pack_along(2, panel, x, x_k * bytes, count, K);
    else
        pack_along(1, panel, x, x_k * bytes, count, K);
}
