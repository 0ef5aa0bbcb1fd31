/* The emulator's counts where the right answer is known. SPDX-License-Identifier: MIT */
#include "core/json.h"
#include "gpu/emulator/gpu_specs.h"
#include "gpu/gemm/gemm.h"
#include "tests/gpu/checked.h"
#include "tests/gpu/counted.h"

enum { FLOATS = 1 << 14 };

/* A library, and two arrays of device memory with zeros in them. */
typedef struct Bench {
    Checked checked;
    float *x, *y;
} Bench;

static Bench
bench_create(const char *file, int up)
{
    Bench bench = {.checked = checked_open(file, up)};
    if (!((int (*)(void))function_of(bench.checked.library, "emulator_counts_exact"))())
        skip_test("clang compiled the kernels: counts are rough");
    const GpuLibrary *gpu = bench.checked.library;
    bench.x = gpu->allocate(FLOATS * sizeof(float));
    bench.y = gpu->allocate(FLOATS * sizeof(float));
    ck_assert(bench.x != NULL && bench.y != NULL);
    ck_assert_ptr_null(gpu->fill(bench.x, 0, FLOATS * sizeof(float)));
    ck_assert_ptr_null(gpu->fill(bench.y, 0, FLOATS * sizeof(float)));
    bench.checked.reset();
    return bench;
}

/* What the kernel counted since the last reset; there must be no finding. */
static const EmulatorKernel *
counted(const Bench *bench, const char *kernel)
{
    const char *message = bench->checked.library->synchronize();
    ck_assert_msg(message == NULL, "%s", message);
    if (bench->checked.findings() > 0)
        bench->checked.report(stderr, "A100");
    ck_assert_int_eq(bench->checked.findings(), 0);
    const EmulatorKernel *it = bench->checked.kernel_named(kernel);
    ck_assert_msg(it != NULL, "%s has not run", kernel);
    return it;
}

static void
bench_free(Bench *bench)
{
    bench->checked.reset();
    bench->checked.library->free(bench->x);
    bench->checked.library->free(bench->y);
}

/* ---- the matrix product ------------------------------------------------------------------------------------ */

enum { SIDE = 64, WARPS = SIDE * SIDE / 32 };

static EmulatorCounts
counts_of_gemm(Bench *bench, const char *rung)
{
    char launch[64];
    snprintf(launch, sizeof(launch), "launch_%s", rung);
    GpuGemm *gemm = (GpuGemm *)function_of(bench->checked.library, launch);
    const float *a = bench->x, *b = bench->x + SIDE * SIDE;
    bench->checked.reset();
    gemm(SIDE, SIDE, SIDE, 1.0f, a, SIDE, b, SIDE, 0.0f, bench->y, SIDE);
    const EmulatorKernel *kernel = counted(bench, rung);
    ck_assert_uint_eq(kernel->launches, 1);
    ck_assert_uint_eq(kernel->blocks, SIDE * SIDE / 1024);
    ck_assert_uint_eq(kernel->threads_per_block, 1024);
    ck_assert_uint_eq(kernel->touched_sectors, 3 * SIDE * SIDE * 4 / 32);
    /* Each product and sum is one FMA; then alpha times it. */
    ck_assert_uint_eq(kernel->total.flops, 2 * SIDE * SIDE * SIDE + SIDE * SIDE);
    return kernel->total;
}

/* A warp's loads of A[m][k] touch 32 rows, 32 sectors, and those of B[k][n] one; or 1 and 4 when its lanes are along a row. */
TEST(coalescing_of_the_matrix_product)
{
    Bench bench = bench_create("librungs_emulator_checked.so", 2);
    const EmulatorCounts naive = counts_of_gemm(&bench, "gemm_naive");
    ck_assert_uint_eq(naive.loads, 2 * SIDE * WARPS);
    ck_assert_uint_eq(naive.load_sectors, (32 + 1) * SIDE * WARPS);
    ck_assert_uint_eq(naive.load_bytes, 2 * 32 * 4 * SIDE * WARPS);
    ck_assert_uint_eq(naive.stores, WARPS);
    ck_assert_uint_eq(naive.store_sectors, 32 * WARPS);
    const EmulatorCounts coalesced = counts_of_gemm(&bench, "gemm_coalesced");
    ck_assert_uint_eq(coalesced.loads, 2 * SIDE * WARPS);
    ck_assert_uint_eq(coalesced.load_sectors, (1 + 4) * SIDE * WARPS);
    ck_assert_uint_eq(coalesced.store_sectors, 4 * WARPS);
    ck_assert_uint_eq(coalesced.divergent, 0);
    bench_free(&bench);
}

