/* softmax, rung 4: vector.
 * Idea      exponentials as arithmetic (cpu/exp.h), a vector at a time. Maximum and sum are kept by lanes, and the lanes come
 *           together for VECTOR_LANES rows at once: lane r of the result is row r's.
 *
 *               row 0   a b c d                    a e i m
 *               row 1   e f g h    transposed      b f j n      and then three
 *               row 2   i j k l                    c g k o      additions down
 *               row 3   m n o p                    d h l p
 *
 *           So one division serves all these rows. One logarithm does, too: the sum of log s is the log of their product.
 * Before    expf for each element: a call, and one element at a time.
 * Now       the same passes over a block of rows that stays in the first-level cache. The exponentials ask memory for the next
 *           block's z, the multiplication for the place of its p, or the block goes past the caches (core/stream.h). Threads share
 *           the rows.
 * Wants     nothing. A row's last vector may have idle lanes, which hold -infinity and so e^-infinity = 0: rows of few classes are
 *           mostly that. Blocks depend on `classes` only, so the bits do not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#include "core/stream.h"
#include "core/workspace.h"
#include "cpu/exp.h"
#include "cpu/softmax/softmax.h"
#include <math.h>
#include <stddef.h>

enum { L = VECTOR_LANES, BLOCK = 2048 /* elements: 8 KiB */, PART = 1024, PARALLEL_MIN = 1 << 16 };

/* A row of `whole` classes in full vectors and `rest` < L classes behind them; idle is 0 in the first rest lanes, -infinity in the
 * others: what is added to a vector that was loaded in part. While one block is computed, memory is asked for the one that lies
 * `ahead` elements behind it. */
typedef struct Row {
    size_t classes, whole, stride, ahead;
    bool streamed; /* p goes past the caches */
    int rest;
    Vector idle;
} Row;

static Row
row_of(size_t classes, size_t rows, bool streamed)
{
    Row row = {classes, classes / L * L, (classes + L - 1) / L * L, rows * classes, streamed, (int)(classes % L), {0}};
    for (int l = row.rest; l < L; l++)
        row.idle[l] = -INFINITY;
    return row;
}

/* The losses of rows are log sum + max - z[label]. The logarithms wait until there is one for many rows. */
typedef struct Loss {
    double product, sum; /* of the sums whose logarithm waits; of the rest */
    size_t waiting;
} Loss;

static void
loss_flush(Loss *loss)
{
    loss->sum += log(loss->product);
    loss->product = 1;
    loss->waiting = 0;
}

/* A block's rows. Sums are between 1 and `classes`, so that a double holds the product of 2 L of them. Computed in four parts,
 * which do not wait for each other. */
static void
loss_add(Loss *loss, size_t rows, Vector sum, Vector max, const float wanted[L])
{
    double product[4] = {loss->product, 1, 1, 1};
    for (size_t r = 0; r < rows; r++) {
        product[r % 4] *= (double)sum[r];
        loss->sum += (double)max[r] - (double)wanted[r];
    }
    loss->product = product[0] * product[1] * (product[2] * product[3]);
    loss->waiting += rows;
    if (loss->waiting > L)
        loss_flush(loss);
}

/* z[label] of each row. To be asked before p, which may be z, is written. */
static void
find_wanted(size_t rows, size_t classes, const float *z, const int *labels, float wanted[L])
{
    for (size_t r = 0; r < rows; r++)
        wanted[r] = labels != NULL ? z[r * classes + (size_t)labels[r]] : NAN;
}

/* ---- rows of more classes than a vector has lanes ---------------------------------------------------------------------------- */

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
        Vector largest[4] = {max[r], max[r], max[r], max[r]}; /* not one: each would wait for the one before */
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

/* e = e^(z - max), rows in whole vectors, and row r's sum in lane r. By parts of a row, so that few additions follow on one
 * another. Meanwhile memory is asked for the next z; multiply() asks for the place of the next p. */
