/* Softmax of rows of more classes than a vector has lanes: see 04_vector.h. SPDX-License-Identifier: MIT */
#include "core/nontemporal.h"
#include "cpu/exp.h"
#include "cpu/softmax/04_vector.h"

enum { L = VECTOR_LANES, PART = 1024 };

/* One row's lanes with all the others: a lane pairs with the one half a vector away, then the pairs with theirs. */
#define ACROSS_LANES(v, combine)                                                                                       \
    for (int step = 1; step < L; step *= 2)                                                                            \
    (v) = combine(VECTOR_SHUFFLE(v, v, INTERLEAVE_LOW), VECTOR_SHUFFLE(v, v, INTERLEAVE_HIGH))

static inline Vector
plus(Vector a, Vector b)
{
    return a + b;
}

/* Row r's largest number in lane r. A NaN is never the largest; it reaches the sum as its own exponential. */
static Vector
maxima(size_t rows, const Row *row, const float *z)
{
    Vector max[L];
    for (size_t r = 0; r < L; r++)
        max[r] = vector_splat(-INFINITY);
    for (size_t r = 0; r < rows; r++, z += row->classes) {
        Vector largest[4] = {max[r], max[r], max[r], max[r]}; /* not one: a chain of dependent operations */
        size_t c = 0;
        for (; c + 4 * L <= row->whole; c += 4 * L)
            for (size_t k = 0; k < 4; k++)
                largest[k] = vector_larger(largest[k], vector_load(z + c + k * L));
        for (; c < row->whole; c += L)
            largest[0] = vector_larger(largest[0], vector_load(z + c));
        if (row->rest > 0)
            largest[1] = vector_larger(largest[1], vector_load_first(z + row->whole, row->rest) + row->idle);
        max[r] = vector_larger(vector_larger(largest[0], largest[1]), vector_larger(largest[2], largest[3]));
    }
    if (rows == 1) {
        ACROSS_LANES(max[0], vector_larger);
        return max[0];
    }
    vector_transpose(max);
    for (int l = 1; l < L; l++)
        max[0] = vector_larger(max[0], max[l]);
    return max[0];
}

/* e = e^(z - max), rows in whole vectors, and row r's sum in lane r. In several partial sums, so that chains of dependent
 * additions are short. Meanwhile the next z is prefetched; multiply() prefetches the next p. */
static Vector
exponentials(size_t rows, const Row *row, const float *z, Vector max, float *e, size_t stride)
{
    Vector sum[L] = {{0}};
    for (size_t r = 0; r < rows; r++, z += row->classes, e += stride) {
        const Vector largest = vector_splat(max[r]);
        const size_t ahead = row->ahead;
        for (size_t begin = 0; begin < row->whole; begin += PART) {
            const size_t end = row->whole - begin < PART ? row->whole : begin + PART;
            Vector part = {0};
#pragma GCC unroll 2
            for (size_t c = begin; c < end; c += L) {
                __builtin_prefetch(z + c + ahead);
                const Vector power = exp_of_negative(vector_load(z + c) - largest);
                vector_store(e + c, power);
                part += power;
            }
            sum[r] += part;
        }
        if (row->rest > 0) {
            const Vector power = exp_of_negative(vector_load_first(z + row->whole, row->rest) + row->idle - largest);
            vector_store(e + row->whole, power);
            sum[r] += power;
        }
    }
    if (rows == 1) {
        ACROSS_LANES(sum[0], plus);
        return sum[0];
    }
    vector_transpose(sum);
    for (int l = 1; l < L; l++)
        sum[0] += sum[l];
    return sum[0];
}

/* p = scale e. In this order: what a whole vector at a row's end writes into the next row, that row writes over. */
static void
multiply(size_t rows, const Row *row, const Room *room, Vector scale, float *p)
{
    const float *e = room->e;
    for (size_t r = 0; r < rows; r++, p += row->classes, e += room->stride) {
        const Vector factor = vector_splat(scale[r]);
        const size_t ahead = row->ahead, whole = row->whole;
        for (size_t c = 0; c < whole; c += L) {
            __builtin_prefetch(p + c + ahead, 1);
            vector_store(p + c, vector_load(e + c) * factor);
        }
        if (row->rest > 0)
            vector_store_first(p + row->whole, vector_load(e + row->whole) * factor, r + 1 < rows ? L : row->rest);
    }
}

/* The first n lanes of a, the others of b. */
static inline Vector
first_lanes(size_t n, Vector a, Vector b)
{
    VectorMask lane = {0};
    for (int l = 0; l < L; l++)
        lane[l] = l;
    const VectorMask take = lane < (int)n;
    return (Vector)((take & (VectorMask)a) | (~take & (VectorMask)b));
}

/* The same with non-temporal stores, full lines only: a line that is partly stored, then streamed, would be read from memory
 * first. The line in which the block ends is left at room->e, for the next block. */
static void
multiply_past_caches(size_t rows, const Row *row, const Room *room, Vector scale, float *p)
{
    size_t done = 0, end = begun_before(p); /* of the row before */
    float *e = room->e, *line = p - end;
    Vector factor = vector_splat(1);
    for (size_t r = 0; r < rows; r++) {
        const Vector before = factor;
        factor = vector_splat(scale[r]);
        if (done < end) {
            if (line + done >= room->first)
                vector_store_nontemporal(line + done, vector_load(e + done) * first_lanes(end - done, before, factor));
            else
                vector_store_first(p, vector_load(e + end) * factor, L - (int)end);
            done += L;
        }
        end += row->classes;
#pragma GCC unroll 8
        for (; done + L <= end; done += L)
            vector_store_nontemporal(line + done, vector_load(e + done) * factor);
    }
    vector_store(e, vector_load(e + done) * factor);
}

void
softmax_wide_end(const Room *room, float *p)
{
    const size_t begun = begun_before(p);
    vector_store_first(p - begun, vector_load(room->e), (int)begun);
}

Found
softmax_wide_block(size_t rows, const Row *row, const float *z, const Room *room, float *p)
{
    float *e = room->e + (room->streamed ? begun_before(p) : 0);
    const Vector max = maxima(rows, row, z);
    const Vector sum = exponentials(rows, row, z, max, e, room->stride);
    (room->streamed ? multiply_past_caches : multiply)(rows, row, room, 1 / sum, p);
    return (Found){sum, max};
}
