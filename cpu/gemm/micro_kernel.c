/* The micro-kernel: one function template for all tiles, and a table with an instance for each number of rows and vectors.
 *
 *                          b: `vectors` vectors, loaded once for each k
 *               a[0] -> [ sum 0 | sum 1 | sum 2 | sum 3 ]        rows + vectors loads for rows * vectors FMAs
 *               a[1] -> [ sum 4 | ..                    ]
 *               ..        ..                      the last vector is masked if there are fewer columns
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/micro_kernel.h"
#include "cpu/epilogue.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { VECTORS_MAX = 8, ROWS_PER_POINTER = 3 };

/* C may be in L3 or memory. Prefetched before the k loop it is loaded in time; prefetched again near the end of the loop it
 * is back in L1 if it was evicted. A row that begins within a cache line ends in one more: its last float, too. */
ALWAYS_INLINE void
prefetch_c(const int rows, const int vectors, const Tile *tile)
{
    for (int m = 0; m < rows; m++)
        for (int v = 0; v <= vectors; v++)
            __builtin_prefetch(tile->c + (size_t)m * tile->ldc + v * VECTOR_LANES - (v == vectors), 1, 3);
}

/* One cache line of each row that the next tile reads at step k. These rows begin new pages, where the hardware prefetcher starts
 * only after some misses. */
ALWAYS_INLINE void
prefetch_a(const int rows, const Tile *tile, int k)
{
    const float *next = tile->a + (size_t)rows * tile->a_row + (size_t)k * tile->a_k;
    for (int m = 0; m < rows; m++)
        __builtin_prefetch(next + (size_t)m * tile->a_row, 0, 3);
}

/* C = sum. It is inlined twice, and gcc would compute the addresses that both copies share before the branch between them: some
 * fifty instructions, also where the sums are just stored. The empty asm hides that they are equal. */
ALWAYS_INLINE void
store(const int rows, const int vectors, float *c, size_t ldc, int last, const Vector sum[TILE_SUMS])
{
    __asm__("" : "+r"(c), "+r"(ldc));
#pragma GCC unroll 32
    for (int i = 0; i < rows * vectors; i++)
        vector_store_first(c + (size_t)(i / vectors) * ldc + i % vectors * VECTOR_LANES, sum[i],
                           i % vectors < vectors - 1 ? VECTOR_LANES : last);
}

/* C = alpha sum + beta C, and the epilogue. `last`: lanes of the last vector. */
ALWAYS_INLINE void
finish(const int rows, const int vectors, const Tile *tile, int last, Vector sum[TILE_SUMS])
{
    const float alpha = tile->alpha, beta = tile->beta;
    const size_t ldc = tile->ldc;
    float *const c = tile->c;
    if (alpha == 1.0f && beta == 0.0f && tile->epilogue == NULL) {
        store(rows, vectors, c, ldc, last, sum);
        return;
    }
    if (alpha != 1.0f)
#pragma GCC unroll 32
        for (int i = 0; i < rows * vectors; i++)
            sum[i] *= alpha;
    if (beta != 0.0f)
#pragma GCC unroll 32
        for (int i = 0; i < rows * vectors; i++)
            sum[i] += beta * vector_load_first(c + (size_t)(i / vectors) * ldc + i % vectors * VECTOR_LANES,
                                               i % vectors < vectors - 1 ? VECTOR_LANES : last);
    if (tile->epilogue != NULL)
#pragma GCC unroll 32
        for (int i = 0; i < rows * vectors; i++) {
            const int column = i % vectors * VECTOR_LANES;
            sum[i] = epilogue_vector(tile->epilogue, tile->first_column + column,
                                     tile->output_index + (size_t)(i / vectors) * ldc + column,
                                     i % vectors < vectors - 1 ? VECTOR_LANES : last, sum[i]);
        }
    store(rows, vectors, c, ldc, last, sum);
}

/* What an instance does beside multiplying. A few prefetches for each k: of many at once, the processor drops most. */
typedef enum Kind {
    PLAIN,         /* nothing */
    PREFETCH_C_A,  /* prefetches C, and the next rows of A */
    PREFETCH_NEXT, /* prefetches C, and the lines that tile->next says */
    OFFSETS        /* prefetches C, and reads A by offsets */
} Kind;

