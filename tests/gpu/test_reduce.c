/* Every rung of the sum: right for every n, the same bits in every order of threads, without findings, with the counts that its
 * file names.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/reduce/reduce.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"interleaved", "sequential", "shuffle", "vectorised", "atomic", "last_block"};
enum { RUNGS = COUNT(rungs), ATOMIC = 4 };

static const size_t lengths[] = {0,   1,   2,    3,    4,    31,   32,   33,   37,   127,  255,
                                 256, 257, 1021, 1023, 1024, 1025, 4093, 4096, 9973, 65537};

static GpuReduce *
reduce_of(const GpuLibrary *gpu, const char *rung)
{
    char name[64];
    snprintf(name, sizeof(name), "launch_reduce_%s", rung);
    return (GpuReduce *)function_of(gpu, name);
}

/* Of x[begin] .. x[begin + n - 1], which begin anywhere within 16 bytes. */
static float
sum_of(const GpuLibrary *gpu, const char *rung, size_t begin, size_t n, const float *x)
{
    float got;
    float *from = rungs_input(gpu, x, begin + n), *to = rungs_output(gpu, 1), *work = rungs_output(gpu, reduce_work(n));
    reduce_of(gpu, rung)(n, from + begin, to, work);
    rungs_fetch(gpu, to, &got, 1, rung);
    gpu->free(work);
    gpu->free(from);
    return got;
}

/* Whole numbers: right is the sum itself, in whatever order. One sign, so that none is missed and no half cancels the other. */
static void
check_whole(const GpuLibrary *gpu, const char *rung, size_t n)
{
    float *x = ARRAY(float, n + 3);
    double want = 0;
    for (size_t i = 0; i < n; i++)
        want += (double)(x[i + n % 4] = (float)(i % 13 + 1));
    for (size_t i = 0; i < n % 4; i++)
        x[i] = NAN; /* before the array: which must not be read */
    const float got = sum_of(gpu, rung, n % 4, n, x);
    ck_assert_msg((double)got == want, "%s of %zu: %.9g, want %.9g", rung, n, (double)got, want);
    if (n > 0) {
        x[n % 4 + n * 2 / 3] = NAN;
        ck_assert_msg(isnan(sum_of(gpu, rung, n % 4, n, x)), "%s of %zu with a NaN is none", rung, n);
    }
    array_free(x);
}

/* A tree of 256 has 8 steps; behind it at most two more trees, or a few terms a thread. */
static void
check_random(const GpuLibrary *gpu, const char *rung, size_t n)
{
    float *x = ARRAY(float, n);
    double want = 0, magnitude = 0;
    rng_fill_uniform(11, 0, 0, x, n, -1, 1);
    for (size_t i = 0; i < n; i++) {
        want += (double)x[i];
        magnitude += fabs((double)x[i]);
    }
    const double got = (double)sum_of(gpu, rung, 0, n, x);
    ck_assert_msg(fabs(got - want) <= 32 * (double)FLT_EPSILON / 2 * magnitude, "%s of %zu: %.9g, want %.9g", rung, n,
                  got, want);
    array_free(x);
}

static void
check_rungs(const GpuLibrary *gpu, int length)
{
    for (int rung = 0; rung < RUNGS; rung++) {
        check_whole(gpu, rungs[rung], lengths[length]);
        check_random(gpu, rungs[rung], lengths[length]);
    }
}

RUNGS_CHECKED_ON(check_rungs, COUNT(lengths), COUNT(lengths) - 1, test_thorough())

/* More elements than the grid has threads. */
TEST(longer_than_the_grid)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    for (int rung = 3; rung < RUNGS; rung++)
        check_whole(gpu, rungs[rung], (1 << 20) + 2111);
}

TEST(bits_do_not_depend_on_the_order)
{
    enum { N = 50021 };
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    float *x = ARRAY(float, N), first[RUNGS];
    rng_fill_uniform(12, 0, 0, x, N, -1, 1);
    for (int order = 0; order < RUNGS_ORDERS; order++) {
        rungs_use_order(order);
        for (int rung = 0; rung < RUNGS; rung++) {
            const float sum = sum_of(gpu, rungs[rung], 0, N, x);
            if (order == 0)
                first[rung] = sum;
            if (rung != ATOMIC)
                ck_assert_msg(memcmp(&sum, &first[rung], sizeof(sum)) == 0, "%s: %.9g and %.9g", rungs[rung],
                              (double)sum, (double)first[rung]);
        }
        ck_assert_float_eq(first[3], first[5]); /* as the file of last_block says */
    }
    array_free(x);
}

static EmulatorCounts
counts_of(const Checked *checked, int rung, size_t n)
{
    const GpuLibrary *gpu = checked->library;
    float *x = gpu->allocate(n * sizeof(float)), *sum = rungs_output(gpu, 1), *work = rungs_output(gpu, reduce_work(n));
    char kernel[64];
    snprintf(kernel, sizeof(kernel), "reduce_%s", rungs[rung]);
    rungs_no_error(gpu->fill(x, 0, n * sizeof(float)));
    checked->reset();
    reduce_of(gpu, rungs[rung])(n, x, sum, work);
    const EmulatorCounts c = rungs_counted(checked, kernel);
    gpu->free(x);
    gpu->free(sum);
    gpu->free(work);
    return c;
}

/* One block: 8 warps. Interleaved, each warp diverges in steps 1 to 16, then the 4, 2, 1 warps that still hold a thread that adds.
 * With contiguous threads only the first warp diverges, in the last five steps, and once more at `if (t == 0)`. */
TEST(divergence_and_barriers)
{
    const Checked checked = rungs_counters();
    const EmulatorCounts interleaved = counts_of(&checked, 0, 256), sequential = counts_of(&checked, 1, 256),
                         shuffle = counts_of(&checked, 2, 256);
    ck_assert_uint_eq(interleaved.divergent, 5 * 8 + 4 + 2 + 1 + 1);
    ck_assert_uint_eq(sequential.divergent, 5 + 1);
    ck_assert_uint_eq(interleaved.barriers, 9);
    ck_assert_uint_eq(sequential.barriers, 9);
    ck_assert_uint_eq(shuffle.barriers, 2);
    ck_assert_uint_eq(interleaved.flops, 255);
    ck_assert_uint_eq(sequential.flops, 255);
    ck_assert_uint_eq(sequential.conflicts, 0);
    ck_assert_uint_lt(shuffle.shared, sequential.shared);
}

/* 4096 floats: 128 requests of 4 sectors by rung 3, 32 of 16 by those that read four at once. The sums of blocks are few more. */
TEST(loads_of_four_floats)
{
    const Checked checked = rungs_counters();
    const EmulatorCounts shuffle = counts_of(&checked, 2, 4096), vectorised = counts_of(&checked, 3, 4096),
                         atomic = counts_of(&checked, ATOMIC, 4096), last = counts_of(&checked, 5, 4096);
    ck_assert_uint_eq(shuffle.loads, 128 + 1);
    ck_assert_uint_eq(shuffle.load_sectors, 512 + 2);
    ck_assert_uint_eq(vectorised.loads, 32 + 1);
    ck_assert_uint_eq(vectorised.load_sectors, 512 + 1);
    ck_assert_uint_eq(atomic.loads, 32);
    ck_assert_uint_eq(atomic.atomics, 4);
    ck_assert_uint_eq(last.loads, 32 + 1);
    ck_assert_uint_eq(last.atomics, 4);
}

TEST_MAIN("gpu reduce")
