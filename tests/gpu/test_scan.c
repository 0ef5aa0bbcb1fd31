/* Every rung of the prefix sum: right for every n, in place, without findings, with the counts that its file names.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/scan/scan.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"hillis_steele", "blelloch", "shuffle", "three_launches", "sums_first"};

static const size_t lengths[] = {0, 1, 2, 31, 32, 33, 511, 512, 1023, 1024, 1025, 2048, 2049, 5003};

static GpuScan *
scan_of(const GpuLibrary *gpu, const char *rung)
{
    char name[64];
    snprintf(name, sizeof(name), "launch_scan_%s", rung);
    return (GpuScan *)function_of(gpu, name);
}

/* got may be x: then the scan is in place on the device, too. */
static void
scan(const GpuLibrary *gpu, const char *rung, size_t n, const float *x, float *got)
{
    float *y = rungs_output(gpu, n), *work = rungs_output(gpu, scan_work(n)), *from = y;
    if (got != x)
        from = rungs_input(gpu, x, n);
    else
        rungs_no_error(gpu->copy_in(y, x, n * sizeof(float)));
    scan_of(gpu, rung)(n, from, y, work);
    rungs_fetch(gpu, y, got, n, rung);
    gpu->free(work);
    if (from != y)
        gpu->free(from);
}

/* Whole numbers: each sum is exact, in whatever order. A NaN in the middle reaches all that follow, and nothing before it. */
static void
check_whole(const GpuLibrary *gpu, const char *rung, size_t n)
{
    float *x = ARRAY(float, n), *y = ARRAY(float, n);
    const size_t middle = n * 2 / 3;
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 13 + 1);
    for (int round = 0; round < 2; round++) {
        double want = 0;
        if (round == 1 && n > 0)
            x[middle] = NAN;
        scan(gpu, rung, n, x, y);
        for (size_t i = 0; i < n; i++) {
            want += (double)x[i];
            ck_assert_msg((double)y[i] == want || (isnan(want) && isnan(y[i])), "%s of %zu: y[%zu] is %.9g, want %.9g",
                          rung, n, i, (double)y[i], want);
        }
    }
    scan(gpu, rung, n, x, x);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(&x[i], &y[i], sizeof(float)) == 0, "%s of %zu in place: y[%zu] is %.9g, want %.9g", rung,
                      n, i, (double)x[i], (double)y[i]);
    array_free(x);
    array_free(y);
}

static void
check_random(const GpuLibrary *gpu, const char *rung, size_t n)
{
    float *x = ARRAY(float, n), *y = ARRAY(float, n);
    double want = 0, magnitude = 0;
    rng_fill_uniform(13, 0, 0, x, n, -1, 1);
    scan(gpu, rung, n, x, y);
    for (size_t i = 0; i < n; i++) { /* a tree of 1024 has 10 levels, Blelloch's 20; the carry adds one a chunk */
        want += (double)x[i];
        magnitude += fabs((double)x[i]);
        const double tolerance = (24 + (double)(i / 1024)) * (double)FLT_EPSILON / 2 * magnitude;
        ck_assert_msg(fabs((double)y[i] - want) <= tolerance, "%s of %zu: y[%zu] is %.9g, want %.9g", rung, n, i,
                      (double)y[i], want);
    }
    array_free(x);
    array_free(y);
}

static void
check_rungs(const GpuLibrary *gpu, int length)
{
    for (int rung = 0; rung < COUNT(rungs); rung++) {
        check_whole(gpu, rungs[rung], lengths[length]);
        check_random(gpu, rungs[rung], lengths[length]);
    }
}

RUNGS_CHECKED_ON(check_rungs, COUNT(lengths), COUNT(lengths), test_thorough())

/* More chunk sums than one block scans at once. */
TEST(more_chunks_than_a_block_has_threads)
{
    const size_t n = (1 << 20) + 2049;
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    float *x = ARRAY(float, n), *y = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 7 + 1);
    for (int rung = 3; rung < COUNT(rungs); rung++) {
        double want = 0;
        scan(gpu, rungs[rung], n, x, y);
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += (double)y[i] != (want += (double)x[i]);
        ck_assert_msg(wrong == 0, "%s of %zu: %zu are wrong", rungs[rung], n, wrong);
    }
    array_free(x);
    array_free(y);
}

/* What all kernels of the rung counted for n zeros. */
static EmulatorCounts
counts_of(const Checked *checked, int rung, size_t n, const char *const *kernels)
{
    const GpuLibrary *gpu = checked->library;
    EmulatorCounts all = {0};
    float *x = gpu->allocate(n * sizeof(float)), *y = rungs_output(gpu, n), *work = rungs_output(gpu, scan_work(n));
    rungs_no_error(gpu->fill(x, 0, n * sizeof(float)));
    checked->reset();
    scan_of(gpu, rungs[rung])(n, x, y, work);
    for (; *kernels != NULL; kernels++) {
        const EmulatorCounts c = rungs_counted(checked, *kernels);
        all.flops += c.flops;
        all.barriers += c.barriers;
        all.conflicts += c.conflicts;
        all.load_bytes += c.load_bytes;
        all.store_bytes += c.store_bytes;
    }
    gpu->free(x);
    gpu->free(y);
    gpu->free(work);
    return all;
}

/* A chunk of 1024. Each thread also adds the carry to what it writes, and to the carry the chunk's sum. */
TEST(additions_and_barriers)
{
    const Checked checked = rungs_counters();
    const EmulatorCounts hillis = counts_of(&checked, 0, 1024, (const char *const[]){"scan_hillis_steele", NULL}),
                         blelloch = counts_of(&checked, 1, 1024, (const char *const[]){"scan_blelloch", NULL}),
                         shuffle = counts_of(&checked, 2, 1024, (const char *const[]){"scan_shuffle", NULL});
    ck_assert_uint_eq(hillis.flops, 9217 + 2 * 1024);
    ck_assert_uint_eq(blelloch.flops, 1023 + 1023 + 1024 + 1024 + 512);
    ck_assert_uint_eq(hillis.barriers, 1 + 10 + 1);
    ck_assert_uint_eq(shuffle.barriers, 3);
    ck_assert_uint_eq(hillis.conflicts, 0);
    ck_assert_uint_gt(blelloch.conflicts, 0);
    ck_assert_uint_eq(shuffle.conflicts, 0);
}

/* 16 n and 12 n bytes; the sums of 8 chunks add little. */
TEST(traffic)
{
    enum { N = 8192, SUMS = N / 1024 };
    const Checked checked = rungs_counters();
    const EmulatorCounts three = counts_of(
                             &checked, 3, N,
                             (const char *const[]){"scan_chunks", "scan_chunk_sums", "add_sums_before", NULL}),
                         first = counts_of(&checked, 4, N,
                                           (const char *const[]){"sum_chunks", "scan_sums", "scan_after_sums", NULL});
    ck_assert_uint_eq(three.store_bytes, 4 * (2 * N - 1024 + 2 * SUMS));
    ck_assert_uint_ge(three.load_bytes, 4 * (2 * N - 1024 + SUMS));
    ck_assert_uint_eq(first.store_bytes, 4 * (N + 2 * SUMS));
    ck_assert_uint_ge(first.load_bytes, 4 * (2 * N + SUMS));
}

TEST_MAIN("gpu scan")
