/* The gradients of networks of images against finite differences of the loss, which tests/reference_net.c computes in double by
 * the definition of each layer. That the network computes the same loss is checked first.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "tests/nets.h"
#include "tests/reference_net.h"
#include "tests/testing.h"

typedef struct Case {
    const char *layers; /* as in tests/nets.h */
    Shape input;
    int batch;
    float *x;
    int *labels;
} Case;

/* Central differences: their own error is h^2 / 6 times a third derivative, and 1e-16 / h of rounding. A ReLU or a maximum that
 * changes its mind within h would spoil one: the numbers are drawn so that none does. */
static void
differentiate(const Case *c, double *w, size_t n, float *slope)
{
    const double h = 1e-6;
    for (size_t i = 0; i < n; i++) {
        const double here = w[i];
        w[i] = here + h;
        const double up = reference_loss(c->layers, c->input, c->batch, c->x, c->labels, w);
        w[i] = here - h;
        slope[i] = (float)((up - reference_loss(c->layers, c->input, c->batch, c->x, c->labels, w)) / (2 * h));
        w[i] = here;
    }
}

/* All-zero gradients would agree with a network that has no effect: each named part must have some. */
static void
check_not_zero(const Net *net, const float *slope)
{
    for (int t = 0; t < net_parameter_tensors(net); t++) {
        const Parameter *p = net_parameter(net, t);
        double largest = 0;
        for (size_t i = 0; i < p->count; i++)
            largest = fmax(largest, fabs((double)slope[p->first + i]));
        ck_assert_msg(largest > 1e-4, "the gradient of %s vanishes: this test would prove nothing", p->name);
    }
}

static void
check_with(const Case *c, const char *kernels)
{
    Run *run = run_from_text(cpu_backend(kernels, NULL), 5, c->input, c->layers, c->batch);
    Net *net = run_net(run);
    const size_t n = net_parameter_count(net);
    double *w = ARRAY(double, n);
    float *slope = ARRAY(float, n);
    rng_fill_normal(17, 3, 0, net_parameters(net), n, 0.1, 0.5); /* biases too: 0 hides mistakes */
    for (size_t i = 0; i < n; i++)
        w[i] = net_parameters(net)[i];
    const double loss = run_forward(run, &(Batch){.size = c->batch, .x = c->x, .labels = c->labels});
    const double exact = reference_loss(c->layers, c->input, c->batch, c->x, c->labels, w);
    ck_assert_doubles(&loss, &exact, 1, 1e-6, 1e-5);
    for (size_t i = 0; i < n; i++)
        net_gradients(net)[i] = NAN; /* each must be written */
    run_backward(run, 1, RUN_ONLY);
    differentiate(c, w, n, slope);
    check_not_zero(net, slope);
    ck_assert_floats(net_gradients(net), slope, n, 1e-5, 2e-5);
    array_free(slope);
    array_free(w);
    run_free_all(run);
}

static void
check(const char *layers, int height, int width, int channels, int batch)
{
    const size_t elements = (size_t)(batch * height * width * channels);
    Case c = {layers, {height, width, channels}, batch, ARRAY(float, elements), ARRAY(int, (size_t)batch)};
    rng_fill_normal(17, 1, 0, c.x, elements, 0, 1);
    for (int i = 0; i < batch; i++)
        c.labels[i] = (2 * i + 1) % 3;
    check_with(&c, "naive");
    check_with(&c, "best");
    array_free(c.x);
    array_free(c.labels);
}

#define SLOPES(name, layers, height, width, channels, batch)                                                           \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check(layers, height, width, channels, batch);                                                                 \
    }

SLOPES(convolution, "conv3k3 dense3 softmax", 5, 7, 2, 2)
SLOPES(convolution_of_one_pixel, "conv5k1 dense3 softmax", 1, 1, 3, 1)
SLOPES(convolution_all_padding_but_one, "conv2k3p1 dense3 softmax", 1, 1, 1, 2)
SLOPES(convolution_odd, "conv7k3s2p1 conv5k2p1 dense3 softmax", 7, 5, 3, 3)
SLOPES(convolution_stride_over_kernel, "conv3k1 conv3k2s3 dense3 softmax", 7, 5, 2, 2)
SLOPES(convolution_groups, "conv6k1 conv9k3g3p1n1 dense3 softmax", 4, 3, 2, 2)
SLOPES(convolution_dilation, "conv2k1 conv3k2d3p2 dense3 softmax", 5, 4, 2, 1)
SLOPES(convolution_around_a_tile, "conv17k3p1 tanh conv15k1 tanh dense3 softmax", 3, 3, 2, 2)
SLOPES(depthwise, "conv4k3g4p1 conv8k3g4 dense3 softmax", 4, 5, 4, 2)
SLOPES(max_pool, "conv3k2 max2 dense3 softmax", 5, 6, 2, 2)
SLOPES(max_pool_overlapping, "conv3k1 max3s2p1 conv2k2 dense3 softmax", 6, 7, 2, 2)
SLOPES(max_pool_ceil, "conv3k1 max3s2c1 dense3 softmax", 6, 4, 2, 1)
SLOPES(average_pool, "conv3k1 avg2s1 dense3 softmax", 3, 5, 2, 2)
SLOPES(average_pool_padding_ceil, "conv3k1 avg3s2p1c1 dense3 softmax", 6, 4, 2, 2)
SLOPES(global_average, "conv5k2 global dense3 softmax", 4, 4, 2, 2)
SLOPES(batch_norm, "conv5k2n1 batchnorm relu conv3k1 dense3 softmax", 4, 3, 2, 3)
SLOPES(batch_norm_of_one_sample, "conv3k1n1 batchnorm dense3 softmax", 3, 3, 2, 1)
SLOPES(batch_norm_of_the_input, "batchnorm dense3 softmax", 3, 2, 2, 3)
SLOPES(layer_norm, "conv7k2 layernorm relu dense3 softmax", 3, 4, 2, 2)
SLOPES(layer_norm_of_a_row, "dense11 layernorm tanh dense3 softmax", 3, 4, 2, 1)
SLOPES(sum_of_two, "conv3k2 twice conv3k1 twice dense3 softmax", 3, 4, 2, 2)
SLOPES(concatenation, "conv3k2 wide conv2k1 wide dense3 softmax", 3, 4, 2, 2)
SLOPES(flattened, "conv3k2 flatten tanh dense3 softmax", 3, 4, 2, 2)
SLOPES(lenet, "conv6k5p2 relu max2 conv16k3p1 relu max2 dense7 relu dense3 softmax", 8, 8, 1, 2)

TEST_MAIN("image gradients")