/* Tiles of 32: each of A and B is loaded SIDE / 32 times; reads of the tiles are one word for all lanes, or a row of words. */
TEST(the_shared_tile_loads_less)
{
    Bench bench = bench_create("librungs_emulator_checked.so", 2);
    const EmulatorCounts c = counts_of_gemm(&bench, "gemm_shared_tile");
    ck_assert_uint_eq(c.loads, 2 * (SIDE / 32) * WARPS);
    ck_assert_uint_eq(c.load_sectors, 4 * c.loads);
    ck_assert_uint_eq(c.shared, 2 * SIDE * WARPS + 2 * (SIDE / 32) * WARPS);
    ck_assert_uint_eq(c.shared_passes, c.shared);
    ck_assert_uint_eq(c.conflicts, 0);
    ck_assert_uint_eq(c.barriers, 2 * (SIDE / 32) * (SIDE * SIDE / 1024));
    bench_free(&bench);
}

/* ---- single kernels ------------------------------------------------------------------------------------------- */

TEST(bank_conflicts_of_a_tile)
{
    Bench bench = bench_create("libkernels_checked.so", 0);
    const Checked *c = &bench.checked;
    ((void (*)(const float *, float *))function_of(c->library, "launch_transpose_tile"))(bench.x, bench.y);
    const EmulatorKernel *plain = counted(&bench, "transpose_tile");
    ck_assert_uint_eq(plain->shared_per_block, 32 * 32 * 4);
    ck_assert_uint_eq(plain->total.shared, 64);                  /* 32 warps write, and read */
    ck_assert_uint_eq(plain->total.shared_passes, 32 + 32 * 32); /* 1 pass, and 32 */
    ck_assert_uint_eq(plain->total.conflicts, 32 * 31);
    c->reset();
    ((void (*)(const float *, float *))function_of(c->library, "launch_transpose_padded"))(bench.x, bench.y);
    const EmulatorKernel *padded = counted(&bench, "transpose_tile");
    ck_assert_uint_eq(padded->shared_per_block, 32 * 33 * 4);
    ck_assert_uint_eq(padded->total.shared_passes, 64);
    ck_assert_uint_eq(padded->total.conflicts, 0);
    bench_free(&bench);
}

/* 256 threads are 8 warps. i % (2 step) == 0 parts each warp until 2 step reaches 32, then the warps that hold such an i; i < step
 * parts a warp only when step is less than 32. */
TEST(divergence_of_a_reduction)
{
    static const unsigned interleaved[] = {8, 8, 8, 8, 8, 4, 2, 1}, sequential[] = {1, 1, 1, 1, 1, 0, 0, 0};
    Bench bench = bench_create("libkernels_checked.so", 0);
    for (unsigned i = 0; i < 8; i++) {
        bench.checked.reset();
        ((void (*)(float *, unsigned))function_of(bench.checked.library, "launch_step_sequential"))(bench.x, 1u << i);
        ck_assert_uint_eq(counted(&bench, "step_sequential")->total.divergent, sequential[i]);
        bench.checked.reset();
        ((void (*)(float *, unsigned))function_of(bench.checked.library, "launch_step_interleaved"))(bench.x, 1u << i);
        ck_assert_uint_eq(counted(&bench, "step_interleaved")->total.divergent, interleaved[i]);
    }
    bench_free(&bench);
}

TEST(vectors_and_strides)
{
    Bench bench = bench_create("libkernels_checked.so", 0);
    const Checked *c = &bench.checked;
    ((void (*)(const float *, float *))function_of(c->library, "launch_copy_vectors"))(bench.x, bench.y);
    EmulatorCounts total = counted(&bench, "copy_vectors")->total;
    ck_assert_uint_eq(total.loads, 8);
    ck_assert_uint_eq(total.load_sectors, 8 * 16);
    ck_assert_uint_eq(total.stores, 8);
    ck_assert_uint_eq(total.store_sectors, 8 * 16);
    ck_assert_uint_eq(total.shared, 16);
    ck_assert_uint_eq(total.shared_passes, 16 * 4); /* a quarter of a warp at a time: no conflict */
    ck_assert_uint_eq(total.conflicts, 0);
    for (int stride = 1; stride <= 16; stride *= 2) {
        c->reset();
        ((void (*)(const float *, float *, int))function_of(c->library, "launch_copy_strided"))(bench.x, bench.y,
                                                                                                stride);
        total = counted(&bench, "copy_strided")->total;
        ck_assert_uint_eq(total.load_sectors, 8u * (unsigned)(stride < 8 ? 4 * stride : 32));
        ck_assert_uint_eq(total.store_sectors, 8 * 4);
    }
    bench_free(&bench);
}

