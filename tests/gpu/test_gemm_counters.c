/* What each rung of the matrix product is there for, in counts: 128 x 128 x 128, whole tiles everywhere.
 * SPDX-License-Identifier: MIT */
#include "gpu/counters.h"
#include "gpu/ladders.h"
#include "tests/testing.h"

enum { SIDE = 128, PRODUCTS = SIDE * SIDE * SIDE };

static const char *const names[] = {
    "naive",     "coalesced",     "shared_tile", "register_tile_1d", "register_tile_2d", "vector_loads",
    "warp_tile", "double_buffer", "tensor_tf32", "tensor_bf16",      "tensor_three_tf32"};
enum {
    NAIVE,
    COALESCED,
    SHARED_TILE,
    REGISTER_TILE_1D,
    REGISTER_TILE_2D,
    VECTOR_LOADS,
    WARP_TILE,
    DOUBLE_BUFFER,
    TENSOR_TF32,
    TENSOR_BF16,
    TENSOR_THREE_TF32,
    RUNGS
};

static EmulatorCounts counts[RUNGS];

static void
count_rung(const GpuCounters *counters, Problem *problem, const Ladder *ladder, int i)
{
    ck_assert_str_eq(ladder->rungs[i].name, names[i]);
    counters->reset();
    const Verdict verdict = problem_verify(problem, &ladder->rungs[i]);
    ck_assert_msg(verdict_ok(&verdict), "%s is wrong", names[i]);
    ck_assert_int_eq(counters->findings(), 0);
    ck_assert_int_eq(counters->kernels(), 1);
    counts[i] = counters->kernel(0)->total;
}

/* Runs all rungs once, through the ladder. */
static void
count_all(void)
{
    GpuCounters counters;
    Problem problem;
    const GpuLibrary *library = gpu_library(GPU_EMULATOR_CHECKED, &error);
    if (library == NULL)
        skip_test("%s", error.text);
    ck_assert(gpu_counters_open(&counters, library, &error));
    if (!counters.counts_exact())
        skip_test("the kernels were compiled by clang, whose counts are rough");
    Ladder *ladder = gpu_ladder_bind(&gpu_gemm_ladder, library, &error);
    ck_assert_ok(ladder);
    ck_assert_int_eq(ladder->count, RUNGS);
    ck_assert(problem_create(&problem, ladder, (const int[LADDER_DIMENSIONS]){SIDE, SIDE, SIDE}, 1, &error));
    for (int i = 0; i < RUNGS; i++)
        count_rung(&counters, &problem, ladder, i);
    problem_free(&problem);
    gpu_ladder_free(ladder);
}

/* 32 rows of A against one: 32 sectors and 1 become 1 and 4. */
static void
check_coalescing(void)
{
    const unsigned long long requests = 2 * PRODUCTS / 32, stores = SIDE * SIDE / 32;
    ck_assert_uint_eq(counts[NAIVE].loads, requests);
    ck_assert_uint_eq(counts[NAIVE].load_sectors, requests / 2 * (32 + 1));
    ck_assert_uint_eq(counts[NAIVE].store_sectors, stores * 32);
    ck_assert_uint_eq(counts[COALESCED].loads, requests);
    ck_assert_uint_eq(counts[COALESCED].load_sectors, requests / 2 * (1 + 4));
    ck_assert_uint_eq(counts[COALESCED].store_sectors, stores * 4);
}

/* How often each element comes from memory: as often as there are blocks in its row or column. */
static void
check_traffic(void)
{
    static const int tile[] = {[SHARED_TILE] = 32,   [REGISTER_TILE_1D] = 64, [REGISTER_TILE_2D] = 128,
                               [VECTOR_LOADS] = 128, [WARP_TILE] = 128,       [DOUBLE_BUFFER] = 128,
                               [TENSOR_TF32] = 128,  [TENSOR_BF16] = 128,     [TENSOR_THREE_TF32] = 128};
    for (int i = SHARED_TILE; i < RUNGS; i++) {
        const unsigned long long bytes = 2ull * PRODUCTS / (unsigned)tile[i] * sizeof(float);
        ck_assert_msg(counts[i].load_bytes == bytes, "%s: %llu bytes, expected %llu", names[i], counts[i].load_bytes,
                      bytes);
        ck_assert_msg(counts[i].load_sectors * 32 == bytes, "%s: not all of its sectors are used", names[i]);
        ck_assert_uint_eq(counts[i].loads, bytes / (i >= VECTOR_LOADS ? 512 : 128)); /* 16, or 4 bytes a lane */
    }
}

/* Requests for shared memory to multiply; what the tiles take to be written is 1 or 4 for each request for memory. */
static void
check_shared(void)
{
    static const double each[] = {
        [SHARED_TILE] = 2,         [REGISTER_TILE_1D] = 9.0 / 8, [REGISTER_TILE_2D] = 16.0 / 64,
        [VECTOR_LOADS] = 4.0 / 64, [WARP_TILE] = 6.0 / 128,      [DOUBLE_BUFFER] = 6.0 / 128};
    for (int i = SHARED_TILE; i <= DOUBLE_BUFFER; i++) {
        const bool transposes = i == VECTOR_LOADS || i == WARP_TILE; /* A's tile: four floats, one by one */
        const double written = (double)counts[i].loads * (transposes ? 2.5 : 1.0);
        ck_assert_double_eq((double)counts[i].shared, each[i] * PRODUCTS / 32 + written);
        if (i > SHARED_TILE)
            ck_assert_uint_lt(counts[i].shared, counts[i - 1].shared);
        if (i != WARP_TILE)
            ck_assert_msg(counts[i].conflicts == 0, "%s has conflicts", names[i]);
    }
    ck_assert_uint_lt(counts[REGISTER_TILE_1D].shared_passes, counts[SHARED_TILE].shared_passes);
    ck_assert_uint_lt(counts[REGISTER_TILE_2D].shared_passes, counts[REGISTER_TILE_1D].shared_passes);
    ck_assert_uint_lt(counts[WARP_TILE].shared_passes, counts[VECTOR_LOADS].shared_passes);
    ck_assert_uint_lt(counts[DOUBLE_BUFFER].shared_passes, counts[WARP_TILE].shared_passes);
}

/* Before and after each tile; the second buffer makes one of them unnecessary. */
static void
check_barriers(void)
{
    ck_assert_uint_eq(counts[WARP_TILE].barriers, SIDE / 16 * 2);
    ck_assert_uint_eq(counts[DOUBLE_BUFFER].barriers, SIDE / 16);
    for (int i = 0; i < RUNGS; i++)
        ck_assert_msg(counts[i].divergent == 0, "%s diverges within a warp", names[i]);
}

static void
check_flops(void)
{
    const unsigned long long flops = 2ull * PRODUCTS, scaling = SIDE * SIDE;
    for (int i = 0; i <= DOUBLE_BUFFER; i++) {
        ck_assert_uint_eq(counts[i].flops, flops + scaling);
        ck_assert_uint_eq(counts[i].tensor_flops, 0);
    }
    for (int i = TENSOR_TF32; i < RUNGS; i++) {
        ck_assert_uint_eq(counts[i].tensor_flops, flops * (i == TENSOR_THREE_TF32 ? 3 : 1));
        ck_assert_uint_eq(counts[i].tf32_flops, i == TENSOR_BF16 ? 0 : counts[i].tensor_flops);
    }
}

TEST(each_rung_does_what_it_is_for)
{
    count_all();
    check_coalescing();
    check_traffic();
    check_shared();
    check_barriers();
    check_flops();
}

TEST_MAIN("gpu gemm counters")