static Vector
exponentials(size_t rows, const Row *row, const float *z, Vector max, float *e)
{
    Vector sum[L] = {{0}};
    for (size_t r = 0; r < rows; r++, z += row->classes, e += row->stride) {
        const Vector largest = vector_splat(max[r]);
        const size_t ahead = row->ahead;
        for (size_t begin = 0; begin < row->whole; begin += PART) {
            const size_t end = row->whole - begin < PART ? row->whole : begin + PART;
            Vector part = {0};
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
multiply(size_t rows, const Row *row, const float *e, Vector scale, float *p)
{
    for (size_t r = 0; r < rows; r++, p += row->classes, e += row->stride) {
        const Vector factor = vector_splat(scale[r]);
        const size_t ahead = row->ahead, whole = row->whole;
        for (size_t c = 0; c < whole; c += L) {
            if (!row->streamed)
                __builtin_prefetch(p + c + ahead, 1);
            vector_store(p + c, vector_load(e + c) * factor);
        }
        if (row->rest > 0)
            vector_store_first(p + row->whole, vector_load(e + row->whole) * factor, r + 1 < rows ? L : row->rest);
    }
}

/* At most L rows. e: room for their exponentials. */
static void
wide_block(size_t rows, const Row *row, const float *z, const int *labels, float *e, float *p, Loss *loss)
{
    float wanted[L];
    find_wanted(rows, row->classes, z, labels, wanted);
    const Vector max = maxima(rows, row, z);
    const Vector sum = exponentials(rows, row, z, max, e);
    multiply(rows, row, e, 1 / sum, p);
    loss_add(loss, rows, sum, max, wanted);
}

/* ---- rows that fit a vector ------------------------------------------------------------------------------------------------- */

/* Row r in v[r]. Whole vectors, which reach into the next row, as far as the block goes. */
static void
load_rows(size_t rows, size_t classes, const float *z, Vector v[L])
{
    for (size_t r = 0; r < L; r++)
        if (r * classes + L <= rows * classes)
            v[r] = vector_load(z + r * classes);
        else
            v[r] = r < rows ? vector_load_first(z + r * classes, (int)classes) : (Vector){0};
}

/* In this order: what a whole vector writes into the next row, that row's own vector writes over. */
static void
store_rows(size_t rows, size_t classes, const Vector v[L], float *p)
{
    for (size_t r = 0; r < rows; r++)
        if (r * classes + L <= rows * classes)
            vector_store(p + r * classes, v[r]);
        else
            vector_store_first(p + r * classes, v[r], (int)classes);
}

/* At most L rows. Transposed, so that class c of all rows is one vector, there is nothing to bring together. */
static void
narrow_block(size_t rows, const Row *row, const float *z, const int *labels, float *e, float *p, Loss *loss)
{
    (void)e;
    float wanted[L];
    find_wanted(rows, row->classes, z, labels, wanted);
    Vector v[L], max = vector_splat(-INFINITY), sum = {0};
    load_rows(rows, row->classes, z, v);
    vector_transpose(v);
    for (size_t c = 0; c < row->classes; c++)
        max = vector_larger(max, v[c]);
    for (size_t c = 0; c < row->classes; c++)
        sum += v[c] = exp_of_negative(v[c] - max);
    const Vector scale = 1 / sum;
    for (size_t c = 0; c < row->classes; c++)
        v[c] *= scale;
    vector_transpose(v);
    store_rows(rows, row->classes, v, p);
    loss_add(loss, rows, sum, max, wanted);
}

/* The rows first .. end-1. */
static double
softmax_rows(bool streamed, size_t first, size_t end, size_t classes, const float *z, const int *labels, float *p)
{
    const size_t fit = BLOCK / classes, block = fit < 1 ? 1 : fit < L ? fit : L;
    const Row row = row_of(classes, block, streamed);
    float *e = workspace(block * (row.stride + classes) * sizeof *e), *finished = e + block * row.stride;
    Loss loss = {1, labels != NULL ? 0 : NAN, 0};
    for (size_t r = first; r < end; r += block) {
        const size_t rows = end - r < block ? end - r : block;
        const int *wanted = labels != NULL ? labels + r : NULL;
        float *to = streamed ? finished : p + r * classes;
        (classes <= L ? narrow_block : wide_block)(rows, &row, z + r * classes, wanted, e, to, &loss);
        if (streamed)
            stream_copy(p + r * classes, finished, rows * classes * sizeof *p);
    }
    if (streamed)
        stream_end();
    loss_flush(&loss);
    return loss.sum;
}

double
softmax_loss_vector(int rows, int classes, const float *z, const int *labels, float *p)
{
    const size_t R = (size_t)rows, C = (size_t)classes;
    if (R * C < PARALLEL_MIN)
        return softmax_rows(false, 0, R, C, z, labels, p);
    /* The losses are summed in GROUPS parts, as many with one thread as with ten. */
    enum { GROUPS = 64 };
    double part[GROUPS], loss = 0;
    const bool streamed = stream_pays(R * C * sizeof *p);
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < GROUPS; g++)
        part[g] = softmax_rows(streamed, R * g / GROUPS, R * (g + 1) / GROUPS, C, z, labels, p);
    for (size_t g = 0; g < GROUPS; g++)
        loss += part[g];
    return loss;
}