/* The tile. `rows`, `vectors`, `whole` (no mask is needed) and `kind` are constant wherever it is inlined: the loops over
 * rows and vectors unroll, and the sums stay in registers. Three rows of A share a pointer, with addresses of the form base +
 * row, base + 2 row, which x86 adds up in the load: a pointer for each row would not leave enough registers. */
ALWAYS_INLINE void
micro_kernel(const int rows, const int vectors, const bool whole, const Kind kind, const Tile *tile)
{
    Vector sum[TILE_SUMS] = {{0}};
    const int last = whole ? VECTOR_LANES : tile->columns - (vectors - 1) * VECTOR_LANES;
    const float *a[TILE_ROWS_MAX / ROWS_PER_POINTER + 1], *b = tile->b;
    for (int g = 0; g * ROWS_PER_POINTER < rows; g++)
        a[g] = tile->a + (size_t)(ROWS_PER_POINTER * g) * tile->a_row;
    for (int k = 0; k < tile->K; k++, b += tile->b_k) {
        if (kind != PLAIN && k % TILE_LINE == 0) {
            if (kind == PREFETCH_C_A)
                prefetch_a(rows, tile, k);
            if (k == 0 || tile->K - k <= 2 * TILE_LINE)
                prefetch_c(rows, vectors, tile);
        }
        if (kind == PREFETCH_NEXT)
            for (int l = 0; l < tile->next_lines; l++)
                __builtin_prefetch(tile->next + (size_t)k * tile->next_step + l * TILE_LINE, 0, 2);
        if (kind == OFFSETS)
            for (int g = 0; g * ROWS_PER_POINTER < rows; g++)
                a[g] = tile->a + tile->offset[k] + (size_t)(ROWS_PER_POINTER * g) * tile->a_row;
        Vector row[VECTORS_MAX];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            row[v] = whole || v < vectors - 1 ? vector_load(b + v * VECTOR_LANES)
                                              : vector_load_first(b + v * VECTOR_LANES, last);
#pragma GCC unroll 16
        for (int m = 0; m < rows; m++)
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v++)
                sum[m * vectors + v] += a[m / ROWS_PER_POINTER][(size_t)(m % ROWS_PER_POINTER) * tile->a_row] * row[v];
        if (kind != OFFSETS)
#pragma GCC unroll 6
            for (int g = 0; g * ROWS_PER_POINTER < rows; g++)
                a[g] += tile->a_k;
    }
    finish(rows, vectors, tile, last, sum);
}

/* Under AddressSanitizer one tile with loops serves all: the checks inside unrolled ones take a minute to compile. */
#ifdef __SANITIZE_ADDRESS__
void
tile_compute(const Tile *tile)
{
    const int vectors = (tile->columns + VECTOR_LANES - 1) / VECTOR_LANES;
    micro_kernel(tile->rows, vectors, false, tile->offset != NULL ? OFFSETS : PLAIN, tile);
}
#else

typedef void TileFunction(const Tile *tile);
#define TILE(rows, vectors, whole, kind)                                                                               \
    static void tile_##rows##x##vectors##_##whole##_##kind(const Tile *tile)                                           \
    {                                                                                                                  \
        micro_kernel(rows, vectors, whole, kind, tile);                                                                \
    }
#define ENTRY(rows, vectors, whole, kind) [kind][whole][rows][vectors] = tile_##rows##x##vectors##_##whole##_##kind,

#define MASKED(rows, vectors)           INSTANCE(rows, vectors, 0, PLAIN)
#define WHOLE(rows, vectors)            INSTANCE(rows, vectors, 1, PLAIN)
#define PREFETCHING_C_A(rows, vectors)  INSTANCE(rows, vectors, 1, PREFETCH_C_A)
#define PREFETCHING_NEXT(rows, vectors) INSTANCE(rows, vectors, 1, PREFETCH_NEXT)
#define MASKED_OFFSETS(rows, vectors)   INSTANCE(rows, vectors, 0, OFFSETS)
#define WHOLE_OFFSETS(rows, vectors)    INSTANCE(rows, vectors, 1, OFFSETS)

