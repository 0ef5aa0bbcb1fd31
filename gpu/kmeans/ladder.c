/* kmeans: the table of rungs, and what the driver needs to know of the operation, which only the GPU has. One round is measured.
 *
 * The points are drawn so that each is far closer to one centroid than to all others: rounding then cannot change which
 * is nearest, and the means of a round have one right answer.
 *
 *     element 0    cluster c's points are in 4 c - 1 .. 4 c + 1, its centroid in 4 c - 0.5 .. 4 c + 0.5
 *                      0 [--x--]        4 [-x---]        8 [---x-]
 *     the others   points in -1 .. 1, all centroids at 0: equally far from each
 *
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "gpu/kmeans/kmeans.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include <float.h>
#include <math.h>

enum { SIZE_N, SIZE_D, SIZE_K };
enum { STREAM_POINTS, STREAM_CENTROIDS };
enum { POINTS, CENTROIDS, NEAREST, COUNTS, WORKSPACE, MOVED };

typedef struct Inputs {
    int n, d, k;
    uint64_t seed;
    float *points, *centroids;
    double *sums; /* [k][2 d + 1]: of the reference */
} Inputs;

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    array_free(in->points);
    array_free(in->centroids);
    array_free(in->sums);
    array_free(in);
}

static void
draw(const Inputs *in, uint64_t stream, uint64_t round, int rows, double spread, float *x)
{
    const size_t d = (size_t)in->d, elements = (size_t)rows * d;
    rng_fill_uniform(in->seed, stream, round * elements, x, elements, -spread, spread);
    for (size_t row = 0; row < (size_t)rows; row++)
        x[row * d] += 4.0f * (float)(row % (size_t)in->k);
}

static void
refresh(void *inputs, uint64_t round)
{
    Inputs *in = inputs;
    draw(in, STREAM_POINTS, round, in->n, 1.0, in->points);
    draw(in, STREAM_CENTROIDS, round, in->k, 0.5, in->centroids);
    for (int e = 0; e < in->k * in->d; e++)
        if (e % in->d > 0)
            in->centroids[e] = 0.0f;
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const int n = size[SIZE_N], d = size[SIZE_D], k = size[SIZE_K];
    const double most = 2147483647.0 - 1024.0;
    if (d < 1 || k < 1 || n < k || (double)n * (d + 1.0) > most || k > 100000) {
        error_set(
            error,
            "kmeans of %d points of %d numbers in %d clusters: each cluster needs a point, points need a number, and "
            "there may be 100000 clusters and 2147482623 numbers at most; as in 100000x16x10",
            n, d, k);
        return NULL;
    }
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.n = n, .d = d, .k = k, .seed = seed};
    in->points = array_try_create((size_t)n * (size_t)d, sizeof(float), error);
    in->centroids = in->points != NULL ? array_try_create((size_t)k * (size_t)d, sizeof(float), error) : NULL;
    in->sums = in->centroids != NULL ? array_try_create((size_t)k * (2 * (size_t)d + 1), sizeof(double), error) : NULL;
    if (in->sums == NULL) {
        destroy(in);
        return NULL;
    }
    refresh(in, 0);
    return in;
}

static size_t
nearest_of(const Inputs *in, const float *point)
{
    double least = INFINITY;
    size_t which = 0;
    for (size_t c = 0; c < (size_t)in->k; c++) {
        double sum = 0.0;
        for (size_t j = 0; j < (size_t)in->d && sum < least; j++) {
            const double apart = (double)point[j] - (double)in->centroids[c * (size_t)in->d + j];
            sum += apart * apart;
        }
        if (sum < least) {
            least = sum;
            which = c;
        }
    }
    return which;
}

/* A sum of t terms in floats, in any order, is off by at most t u sum |x|. */
static void
reference(const void *inputs, double *want, double *tolerance)
{
    const Inputs *in = inputs;
    const size_t d = (size_t)in->d, row = 2 * d + 1;
    for (size_t s = 0; s < (size_t)in->k * row; s++)
        in->sums[s] = 0.0;
    for (size_t i = 0; i < (size_t)in->n; i++) {
        const float *point = in->points + i * d;
        double *sum = in->sums + nearest_of(in, point) * row;
        for (size_t j = 0; j < d; j++) {
            sum[j] += (double)point[j];
            sum[d + j] += fabs((double)point[j]);
        }
        sum[2 * d]++;
    }
    for (size_t e = 0; e < (size_t)in->k * d; e++) {
        const double *sum = in->sums + e / d * row, count = sum[2 * d];
        want[e] = sum[e % d] / count;
        tolerance[e] = (count + 3.0) * FLT_EPSILON / 2.0 * sum[d + e % d] / count;
    }
}

static size_t
outputs(const int *size)
{
    return (size_t)size[SIZE_K] * (size_t)size[SIZE_D];
}

/* A distance is a difference and a fused multiplication and addition for each number; then each point is added to a sum. */
static double
flops(const int *size)
{
    return (double)size[SIZE_N] * size[SIZE_D] * (3.0 * size[SIZE_K] + 1.0);
}

static double
bytes(const int *size)
{
    return 4.0 * (size[SIZE_N] * (size[SIZE_D] + 1.0) + size[SIZE_K] * (2.0 * size[SIZE_D] + 1.0));
}

/* ---- on the device ------------------------------------------------------------------------------------------------------ */

static size_t
floats(int rows, int columns)
{
    return (size_t)rows * (size_t)columns * sizeof(float);
}

static void
prepare(const void *inputs)
{
    const Inputs *in = inputs;
    operand_copy(POINTS, in->points, floats(in->n, in->d));
    operand_copy(CENTROIDS, in->centroids, floats(in->k, in->d));
    operand_poison(NEAREST, floats(in->n, 1));
    operand_poison(COUNTS, floats(in->k, 1));
    operand_poison(WORKSPACE, gpu_kmeans_workspace(in->n, in->d, in->k) * sizeof(float));
    operand_poison(MOVED, floats(in->k, in->d));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const Inputs *in = inputs;
    (void)output;
    ((GpuKmeans *)function)(in->n, in->d, in->k, operand(POINTS), operand(CENTROIDS), operand(NEAREST), operand(COUNTS),
                            operand(MOVED), operand(WORKSPACE));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    const Inputs *in = inputs;
    operand_fetch(MOVED, output, floats(in->k, in->d));
}

static const Operation operation = {
    .name = "kmeans",
    .formula = "moved[K][D] = means of the points[N][D] nearest to each centroid",
    .dimensions = "NxDxK (points, numbers of each, clusters)",
    .dimension_count = 3,
    .tolerance = "|error of a mean of t numbers| <= 2^-24 (t + 3) sum |x| / t",
    .lecture = "lectures/05-gemm-gpu.md",
    .create = create,
    .refresh = refresh,
    .reference = reference,
    .destroy = destroy,
    .outputs = outputs,
    .flops = flops,
    .bytes = bytes,
};

static const Rung rungs[] = {
    {GPU_RUNG(kmeans, "01", atomics, "each number is added to its sum in memory")},
    {GPU_RUNG(kmeans, "02", shared_sums, "a block adds up in shared memory")},
    {GPU_RUNG(kmeans, "03", same_order, "no atomics: the same bits each time")},
};

const GpuLadder gpu_kmeans_ladder = {
    .operation = &operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "100000x4x3,1000000x16x10,1000000x64x100,100000x784x10",
    .emulator_sizes = "2000x4x3,1500x33x10",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