TEST(collisions_of_atomics)
{
    Bench bench = bench_create("libkernels_checked.so", 0);
    for (unsigned places = 1; places <= 32; places *= 2) {
        bench.checked.reset();
        ((void (*)(unsigned *, unsigned))function_of(bench.checked.library, "launch_histogram"))((unsigned *)bench.x,
                                                                                                 places);
        const EmulatorCounts total = counted(&bench, "histogram")->total;
        ck_assert_uint_eq(total.atomics, 8);
        ck_assert_uint_eq(total.collisions, 8 * (32 - places));
    }
    bench_free(&bench);
}

TEST(flops_of_every_kind)
{
    Bench bench = bench_create("libkernels_checked.so", 0);
    for (int n = 0; n < 40; n += 13) {
        bench.checked.reset();
        ((void (*)(float *, double *, int))function_of(bench.checked.library, "launch_arithmetic"))(
            bench.x, (double *)bench.y, n);
        const EmulatorCounts total = counted(&bench, "arithmetic")->total;
        ck_assert_uint_eq(total.flops, 256u * (4u * (unsigned)n + 2));
        ck_assert_uint_eq(total.double_flops, 256u * (unsigned)n);
    }
    bench_free(&bench);
}

/* ---- predictions and reports ---------------------------------------------------------------------------------------- */

TEST(prediction_is_the_longer_of_flops_and_bytes)
{
    Bench bench = bench_create("librungs_emulator_checked.so", 2);
    const EmulatorCounts c = counts_of_gemm(&bench, "gemm_naive");
    const EmulatorKernel *kernel = bench.checked.kernel_named("gemm_naive");
    const GpuSpecs *gpu = gpu_specs_named("A100");
    const double least = (double)kernel->touched_sectors * 32 / gpu_bandwidth(gpu),
                 flops = (double)c.flops / gpu_peak(gpu);
    const double most = (double)(c.load_sectors + c.store_sectors) * 32 / gpu_bandwidth(gpu);
    ck_assert_double_eq_tol(bench.checked.seconds(kernel, "A100", 1) / fmax(least, flops), 1, 1e-12);
    ck_assert_double_eq_tol(bench.checked.seconds(kernel, "A100", 0) / fmax(most, flops), 1, 1e-12);
    ck_assert_double_lt(bench.checked.seconds(kernel, "no such", 0), 0);
    bench_free(&bench);
}

/* The lines' counts add up to the kernel's, and the JSON can be read. */
TEST(reports_hold_what_was_counted)
{
    Bench bench = bench_create("librungs_emulator_checked.so", 2);
    const EmulatorCounts total = counts_of_gemm(&bench, "gemm_shared_tile");
    const EmulatorKernel *kernel = bench.checked.kernel_named("gemm_shared_tile");
    unsigned long long flops = 0, conflicts = 0, barriers = 0;
    for (size_t i = 0; i < kernel->line_count; i++) {
        ck_assert_ptr_nonnull(strstr(kernel->lines[i].file, "03_shared_tile.cu"));
        flops += kernel->lines[i].counts.flops;
        conflicts += kernel->lines[i].counts.conflicts;
        barriers += kernel->lines[i].counts.barriers;
    }
    ck_assert_uint_eq(flops, total.flops);
    ck_assert_uint_eq(conflicts, total.conflicts);
    ck_assert_uint_eq(barriers, total.barriers);
    const char *path = testing_path("report.json");
    FILE *out = fopen(path, "w");
    bench.checked.report_json(out);
    fclose(out);
    cJSON *json = json_read(path, &error);
    ck_assert_ok(json);
    const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "kernels"), 0);
    ck_assert_double_eq(cJSON_GetObjectItem(first, "flops")->valuedouble, (double)total.flops);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(first, "gpus")), 5);
    cJSON_Delete(json);
    bench_free(&bench);
}

TEST_MAIN("gpu counters")
