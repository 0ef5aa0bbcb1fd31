/* The network as a structure: shapes, names, ranges, first weights, the hook, prediction, and what it refuses.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "tests/capture.h"
#include "tests/nets.h"
#include "tests/testing.h"

static const Backend *
best(void)
{
    return cpu_backend("best", NULL);
}

static Net *
small_net(uint64_t seed)
{
    return net_from_text(best(), seed, (Shape){2, 3, 2}, "dense7 relu dense5 tanh dense3 softmax");
}

static Run *
small_run(uint64_t seed)
{
    return run_create(small_net(seed), &(RunOptions){.max_batch = 4});
}

TEST(shapes_are_inferred)
{
    Net *net = net_create(best(), 1);
    const int x = net_input(net, 28, 20, 3);
    ck_assert_int_eq(x, 0);
    const int h = net_relu(net, x);
    ck_assert_int_eq(net_output_shape(net).height, 28); /* an activation keeps the shape */
    const int y = net_dense(net, h, 10);
    ck_assert_int_eq(y, 2);
    ck_assert_uint_eq(net_parameter_count(net), 28 * 20 * 3 * 10 + 10);
    net_softmax_loss(net, y);
    net_build(net);
    const Shape in = net_input_shape(net), out = net_output_shape(net);
    ck_assert(in.height == 28 && in.width == 20 && in.channels == 3);
    ck_assert(out.height == 1 && out.width == 1 && out.channels == 10);
    ck_assert_ptr_eq(net_backend(net), best());
    net_free(net);
}

TEST(parameters_are_named_and_in_order)
{
    static const struct {
        const char *name;
        int dimensions;
        size_t shape[2];
    } want[] = {{"layers.0.weight", 2, {7, 12}}, {"layers.0.bias", 1, {7}},      {"layers.2.weight", 2, {5, 7}},
                {"layers.2.bias", 1, {5}},       {"layers.4.weight", 2, {3, 5}}, {"layers.4.bias", 1, {3}}};
    Net *net = small_net(1);
    size_t next = 0;
    ck_assert_int_eq(net_parameter_tensors(net), 6);
    for (int i = 0; i < 6; i++) {
        const Parameter *p = net_parameter(net, i);
        ck_assert_str_eq(p->name, want[i].name);
        ck_assert_int_eq(p->dimensions, want[i].dimensions);
        ck_assert_uint_eq(p->first, next);
        ck_assert_uint_eq(p->shape[0], want[i].shape[0]);
        ck_assert_uint_eq(p->count, want[i].shape[0] * (p->dimensions == 2 ? p->shape[1] : 1));
        next += p->count;
    }
    ck_assert_uint_eq(next, net_parameter_count(net));
    net_free(net);
}

TEST(weights_are_he_before_relu_and_xavier_otherwise)
{
    Net *net = net_from_text(best(), 3, (Shape){1, 1, 200}, "dense300 relu dense100 softmax");
    const Parameter *he = net_parameter(net, 0), *xavier = net_parameter(net, 2);
    const float *w = net_parameters(net);
    double sum = 0, squares = 0, largest = 0, low = 1, high = -1;
    for (size_t i = 0; i < he->count; i++) {
        sum += w[he->first + i];
        squares += (double)w[he->first + i] * w[he->first + i];
        largest = fmax(largest, fabs(w[he->first + i]));
    }
    ck_assert_double_eq_tol(sum / 60000, 0, 2e-3);        /* five deviations of the mean of 60,000 */
    ck_assert_double_eq_tol(squares / 60000, 0.01, 3e-4); /* 2 / in */
    ck_assert_double_gt(largest, 0.35);                   /* a normal number in 60,000 is beyond 3.5 deviations */
    for (size_t i = 0; i < xavier->count; i++) {
        low = fmin(low, w[xavier->first + i]);
        high = fmax(high, w[xavier->first + i]);
    }
    const double limit = sqrt(6.0 / 400);
    ck_assert(low >= -limit && low < -0.999 * limit && high <= limit && high > 0.999 * limit);
    for (int t = 1; t < 4; t += 2)
        for (size_t i = 0; i < net_parameter(net, t)->count; i++)
            ck_assert(w[net_parameter(net, t)->first + i] == 0);
    net_free(net);
}

TEST(weights_depend_on_the_seed_alone)
{
    Net *a = small_net(7), *b = small_net(7), *c = small_net(8);
    const size_t bytes = net_parameter_count(a) * sizeof(float);
    ck_assert(memcmp(net_parameters(a), net_parameters(b), bytes) == 0);
    ck_assert(memcmp(net_parameters(a), net_parameters(c), bytes) != 0);
    /* Each parameter is drawn from a stream of its own: another layer before it changes nothing but its number. */
    Net *larger = net_from_text(best(), 7, (Shape){2, 3, 2}, "dense7 relu dense5 tanh dense8 softmax");
    ck_assert(memcmp(net_parameters(a), net_parameters(larger), net_parameter(a, 4)->first * sizeof(float)) == 0);
    net_free(a);
    net_free(b);
    net_free(c);
    net_free(larger);
}

/* ---- the hook ---------------------------------------------------------------------------------------------------------------- */

typedef struct Calls {
    Net *net;
    int count;
    size_t first[8], counts[8];
    float sum[8]; /* of the range's gradients when it was announced */
} Calls;

