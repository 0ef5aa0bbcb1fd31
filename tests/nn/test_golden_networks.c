/* Every layer and loss against PyTorch's numbers, with the kernels of either end of the ladders.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "tests/golden/golden_networks.h"
#include "tests/nets.h"
#include "tests/testing.h"
#include <string.h>

enum { NETWORKS = sizeof(golden_networks) / sizeof(golden_networks[0]) };

/* Sums of some ten products of numbers around 1, in float: an error of 10 x 6e-8, and as much again from layer to layer. */
#define ATOL 2e-6
#define RTOL 2e-6

static void
check_with(const GoldenNetwork *golden, const char *kernels)
{
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

static void
check(const char *name)
{
    int found = 0;
    for (int i = 0; i < NETWORKS; i++) {
        if (strcmp(golden_networks[i].name, name) != 0)
            continue;
        check_with(&golden_networks[i], "naive");
        check_with(&golden_networks[i], "best");
        found++;
    }
    ck_assert_int_eq(found, 1);
}

#define GOLDEN(name)                                                                                                   \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check(#name);                                                                                                  \
    }

GOLDEN(dense_mse)
GOLDEN(sigmoid_mse)
GOLDEN(tanh_mse)
GOLDEN(relu_mse)
GOLDEN(dense_softmax)
GOLDEN(sigmoid_deep_mse)
GOLDEN(tanh_deep_softmax)
GOLDEN(relu_deep_softmax)
GOLDEN(twice_softmax)
GOLDEN(activation_first)

/* A network that make_golden.py gained must be named above. */
TEST(every_golden_network_is_tested)
{
    ck_assert_int_eq(NETWORKS, 10);
}

TEST_MAIN("golden networks")
