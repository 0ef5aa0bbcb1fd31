/* Vectors of floats, as wide as the processor of this build has them, through the compiler's vector extensions: +, -, * work
 * lane by lane, a * b + c becomes one fused multiply-add, and one source serves AVX-512, AVX2, SSE and NEON.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_VECTOR_H
#define CORE_VECTOR_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512VL__) /* every such processor but the Xeon Phi */
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum { VECTOR_LANES = VECTOR_BYTES / sizeof(float) };

typedef float Vector __attribute__((vector_size(VECTOR_BYTES)));

/* The same width as integers: what a comparison of two Vectors gives (-1 true, 0 false), and what masks are made of. */
typedef int32_t VectorMask __attribute__((vector_size(VECTOR_BYTES)));

/* x needs no alignment: on processors of this century an unaligned load costs more only where it crosses a cache line. */
static inline Vector
vector_load(const float *x)
{
    Vector v;
    memcpy(&v, x, sizeof v); /* one instruction */
    return v;
}

static inline void
vector_store(float *x, Vector v)
{
    memcpy(x, &v, sizeof v);
}

/* The first n lanes from x (n >= 0; at most VECTOR_LANES are loaded), zero in the others, whose memory is not touched: the end
 * of a row whose length is not a multiple of a vector. Here and in the next functions are the only intrinsics of this file:
 * masks are out of the extensions' reach. */
static inline Vector
vector_load_first(const float *x, int n)
{
#if VECTOR_BYTES == 64
    return (Vector)_mm512_maskz_loadu_ps(n < 16 ? (__mmask16)((1u << n) - 1u) : 0xffff, x);
#elif VECTOR_BYTES == 32
    const VectorMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return (Vector)_mm256_maskload_ps(x, (__m256i)(lane < n));
#else
    float copy[VECTOR_LANES] = {0.0f};
    for (int lane = 0; lane < n && lane < VECTOR_LANES; lane++)
        copy[lane] = x[lane];
    return vector_load(copy);
#endif
}

/* The first n lanes of v to x (n >= 0; at most VECTOR_LANES are stored); what lies behind is not touched. */
static inline void
vector_store_first(float *x, Vector v, int n)
{
#if VECTOR_BYTES == 64
    _mm512_mask_storeu_ps(x, n < 16 ? (__mmask16)((1u << n) - 1u) : 0xffff, (__m512)v);
#elif VECTOR_BYTES == 32
    const VectorMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
    /* A masked store is microcode on AMD's processors: 10.5 cycles, measured on a Zen 4, and a plain one 0.9. */
    if (n >= VECTOR_LANES)
        vector_store(x, v);
    else
        _mm256_maskstore_ps(x, (__m256i)(lane < n), (__m256)v);
#else
    memcpy(x, &v, sizeof(float) * (size_t)(n < VECTOR_LANES ? n : VECTOR_LANES)); /* x may be integers */
#endif
}

/* x in every lane. */
static inline Vector
vector_splat(float x)
{
    return x - (Vector){0};
}

/* Lane by lane, b where it is larger (smaller) than a, else a: a NaN in a stays, and one in b is not taken. One instruction; of a
 * mask and a choice the compiler makes three. */
static inline Vector
vector_larger(Vector a, Vector b)
{
#if VECTOR_BYTES == 64
    return (Vector)_mm512_max_ps((__m512)b, (__m512)a);
#elif VECTOR_BYTES == 32
    return (Vector)_mm256_max_ps((__m256)b, (__m256)a);
#else
    const VectorMask take = b > a;
    return (Vector)((take & (VectorMask)b) | (~take & (VectorMask)a));
#endif
}

static inline Vector
vector_smaller(Vector a, Vector b)
{
#if VECTOR_BYTES == 64
    return (Vector)_mm512_min_ps((__m512)b, (__m512)a);
#elif VECTOR_BYTES == 32
    return (Vector)_mm256_min_ps((__m256)b, (__m256)a);
#else
    const VectorMask take = b < a;
    return (Vector)((take & (VectorMask)b) | (~take & (VectorMask)a));
#endif
}

/* Eight lanes: one vector of AVX2, half of one of AVX-512, two of smaller ones. */
typedef float Octet __attribute__((vector_size(32)));
typedef int32_t OctetMask __attribute__((vector_size(32)));