/* Rows and vectors for which there are registers, and instances that pay, measured on a Zen 5 with AVX-512:
 *     whole      2 to 8 % faster than masks that let everything pass; but for 8 vectors, where a mask makes gcc load each
 *                vector of B once instead of once for each row
 *     prefetch   the tiles that large products consist of: TILE_COLUMNS wide, or as high as equal division of many rows makes
 *     offsets    the same for the rows of an image
 * What has no whole instance runs the masked one, what has no prefetch instance runs the plain one. */
/* clang-format off */
#define TILES_16_REGISTERS(X) \
    X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(4, 1) X(4, 2) \
    X(4, 3) X(5, 1) X(5, 2) X(6, 1) X(6, 2) X(7, 1) X(8, 1) X(9, 1) X(10, 1) X(11, 1) X(12, 1)
#define TILES_32_REGISTERS(X) \
    TILES_16_REGISTERS(X) X(4, 4) X(5, 3) X(5, 4) X(6, 3) X(6, 4) X(7, 2) X(7, 3) X(8, 2) X(8, 3) X(9, 2) X(10, 2) \
    X(11, 2) X(12, 2) X(13, 1) X(14, 1) X(15, 1) X(16, 1)
#if VECTOR_BYTES == 64 || defined(__aarch64__)
#define TILES_PLAIN(X) TILES_32_REGISTERS(X)
#define TILES_8_VECTORS(X) X(1, 8) X(2, 8) X(3, 8)
#define TILES_WIDE(X) X(1, 4) X(2, 4) X(3, 4) X(4, 4) X(5, 4) X(6, 4) X(8, 2) X(9, 2) X(10, 2) X(11, 2) X(12, 2)
#define TILES_NEXT(X) TILES_WIDE(X) X(7, 3) X(8, 3)
#define TILES_IMAGE(X) \
    X(4, 4) X(5, 4) X(6, 4) X(7, 2) X(8, 2) X(9, 2) X(10, 2) X(11, 2) X(12, 2) X(9, 1) X(10, 1) X(11, 1) X(12, 1) \
    X(13, 1) X(14, 1) X(15, 1) X(16, 1)
#else
#define TILES_PLAIN(X) TILES_16_REGISTERS(X)
#define TILES_8_VECTORS(X) X(1, 8)
#define TILES_WIDE(X) X(1, 2) X(2, 2) X(3, 2) X(4, 2) X(5, 2) X(6, 2)
#define TILES_NEXT(X) TILES_WIDE(X) X(3, 3) X(4, 3)
#define TILES_IMAGE(X) X(4, 2) X(5, 2) X(6, 2) X(7, 1) X(8, 1) X(9, 1) X(10, 1) X(11, 1) X(12, 1)
#endif
#define TILES_TALL(X) X(5, 1) X(6, 1) X(9, 1) X(10, 1)
#define INSTANCES \
    TILES_PLAIN(MASKED) TILES_8_VECTORS(MASKED) TILES_PLAIN(WHOLE) TILES_WIDE(PREFETCHING_C_A) TILES_TALL(PREFETCHING_C_A) \
    TILES_NEXT(PREFETCHING_NEXT) TILES_PLAIN(MASKED_OFFSETS) TILES_8_VECTORS(MASKED_OFFSETS) TILES_IMAGE(WHOLE_OFFSETS)
/* clang-format on */

#define INSTANCE TILE
INSTANCES
#undef INSTANCE

#define INSTANCE ENTRY
static TileFunction *const tiles[OFFSETS + 1][2][TILE_ROWS_MAX + 1][VECTORS_MAX + 1] = {INSTANCES};

void
tile_compute(const Tile *tile)
{
    const int vectors = (tile->columns + VECTOR_LANES - 1) / VECTOR_LANES, rows = tile->rows;
    const bool whole = tile->columns % VECTOR_LANES == 0;
    Kind kind = PLAIN;
    if (tile->offset != NULL)
        kind = OFFSETS;
    else if (tile->next != NULL)
        kind = PREFETCH_NEXT;
    else if (tile->columns == TILE_COLUMNS ? tile->beyond_l2 : tile->beyond_l3)
        kind = PREFETCH_C_A;
    TileFunction *compute = tiles[kind][whole][rows][vectors];
    if (compute == NULL && kind != OFFSETS)
        compute = tiles[PLAIN][whole][rows][vectors];
    if (compute == NULL)
        compute = tiles[kind == OFFSETS ? OFFSETS : PLAIN][0][rows][vectors];
    compute(tile);
}
#endif
