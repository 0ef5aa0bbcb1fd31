/* gemv, rung 6: OpenMP.
 * Idea      threads partition the rows, in whole tiles of eight.
 *
 *               thread 0   rows  0 .. 39    [ .......... ]          few and long rows: chunks of columns instead,
 *               thread 1   rows 40 .. 79    [ .......... ]          [ thread 0 | thread 1 | thread 0 | .. ]
 *
 * Before    one core's multiply-adds, and what one core can read from memory: often half of what the memory can give.
 * Now       those of all. A chunk of columns has the same bounds whatever the number of threads, and the chunks' sums are added
 *           in their order, so the result has the same bits, too.
 * Model     rung 4's, at what the threads that get a part can load and read together. Waking them is left out.
 * Wants     nothing (any M, N); uses one thread below GEMV_PARALLEL_MIN elements.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "cpu/gemv/gemv.h"
#include <stdbool.h>

enum { TILE = 8, FEW_ROWS = 64, CHUNK = 1 << 14, SUMS_ON_STACK = 1024 };

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t
ceil_div(size_t whole, size_t part)
{
    return (whole + part - 1) / part;
}

static bool
few_and_long(int M, int N)
{
    return M > 0 && M < FEW_ROWS && N >= 2 * CHUNK;
}

int
gemv_openmp_parts(int M, int N, int threads)
{
    if (few_and_long(M, N))
        return (int)smaller(ceil_div((size_t)N, CHUNK), (size_t)threads);
    if (M <= 0 || N <= 0 || (size_t)M * (size_t)N < GEMV_PARALLEL_MIN)
        return 1;
    return (int)smaller(ceil_div((size_t)M, TILE), (size_t)threads);
}

static void
by_rows(size_t parts, size_t M, int N, float alpha, const float *A, size_t lda, const float *x, float beta, float *y)
{
    const size_t tiles = ceil_div(M, TILE);
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (size_t part = 0; part < parts; part++) {
        size_t first = part * tiles / parts * TILE, end = smaller((part + 1) * tiles / parts * TILE, M);
        gemv_narrow((int)(end - first), N, alpha, A + first * lda, (int)lda, x, beta, y + first);
    }
}

static void
sum_chunk(size_t chunk, size_t M, size_t N, const float *A, size_t lda, const float *x, float *sums)
{
    const size_t first = chunk * CHUNK;
    gemv_narrow((int)M, (int)smaller(CHUNK, N - first), 1.0f, A + first, (int)lda, x + first, 0.0f, sums + chunk * M);
}

/* sums[chunk][M] first, then y. */
static void
by_columns(size_t M, size_t N, float alpha, const float *A, size_t lda, const float *x, float beta, float *y)
{
    const size_t chunks = ceil_div(N, CHUNK);
    float few[SUMS_ON_STACK], *sums = chunks * M <= SUMS_ON_STACK ? few : ARRAY(float, chunks *M);
    if (host_threads() > 1) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
        for (size_t chunk = 0; chunk < chunks; chunk++)
            sum_chunk(chunk, M, N, A, lda, x, sums);
    } else {
        for (size_t chunk = 0; chunk < chunks; chunk++)
            sum_chunk(chunk, M, N, A, lda, x, sums);
    }
    for (size_t chunk = 1; chunk < chunks; chunk++)
        for (size_t i = 0; i < M; i++)
            sums[i] += sums[chunk * M + i];
    gemv_finish((int)M, alpha, sums, beta, y);
    if (sums != few)
        array_free(sums);
}

void
gemv_openmp(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    const int parts = gemv_openmp_parts(M, N, host_threads());
    if (few_and_long(M, N)) /* also with one thread: the chunks make the bits */
        by_columns((size_t)M, (size_t)N, alpha, A, (size_t)lda, x, beta, y);
    else if (parts == 1)
        gemv_narrow(M, N, alpha, A, lda, x, beta, y); /* even of one thread, a parallel region is slow to start */
    else
        by_rows((size_t)parts, (size_t)M, N, alpha, A, (size_t)lda, x, beta, y);
}
