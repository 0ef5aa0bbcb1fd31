/* Dropout: which numbers are dropped, how many, and that slices of a batch have the masks of the batch.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/backend.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { BATCH = 7, INPUTS = 50000, OUTPUTS = 3 };

static float ones[BATCH * INPUTS], y[BATCH * INPUTS], again[BATCH * INPUTS], targets[BATCH * INPUTS];

/* The dropout of x is the network's output: nothing else is there. Returns the mean of the output. */
static double
drop(const char *layers, Batch batch, float *output)
{
    const size_t n = (size_t)batch.size * INPUTS;
    Run *run = run_from_text(cpu_backend("best", NULL), 42, (Shape){1, 1, INPUTS}, layers, BATCH);
    double sum = 0;
    for (size_t i = 0; i < BATCH * INPUTS; i++)
        ones[i] = 1;
    run_forward(run, &batch);
    memcpy(output, run_output(run), n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        sum += output[i];
    run_free_all(run);
    return sum / (double)n;
}

TEST(a_part_is_dropped_and_the_rest_grows)
{
    const double mean = drop("drop30 mse", (Batch){.size = BATCH, .x = ones}, y);
    size_t dropped = 0;
    for (size_t i = 0; i < BATCH * INPUTS; i++) {
        ck_assert(y[i] == 0 || fabsf(y[i] - 1 / 0.7F) < 1e-6F);
        dropped += y[i] == 0;
    }
    /* 350,000 numbers: the deviation of the share is 0.0008 */
    ck_assert_double_eq_tol((double)dropped / (BATCH * INPUTS), 0.3, 0.004);
    ck_assert_double_eq_tol(mean, 1, 0.006);
}

TEST(inference_and_probability_zero_change_nothing)
{
    ck_assert_double_eq(drop("drop30 mse", (Batch){.size = BATCH, .x = ones, .inference = true}, y), 1);
    ck_assert_double_eq(drop("drop0 mse", (Batch){.size = BATCH, .x = ones}, y), 1);
}

TEST(each_step_drops_others)
{
    size_t same = 0;
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones, .step = 3}, y);
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones, .step = 3}, again);
    ck_assert_mem_eq(y, again, sizeof(y));
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones, .step = 4}, again);
    for (size_t i = 0; i < BATCH * INPUTS; i++)
        same += y[i] == again[i];
    ck_assert_double_eq_tol((double)same / (BATCH * INPUTS), 0.5, 0.005);
}

/* Two layers of one step are independent: a quarter survives both. */
TEST(each_layer_drops_others)
{
    size_t left = 0;
    drop("drop50 drop50 mse", (Batch){.size = BATCH, .x = ones}, y);
    for (size_t i = 0; i < BATCH * INPUTS; i++)
        left += y[i] != 0;
    ck_assert_double_eq_tol((double)left / (BATCH * INPUTS), 0.25, 0.004);
}

/* As if ranks had 2 and 5 samples of the batch. */
TEST(parts_of_a_batch_drop_what_the_whole_does)
{
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones, .step = 9}, y);
    drop("drop50 mse", (Batch){.size = 2, .x = ones, .step = 9}, again);
    drop("drop50 mse", (Batch){.size = 5, .x = ones, .step = 9, .first_sample = 2}, again + (size_t)2 * INPUTS);
    ck_assert_mem_eq(y, again, sizeof(y));
}

TEST(threads_drop_the_same)
{
    host_set_threads(1);
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones}, y);
    host_set_threads(3);
    drop("drop50 mse", (Batch){.size = BATCH, .x = ones}, again);
    ck_assert_mem_eq(y, again, sizeof(y));
}

/* dx = dy mask / (1 - p): with one weight per input and dy = y - target known, the weight's gradient shows the mask. */
TEST(the_gradient_passes_where_the_numbers_did)
{
    enum { IN = 1, UNITS = 97 };
    const float one = 1;
    Run *run = run_from_text(cpu_backend("naive", NULL), 42, (Shape){1, 1, IN}, "dense97 drop50 mse", 1);
    Net *net = run_net(run);
    size_t dropped = 0;
    for (size_t i = 0; i < net_parameter_count(net); i++)
        net_parameters(net)[i] = 1; /* w = b = 1: what goes into the dropout is 2 */
    memset(targets, 0, sizeof(targets));
    run_forward(run, &(Batch){.size = 1, .x = &one, .targets = targets});
    memcpy(y, run_output(run), UNITS * sizeof(float));
    run_backward(run, 1, RUN_ONLY);
    for (int u = 0; u < UNITS; u++) {
        ck_assert(y[u] == 0 || y[u] == 4);
        ck_assert_float_eq(net_gradients(net)[u], y[u] == 0 ? 0 : 8); /* dy 4, through a factor of 2 */
        dropped += y[u] == 0;
    }
    ck_assert(dropped > 20 && dropped < 77);
    run_free_all(run);
}

TEST_MAIN("dropout")
