/* softmax, rung 4: vector.
 * Idea      exponentials as arithmetic (cpu/exp.h), a vector at a time. Maximum and sum are kept by lanes, and the lanes are
 *           reduced for VECTOR_LANES rows at once: lane r of the result is row r's.
 *
 *               row 0   a b c d                    a e i m
 *               row 1   e f g h    transposed      b f j n      and then three
 *               row 2   i j k l                    c g k o      additions down
 *               row 3   m n o p                    d h l p
 *
 *           So one division serves all these rows. One logarithm does, too: the sum of log s is the log of their product.
 * Before    expf for each element: a call, and one element at a time.
 * Now       the same passes over a block of rows that stays in the first-level cache. The exponentials prefetch the next
 *           block's z, the multiplication its p; or p is written with non-temporal stores, in full lines (core/nontemporal.h).
 *           Threads share the rows.
 * Wants     nothing. A row's last vector may have idle lanes, which hold -infinity and so e^-infinity = 0: rows of few classes are
 *           mostly that. Blocks depend on `classes` only, so the bits do not depend on the number of threads.
 * SPDX-License-Identifier: MIT */
#include "cpu/softmax/04_vector.h"
#include "core/nontemporal.h"
#include "core/workspace.h"
#include "cpu/softmax/softmax.h"

enum { L = VECTOR_LANES, BLOCK = 2048 /* elements: 8 KiB */, PARALLEL_MIN = 1 << 16 };

static Row
row_of(size_t classes, size_t rows)
{
    Row row = {classes, classes / L * L, rows * classes, (int)(classes % L), {0}};
    for (int l = row.rest; l < L; l++)
        row.idle[l] = -INFINITY;
    return row;
}

/* Behind the rows there is room for the line begun before them, and for whole vectors that reach behind the last. */
static Room
room_of(size_t classes, size_t rows, bool streamed, float *p)
{
    const size_t stride = streamed ? classes : (classes + L - 1) / L * L;
    return (Room){workspace((rows * stride + 3 * L) * sizeof *p), p, stride, streamed};
}

/* The losses of rows are log sum + max - z[label]. One logarithm is taken for many rows. */
typedef struct Loss {
    double product, sum; /* of sums whose logarithm is not taken yet; of the rest */
    size_t waiting;
} Loss;

static void
loss_flush(Loss *loss)
{
    loss->sum += log(loss->product);
    loss->product = 1;
    loss->waiting = 0;
}

/* A block's rows. Sums are between 1 and `classes`, so that a double holds the product of 2 L of them. Computed as four
 * independent chains. */
static void
loss_add(Loss *loss, size_t rows, Found found, const float wanted[L])
{
    double product[4] = {loss->product, 1, 1, 1};
    for (size_t r = 0; r < rows; r++) {
        product[r % 4] *= (double)found.sum[r];
        loss->sum += (double)found.max[r] - (double)wanted[r];
    }
    loss->product = product[0] * product[1] * (product[2] * product[3]);
    loss->waiting += rows;
    if (loss->waiting > L)
        loss_flush(loss);
}

/* z[label] of each row. To be read before p, which may be z, is written. */
static void
find_wanted(size_t rows, size_t classes, const float *z, const int *labels, float wanted[L])
{
    for (size_t r = 0; r < rows; r++)
        wanted[r] = labels != NULL ? z[r * classes + (size_t)labels[r]] : NAN;
}

/* The rows first .. end-1. */
static double
softmax_rows(bool streamed, size_t first, size_t end, size_t classes, const float *z, const int *labels, float *p)
{
    if (first == end)
        return 0;
    const size_t fit = BLOCK / classes, block = fit < 1 ? 1 : fit < L ? fit : L;
    SoftmaxBlock *const softmax_block = classes > L ? softmax_wide_block : softmax_narrow_block;
    const Row row = row_of(classes, block);
    const Room room = room_of(classes, block, streamed, p + first * classes);
    Loss loss = {1, labels != NULL ? 0 : NAN, 0};
    for (size_t r = first; r < end; r += block) {
        const size_t rows = end - r < block ? end - r : block;
        float wanted[L];
        find_wanted(rows, classes, z + r * classes, labels != NULL ? labels + r : NULL, wanted);
        loss_add(&loss, rows, softmax_block(rows, &row, z + r * classes, &room, p + r * classes), wanted);
    }
    if (streamed && classes > L)
        softmax_wide_end(&room, p + end * classes);
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
    /* The losses are summed in GROUPS chunks, whatever the number of threads. */
    enum { GROUPS = 64 };
    double part[GROUPS], loss = 0;
    const bool streamed = nontemporal_pays(R * C * sizeof *p);
#pragma omp parallel for schedule(static)
    for (size_t g = 0; g < GROUPS; g++)
        part[g] = softmax_rows(streamed, R * g / GROUPS, R * (g + 1) / GROUPS, C, z, labels, p);
    for (size_t g = 0; g < GROUPS; g++)
        loss += part[g];
    return loss;
}
