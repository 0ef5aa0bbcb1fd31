/* The times that `rungs bench --compare` puts beside each other. That of a device is measured here on the emulator: what comes out
 * means nothing, but it is the way that a device goes. SPDX-License-Identifier: MIT */
#include "cpu/ladders.h"
#include "gpu/compare.h"
#include "tests/testing.h"

static const int size[LADDER_DIMENSIONS] = {40, 24, 33};

/* A square product is bound by its operations, a thin one by its bytes. */
TEST(predictions_are_rooflines)
{
    const GpuModel model = compare_model(gpu_specs_named("A100"), 0.0);
    const Operation *gemm = &gemm_ladder.operation;
    const int large[LADDER_DIMENSIONS] = {4096, 4096, 4096}, thin[LADDER_DIMENSIONS] = {4096, 1, 4096};
    ck_assert_double_eq_tol(model.link, 0.8 * 31.5e9, 0.1e9);
    ck_assert_double_eq(compare_model(gpu_specs_named("A100"), 7e9).link, 7e9);
    const double compute = 2.0 * 4096 * 4096 * 4096 / gpu_peak(model.gpu);
    ck_assert_double_eq_tol(compare_predict_gpu(gemm, large, &model, false), model.launch + compute, 1e-9);
    const double bytes = 4.0 * (4096.0 * 4096 + 2 * 4096);
    ck_assert_double_eq_tol(compare_predict_gpu(gemm, thin, &model, false),
                            model.launch + bytes / gpu_bandwidth(model.gpu), 1e-9);
    ck_assert_double_eq_tol(compare_predict_gpu(gemm, thin, &model, true) -
                                compare_predict_gpu(gemm, thin, &model, false),
                            bytes / model.link + 3 * model.copy, 1e-9);
}

TEST(the_processor_is_measured)
{
    int rung = -1;
    const double seconds = compare_measure(&gemm_ladder, size, 1, 1, &rung, &error);
    ck_assert_ok(seconds > 0);
    ck_assert(rung >= 0 && rung < gemm_ladder.count && !gemm_ladder.rungs[rung].peer);
}

TEST(the_device_is_measured)
{
    int rung = -1;
    const GpuLibrary *library = gpu_library(GPU_EMULATOR, &error);
    if (library == NULL)
        skip_test("%s", error.text);
    Ladder *ladder = gpu_ladder_bind(&gpu_gemm_ladder, library, &error);
    ck_assert_ok(ladder);
    ck_assert_ok(compare_measure(ladder, size, 1, 1, &rung, &error) > 0);
    ck_assert_ptr_null(ladder->rungs[rung].tolerance_factor);
    ck_assert_ok(compare_measure_copied(ladder, rung, size, 1, &error) > 0);
    gpu_ladder_free(ladder);
}

TEST_MAIN("gpu compare")
