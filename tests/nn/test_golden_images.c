/* Layers of images against PyTorch's numbers: training, inference, gradients and running averages, with the kernels of either end
 * of the ladders, and with a batch that is smaller than the largest.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "tests/golden/golden_images.h"
#include "tests/nets.h"
#include "tests/testing.h"

/* Sums of up to a hundred products of numbers around 1, in float, through a few layers; normalisation divides by a deviation, which
 * makes errors larger where that is small. */
#define ATOL 5e-6
#define RTOL 1e-5

static void
check_with(const GoldenImages *golden, const char *kernels, int max_batch)
{
    testing_about("%s, %s kernels", golden->name, kernels);
    const Shape input = {GOLDEN_HEIGHT, GOLDEN_WIDTH, GOLDEN_CHANNELS};
    Run *run = run_from_text(cpu_backend(kernels, NULL), 1, input, golden->layers, max_batch);
    Net *net = run_net(run);
    const size_t outputs = (size_t)GOLDEN_BATCH * GOLDEN_OUTPUTS;
    ck_assert_uint_eq(net_parameter_count(net), golden->parameter_count);
    ck_assert_uint_eq(net_average_count(net), golden->average_count);
    memcpy(net_parameters(net), golden->parameters, golden->parameter_count * sizeof(float));
    Batch batch = {.size = GOLDEN_BATCH, .x = golden->x, .labels = golden->labels};
    const double loss = run_forward(run, &batch);
    ck_assert_doubles(&loss, &golden->loss, 1, ATOL, RTOL);
    ck_assert_floats(run_output(run), golden->output, outputs, ATOL, RTOL);
    run_backward(run, 1, RUN_ONLY);
    ck_assert_floats(net_gradients(net), golden->gradients, golden->parameter_count, ATOL, RTOL);
    ck_assert_floats(net_averages(net), golden->averages, golden->average_count, ATOL, RTOL);
    batch.inference = true;
    for (int again = 0; again < 2; again++) {
        run_forward(run, &batch);
        ck_assert_floats(run_output(run), golden->inference, outputs, ATOL, RTOL);
        ck_assert_floats(net_averages(net), golden->averages, golden->average_count, ATOL, RTOL);
    }
    run_free_all(run);
}

TEST(every_network)
{
    for (int i = 0; i < COUNT(golden_images); i++) {
        check_with(&golden_images[i], "naive", GOLDEN_BATCH);
        check_with(&golden_images[i], "best", GOLDEN_BATCH);
        check_with(&golden_images[i], "best", GOLDEN_BATCH + 3);
    }
}

TEST_MAIN("golden images")
