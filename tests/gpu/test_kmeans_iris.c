/* k-means on the irises, to the end: the same clusters as Lloyd's rounds in double. SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "tests/gpu/kmeans_round.h"

/* Lloyd's rounds in double, until nothing changes: nearest, and the sum of all squared distances. */
static double
lloyd_in_double(const Round *r, const double *start, int *nearest)
{
    const int d = r->d;
    double inertia = 0, *centroids = ARRAY(double, (size_t)(r->k * d));
    memcpy(centroids, start, (size_t)(r->k * d) * sizeof(double));
    memset(nearest, 0xff, (size_t)r->n * sizeof(int));
    for (bool changed = true; changed;) {
        changed = false;
        inertia = 0;
        for (int i = 0; i < r->n; i++) {
            double least = INFINITY;
            int which = 0;
            for (int c = 0; c < r->k; c++) {
                double sum = 0;
                for (int j = 0; j < d; j++)
                    sum += pow((double)r->points[i * d + j] - centroids[c * d + j], 2);
                which = sum < least ? c : which;
                least = fmin(least, sum);
            }
            changed = changed || nearest[i] != which;
            nearest[i] = which;
            inertia += least;
        }
        for (int e = 0; e < r->k * d; e++) {
            double sum = 0, count = 0;
            for (int i = 0; i < r->n; i++) {
                sum += nearest[i] == e / d ? (double)r->points[i * d + e % d] : 0;
                count += nearest[i] == e / d;
            }
            centroids[e] = count > 0 ? sum / count : centroids[e];
        }
    }
    array_free(centroids);
    return inertia;
}

static bool
one_more_round(const GpuLibrary *gpu, const char *rung, Round *r)
{
    int *before = ARRAY(int, (size_t)r->n);
    memcpy(before, r->nearest, (size_t)r->n * sizeof(int));
    round_run(gpu, rung, r);
    const bool changed = memcmp(before, r->nearest, (size_t)r->n * sizeof(int)) != 0;
    if (changed)
        memcpy(r->centroids, r->moved, (size_t)(r->k * r->d) * sizeof(float));
    array_free(before);
    return changed;
}

/* 150 irises in three species, from the first of each: the same clusters as in double. 78.85 is the sum of squared distances at the
 * best of all solutions for three clusters, as books and other programs have it. */
TEST(irises)
{
    enum { D = 4, K = 3 };
    Dataset iris;
    ck_assert_ok(dataset_open("iris", &iris, &error));
    ck_assert_uint_eq(iris.features, D);
    for (int rung = 0; rung < RUNGS; rung++) {
        Round r = round_create((int)iris.count, D, K);
        double start[K * D], inertia = 0;
        memcpy(r.points, iris.x, iris.count * D * sizeof(float));
        for (int e = 0; e < K * D; e++)
            start[e] = (double)(r.centroids[e] = iris.x[e / D * 50 * D + e % D]);
        int *want = ARRAY(int, iris.count), rounds = 1;
        const double least = lloyd_in_double(&r, start, want);
        memset(r.nearest, 0xff, iris.count * sizeof(int));
        for (; one_more_round(rungs_library(GPU_EMULATOR), rungs[rung], &r); rounds++)
            ck_assert_int_lt(rounds, 50);
        ck_assert_mem_eq(r.nearest, want, iris.count * sizeof(int));
        for (int i = 0; i < r.n; i++)
            inertia += distance(&r, i, r.nearest[i]);
        ck_assert_double_eq_tol(inertia, least, 1e-4);
        ck_assert_double_eq_tol(least, 78.85, 0.01);
        array_free(want);
        round_free(&r);
    }
    dataset_free(&iris);
}

TEST_MAIN("gpu kmeans iris")
