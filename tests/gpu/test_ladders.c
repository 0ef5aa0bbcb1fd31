/* Every rung of every ladder of the GPU, as `rungs bench --device emulator` runs it: right on the inputs that the driver draws, and
 * again on new ones. SPDX-License-Identifier: MIT */
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "tests/gpu/rungs.h"

enum { SIZES = 8 };

static void
check_rung(Problem *problem, const Rung *rung, const char *size)
{
    Error reason;
    if (!rung_accepts(rung, problem->size, &reason))
        return;
    for (uint64_t round = 1; round <= 2; round++) {
        problem_refresh(problem, round);
        problem_prepare(problem, rung);
        const Verdict verdict = problem_verify(problem, rung);
        rungs_no_error(operands_failure());
        ck_assert_verdict(verdict, "%s %s, round %d", rung->file, size, (int)round);
    }
}

static void
check_ladder(const GpuLibrary *gpu, const GpuLadder *it)
{
    int sizes[SIZES][LADDER_DIMENSIONS];
    Ladder *ladder = gpu_ladder_bind(it, gpu, &error);
    ck_assert_msg(ladder != NULL, "%s: %s", it->operation->name, error.text);
    const int count = ladder_parse_sizes(ladder, it->emulator_sizes, SIZES, sizes, &error);
    ck_assert_ok(count > 0);
    for (int i = 0; i < count; i++) {
        Problem problem;
        char size[64];
        ck_assert_ok(problem_create(&problem, ladder, sizes[i], 1, &error));
        for (int r = 0; r < ladder->count; r++)
            check_rung(&problem, &ladder->rungs[r], ladder_size_text(ladder, sizes[i], size));
        problem_free(&problem);
    }
    gpu_ladder_free(ladder);
}

TEST(every_rung_is_right)
{
    const GpuLibrary *gpu = rungs_library(GPU_EMULATOR);
    for (int i = 0; gpu_ladders[i] != NULL; i++)
        check_ladder(gpu, gpu_ladders[i]);
}

/* The sizes for devices and for the comparison with the CPU can be read. */
TEST(sizes_can_be_read)
{
    int sizes[32][LADDER_DIMENSIONS];
    for (int i = 0; gpu_ladders[i] != NULL; i++) {
        const GpuLadder *it = gpu_ladders[i];
        const Ladder ladder = {.operation = *it->operation};
        ck_assert_ok(ladder_parse_sizes(&ladder, it->sizes, 32, sizes, &error) > 0);
        if (it->compare_sizes != NULL)
            ck_assert_ok(ladder_parse_sizes(&ladder, it->compare_sizes, 32, sizes, &error) > 0);
    }
}

/* A cluster without points, points without numbers: refused in one sentence. */
TEST(kmeans_refuses_what_is_impossible)
{
    const int sizes[][3] = {{2, 1, 3}, {5, 0, 2}, {5, 2, 0}, {0, 1, 1}, {2000000000, 2, 1}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        ck_assert_ptr_null(gpu_kmeans_ladder.operation->create(sizes[i], 1, &error));
        ck_assert_ptr_nonnull(strstr(error.text, "kmeans"));
    }
}

TEST_MAIN("gpu ladders")