static float
range_sum(Net *net, size_t first, size_t count)
{
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (float)(i + 1) * net_gradients(net)[first + i]; /* a plain sum may be 0: that of p - onehot is */
    return sum;
}

static void
note(void *context, size_t first, size_t count)
{
    Calls *calls = context;
    ck_assert_int_lt(calls->count, 8);
    calls->first[calls->count] = first;
    calls->counts[calls->count] = count;
    calls->sum[calls->count++] = range_sum(calls->net, first, count);
}

TEST(hook_announces_final_ranges_from_the_last_layer_on)
{
    Run *run = small_run(2);
    Net *net = run_net(run);
    Calls calls = {.net = net};
    float x[12];
    rng_fill_normal(1, 1, 0, x, 12, 0, 1);
    net_on_gradient(net, note, &calls);
    run_forward(run, &(Batch){1, x, (int[]){2}, NULL});
    run_backward(run, 1, RUN_ONLY);
    ck_assert_int_eq(calls.count, 3);
    size_t end = net_parameter_count(net);
    for (int i = 0; i < 3; i++) { /* no gap, no overlap, down to 0 */
        ck_assert_uint_eq(calls.first[i] + calls.counts[i], end);
        end = calls.first[i];
        ck_assert(calls.sum[i] == range_sum(net, calls.first[i], calls.counts[i])); /* nothing was added later */
        ck_assert(calls.sum[i] != 0);
    }
    ck_assert_uint_eq(end, 0);
    net_on_gradient(net, NULL, NULL);
    run_forward(run, &(Batch){1, x, (int[]){2}, NULL});
    run_backward(run, 1, RUN_ONLY);
    ck_assert_int_eq(calls.count, 3);
    run_free_all(run);
}

/* ---- passes ------------------------------------------------------------------------------------------------------------------ */

TEST(prediction_needs_no_labels)
{
    Run *run = small_run(4);
    float x[24], with_labels[6];
    rng_fill_normal(1, 2, 0, x, 24, 0, 1);
    const double loss = run_forward(run, &(Batch){2, x, (int[]){0, 2}, NULL});
    memcpy(with_labels, run_output(run), sizeof with_labels);
    ck_assert_double_eq_tol(loss, -(log(with_labels[0]) + log(with_labels[5])) / 2, 1e-6);
    ck_assert_double_eq_tol(with_labels[0] + with_labels[1] + with_labels[2], 1, 1e-6);
    ck_assert(isnan(run_forward(run, &(Batch){2, x, NULL, NULL})));
    ck_assert(memcmp(run_output(run), with_labels, sizeof with_labels) == 0);
    run_free_all(run);
}

TEST(output_of_mse_is_what_went_in)
{
    Run *run = run_from_text(best(), 1, (Shape){1, 1, 2}, "dense2 mse", 1);
    const float w[6] = {1, 2, 3, 4, 0.5F, -0.5F}, want[2] = {21.5F, 42.5F};
    memcpy(net_parameters(run_net(run)), w, sizeof w);
    const double loss = run_forward(run, &(Batch){1, (float[]){1, 10}, NULL, (float[]){20.5F, 40.5F}});
    ck_assert_floats(run_output(run), want, 2, 0, 0);
    ck_assert(loss == 2.5); /* 1/2 (1 + 4) */
    ck_assert_int_eq(net_output_shape(run_net(run)).channels, 2);
    run_free_all(run);
}

/* A larger plan, an earlier batch, other threads: nothing but the batch itself decides the bits. */
TEST(a_pass_depends_on_its_batch_alone)
{
    const char *const layers = "dense70 relu twice dense33 tanh dense10 softmax";
    Run *a = run_from_text(best(), 6, (Shape){1, 1, 40}, layers, 3);
    Run *b = run_from_text(best(), 6, (Shape){1, 1, 40}, layers, 64);
    static float x[64 * 40];
    int labels[64];
    rng_fill_normal(1, 3, 0, x, 64 * 40, 0, 1);
    for (int i = 0; i < 64; i++)
        labels[i] = i % 10;
    run_forward(b, &(Batch){64, x, labels, NULL});
    run_backward(b, 1, RUN_ONLY);
    const double first = run_forward(a, &(Batch){3, x, labels, NULL}),
                 second = run_forward(b, &(Batch){3, x, labels, NULL});
    run_backward(a, 1, RUN_ONLY);
    host_set_threads(3);
    run_backward(b, 1, RUN_ONLY);
    ck_assert(first == second);
    const size_t bytes = net_parameter_count(run_net(a)) * sizeof(float);
    ck_assert(memcmp(net_gradients(run_net(a)), net_gradients(run_net(b)), bytes) == 0);
    run_free_all(a);
    run_free_all(b);
}

TEST(nan_in_the_input_reaches_loss_and_gradients)
{
    Run *run = small_run(1);
    float x[12] = {0};
    x[5] = NAN;
    ck_assert(isnan(run_forward(run, &(Batch){1, x, (int[]){0}, NULL})));
    run_backward(run, 1, RUN_ONLY);
    ck_assert(isnan(net_gradients(run_net(run))[5]));
    run_free_all(run);
}

TEST(printing_a_network_is_possible)
{
    Net *net = small_net(1);
    net_print(net);
    net_free(net);
    net_free(NULL);
}

TEST_MAIN("net")
