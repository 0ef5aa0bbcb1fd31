/* Every layer and loss against PyTorch's numbers, with the kernels of either end of the ladders.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "tests/golden/golden_networks.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { NETWORKS = COUNT(golden_networks) };

/* Sums of some ten products of numbers around 1, in float: an error of 10 x 6e-8, and as much again from layer to layer. */
#define ATOL 2e-6
#define RTOL 2e-6

static void
check_with(const GoldenNetwork *golden, const char *kernels)
{
    testing_about("%s, %s kernels", golden->name, kernels);
    const Shape input = {1, 1, GOLDEN_INPUTS};
    Run *run = run_from_text(cpu_backend(kernels, NULL), 1, input, golden->layers, GOLDEN_BATCH);
    Net *net = run_net(run);
    ck_assert_uint_eq(net_parameter_count(net), golden->parameter_count);
    memcpy(net_parameters(net), golden->parameters, golden->parameter_count * sizeof(float));
    const bool classifies = strstr(golden->layers, "softmax") != NULL;
    const Batch batch = {.size = GOLDEN_BATCH,
                         .x = golden->x,
                         .labels = classifies ? golden->labels : NULL,
                         .targets = classifies ? NULL : golden->targets};
    const double loss = run_forward(run, &batch);
    ck_assert_doubles(&loss, &golden->loss, 1, ATOL, RTOL);
    ck_assert_floats(run_output(run), golden->output, GOLDEN_BATCH * GOLDEN_OUTPUTS, ATOL, RTOL);
    run_backward(run, 1, RUN_ONLY);
    ck_assert_floats(net_gradients(net), golden->gradients, golden->parameter_count, ATOL, RTOL);
    run_free_all(run);
}

TEST(every_network)
{
    for (int i = 0; i < NETWORKS; i++) {
        check_with(&golden_networks[i], "naive");
        check_with(&golden_networks[i], "best");
    }
}

TEST_MAIN("golden networks")
