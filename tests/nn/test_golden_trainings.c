/* Trainings of many steps against PyTorch's numbers: momentum as torch.optim.SGD defines it, with weight decay, Nesterov's form,
 * and a rate that changes half way.
 *
 * PyTorch computed in double, we in float. On a network that is smooth the difference stays at some roundings; a ReLU that is on in
 * one run and off in the other makes it grow, without bound, in long trainings: no test compares those weight by weight.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "nn/optimizer.h"
#include "tests/golden/golden_trainings.h"
#include "tests/nets.h"
#include "tests/testing.h"

static void
check_with(const GoldenTraining *golden, const char *kernels)
{
    const Backend *backend = cpu_backend(kernels, NULL);
    Run *run = run_from_text(backend, 1, (Shape){1, 1, GOLDEN_INPUTS}, GOLDEN_LAYERS, GOLDEN_BATCH);
    Net *net = run_net(run);
    const size_t n = net_parameter_count(net);
    const Batch batch = {.size = GOLDEN_BATCH, .x = golden->x, .labels = golden->labels};
    OptimizerOptions options = optimizer_defaults();
    OptimizerKind kind;
    double loss = 0;
    ck_assert_uint_eq(n, golden->parameter_count);
    ck_assert(optimizer_kind_from_name(golden->kind, &kind, NULL));
    options.momentum = golden->momentum;
    options.weight_decay = golden->weight_decay;
    Optimizer *optimizer = optimizer_create(backend, kind, options, n);
    memcpy(net_parameters(net), golden->start, n * sizeof(float));
    for (int t = 0; t < GOLDEN_STEPS; t++) {
        loss = run_forward(run, &batch);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(optimizer, net_parameters(net), net_gradients(net), golden_rates[2 * t / GOLDEN_STEPS]);
    }
    ck_assert_floats(net_parameters(net), golden->end, n, 5e-6, 5e-6);
    ck_assert_doubles(&loss, &golden->loss, 1, 5e-6, 5e-6);
    optimizer_free(optimizer);
    run_free_all(run);
}

TEST(every_training_ends_where_pytorch_does)
{
    ck_assert_int_eq(COUNT(golden_trainings), 5);
    for (int i = 0; i < COUNT(golden_trainings); i++) {
        check_with(&golden_trainings[i], "naive");
        check_with(&golden_trainings[i], "best");
    }
}

TEST_MAIN("golden trainings")
