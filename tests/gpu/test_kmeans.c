/* Every rung of k-means: a round against sums in double, without findings, and with the counts that its file names.
 * SPDX-License-Identifier: MIT */
#include "tests/gpu/kmeans_round.h"

/* No centroid is closer than the one that was chosen, rounding aside, nor equally close before it. */
static void
check_nearest(const Round *r, const char *rung)
{
    for (int i = 0; i < r->n; i++) {
        const int chosen = r->nearest[i];
        ck_assert_msg(chosen >= 0 && chosen < r->k, "%s: point %d of %d is nearest to %d of %d", rung, i, r->n, chosen,
                      r->k);
        const double far = distance(r, i, chosen);
        for (int c = 0; c < r->k; c++) {
            const double rounding = (r->d + 2) * (double)FLT_EPSILON * far;
            ck_assert_msg(distance(r, i, c) >= far - rounding,
                          "%s %dx%d, %d centroids: point %d is closer to %d than to %d", rung, r->n, r->d, r->k, i, c,
                          chosen);
        }
    }
}

/* The means of the points that were assigned: so that two centroids equally near make no difference. */
static void
check_means(const Round *r, const char *rung)
{
    for (int c = 0; c < r->k; c++) {
        int count = 0;
        for (int i = 0; i < r->n; i++)
            count += r->nearest[i] == c;
        ck_assert_msg(r->counts[c] == count, "%s: %d points, not %d, of cluster %d", rung, r->counts[c], count, c);
        for (int j = 0; j < r->d; j++) {
            double sum = 0, magnitude = 0;
            for (int i = 0; i < r->n; i++) {
                const double x = r->nearest[i] == c ? (double)r->points[i * r->d + j] : 0;
                sum += x;
                magnitude += fabs(x);
            }
            const double got = (double)r->moved[c * r->d + j], n = count > 0 ? count : 1;
            const double want = count > 0 ? sum / n : (double)r->centroids[c * r->d + j];
            const double tolerance = count > 0 ? (n + 3) * (double)FLT_EPSILON / 2 * magnitude / n : 0;
            ck_assert_msg(fabs(got - want) <= tolerance, "%s %dx%d: centroid %d of %d, element %d: %g, want %g", rung,
                          r->n, r->d, c, r->k, j, got, want);
        }
    }
}

/* n, d, k. A block has 256 threads or 1024 points; 8192 sums come into shared memory at once. */
static const int shapes[][3] = {{0, 3, 2},    {1, 1, 1},     {5, 0, 3},    {31, 2, 1},  {33, 3, 7},
                                {255, 4, 3},  {256, 1, 5},   {257, 31, 4}, {97, 32, 2}, {1024, 1, 2},
                                {1025, 2, 3}, {2049, 1, 11}, {70, 95, 86}, {3, 64, 130}};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    Round r = round_create(shapes[shape][0], shapes[shape][1], shapes[shape][2]);
    for (int rung = 0; rung < RUNGS; rung++) {
        round_run(gpu, rungs[rung], &r);
        check_nearest(&r, rungs[rung]);
        check_means(&r, rungs[rung]);
    }
    round_free(&r);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* Of equal centroids the first; of those with NaN none, unless there is no other. */
TEST(ties_and_nan)
{
    for (int rung = 0; rung < RUNGS; rung++) {
        Round r = round_create(3, 1, 4);
        const float points[3] = {1.0f, 9.0f, NAN}, centroids[4] = {NAN, 2.0f, 2.0f, 8.0f};
        memcpy(r.points, points, sizeof(points));
        memcpy(r.centroids, centroids, sizeof(centroids));
        round_run(rungs_library(GPU_EMULATOR), rungs[rung], &r);
        ck_assert_int_eq(r.nearest[0], 1);
        ck_assert_int_eq(r.nearest[1], 3);
        ck_assert_int_eq(r.nearest[2], 0);
        ck_assert_int_eq(r.counts[2], 0);
        ck_assert_float_eq(r.moved[2], 2.0f);
        round_free(&r);
    }
}

/* The last rung's promise: the same bits in every order of threads. */
TEST(same_order_gives_the_same_bits)
{
    enum { D = 5, K = 3 };
    float first[K * D];
    Round r = round_create(3000, D, K);
    for (int order = 0; order < RUNGS_ORDERS; order++) {
        rungs_use_order(order);
        round_run(rungs_library(GPU_EMULATOR), "same_order", &r);
        if (order == 0)
            memcpy(first, r.moved, sizeof(first));
        ck_assert_mem_eq(first, r.moved, sizeof(first));
    }
    round_free(&r);
}

/* ---- counts ---------------------------------------------------------------------------------------------------- */

static EmulatorCounts
counts_of(const Checked *checked, Round *r, const char *rung, const char *kernel)
{
    checked->reset();
    round_run(checked->library, rung, r);
    return rungs_counted(checked, kernel);
}

/* 1024 points of one element and one centroid: all threads add to two addresses. */
TEST(collisions_of_each_rung)
{
    enum { N = 1024, WARPS = 2 * N / 32 };
    const Checked checked = rungs_counters();
    Round r = round_create(N, 1, 1);

    /* Half of each warp adds elements, half counts: each half at one address. */
    const EmulatorCounts atomics = counts_of(&checked, &r, "atomics", "kmeans_sum_atomics");
    ck_assert_uint_eq(atomics.atomics, 2 * WARPS);
    ck_assert_uint_eq(atomics.collisions, 2 * 15 * WARPS);
    ck_assert_uint_eq(atomics.shared, 0);

    /* A warp's 32 additions are one request, to two addresses in shared memory; to memory the block adds twice. */
    const EmulatorCounts shared = counts_of(&checked, &r, "shared_sums", "kmeans_sum_shared");
    ck_assert_uint_eq(shared.atomics, WARPS + 2);
    ck_assert_uint_eq(shared.collisions, 30 * WARPS);
    ck_assert_uint_eq(shared.barriers, 2);

    const EmulatorCounts ordered = counts_of(&checked, &r, "same_order", "kmeans_sum_same_order");
    ck_assert_uint_eq(ordered.atomics, 0);
    ck_assert_uint_eq(ordered.stores, N + 1);
    round_free(&r);
}

/* Points of d floats: a warp's 32 touch min(4 d, 32) sectors with each load of an element; a centroid's element is one for all. */
TEST(sectors_of_assign)
{
    enum { N = 256, K = 3 };
    const Checked checked = rungs_counters();
    for (unsigned d = 1; d <= 16; d *= 2) {
        Round r = round_create(N, (int)d, K);
        const EmulatorCounts c = counts_of(&checked, &r, "atomics", "kmeans_assign");
        ck_assert_uint_eq(c.loads, N / 32 * 2 * K * d);
        ck_assert_uint_eq(c.load_sectors, N / 32 * K * d * (1 + (4 * d < 32 ? 4 * d : 32)));
        ck_assert_uint_eq(c.store_sectors, N / 8);
        round_free(&r);
    }
}

TEST_MAIN("gpu kmeans")