static inline Octet
octet_load(const float *x)
{
    Octet v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void
octet_store(float *x, Octet v)
{
    memcpy(x, &v, sizeof v);
}

#if VECTOR_BYTES == 64
/* As vector_load_first. */
static inline Octet
octet_load_first(const float *x, int n)
{
    return (Octet)_mm256_maskz_loadu_ps(n < 8 ? (__mmask8)((1u << n) - 1u) : 0xff, x);
}
#endif

/* Rearranging: element i of the result is element index[i] of a and b put one behind the other. */
#if defined(__clang__) || __GNUC__ >= 12
#define OCTET_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define OCTET_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (OctetMask){__VA_ARGS__})
#endif

/* Two vectors interleaved: a0 b0 a1 b1 .. from their lower halves, and from their upper ones. */
#if VECTOR_BYTES == 64
#define INTERLEAVE_LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define INTERLEAVE_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif VECTOR_BYTES == 32
#define INTERLEAVE_LOW  0, 8, 1, 9, 2, 10, 3, 11
#define INTERLEAVE_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define INTERLEAVE_LOW  0, 4, 1, 5
#define INTERLEAVE_HIGH 2, 6, 3, 7
#endif
#if defined(__clang__) || __GNUC__ >= 12
#define VECTOR_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VECTOR_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (VectorMask){__VA_ARGS__})
#endif

/* Transposes a square of VECTOR_LANES rows in place. Interleaving row i with row i + half is a perfect shuffle of the rows' and
 * columns' numbers: it moves the highest bit of the row number behind the column number. After log2(VECTOR_LANES) of them row and
 * column have changed places. */
static inline __attribute__((always_inline)) void
vector_transpose(Vector row[VECTOR_LANES])
{
#pragma GCC unroll 4
    for (int step = 1; step < VECTOR_LANES; step *= 2) {
        Vector next[VECTOR_LANES];
#pragma GCC unroll 8
        for (int i = 0; i < VECTOR_LANES / 2; i++) {
            next[2 * i] = VECTOR_SHUFFLE(row[i], row[i + VECTOR_LANES / 2], INTERLEAVE_LOW);
            next[2 * i + 1] = VECTOR_SHUFFLE(row[i], row[i + VECTOR_LANES / 2], INTERLEAVE_HIGH);
        }
#pragma GCC unroll 16
        for (int i = 0; i < VECTOR_LANES; i++)
            row[i] = next[i];
    }
}

#if VECTOR_BYTES >= 32

/* v folded to eight lanes by adding its halves. */
static inline Octet
vector_fold(Vector v)
{
#if VECTOR_BYTES == 32
    return v;
#elif defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
           __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    Octet half[2];
    memcpy(half, &v, sizeof half);
    return half[0] + half[1];
#endif
}

/* The sums of the lanes of eight vectors at once: a transposition and seven additions in one, as a tree of three levels. The
 * first makes  a0+a2 b0+b2 a1+a3 b1+b3 | a4+a6 b4+b6 a5+a7 b5+b7  of a and b; the bar is where AVX splits its registers. */
static inline Octet
octet_sums(const Octet v[8])
{
    Octet pair[4], four[2];
    for (int i = 0; i < 4; i++)
        pair[i] = OCTET_SHUFFLE(v[2 * i], v[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13) +
                  OCTET_SHUFFLE(v[2 * i], v[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    for (int i = 0; i < 2; i++)
        four[i] = OCTET_SHUFFLE(pair[2 * i], pair[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
                  OCTET_SHUFFLE(pair[2 * i], pair[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    return OCTET_SHUFFLE(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11) +
           OCTET_SHUFFLE(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

#endif

/* The sum of the lanes, halves first: log2(VECTOR_LANES) additions deep. */
static inline float
vector_sum(Vector v)
{
#if VECTOR_BYTES >= 32
    Octet fold = vector_fold(v);
    float a = fold[0] + fold[4], b = fold[1] + fold[5], c = fold[2] + fold[6], d = fold[3] + fold[7];
    return (a + c) + (b + d);
#else
    return (v[0] + v[2]) + (v[1] + v[3]);
#endif
}

/* Lane i is vector_sum(v[i]) up to rounding. On AVX far cheaper than eight of those. */
static inline Octet
vector_sums(const Vector v[8])
{
    Octet fold[8];
#if VECTOR_BYTES >= 32
    for (int i = 0; i < 8; i++)
        fold[i] = vector_fold(v[i]);
    return octet_sums(fold);
#else
    for (int i = 0; i < 8; i++)
        fold[0][i] = vector_sum(v[i]);
    return fold[0];
#endif
}

#endif
