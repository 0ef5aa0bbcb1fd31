/* The gradients of whole networks against finite differences of the loss. The loss that is differentiated is computed here, in
 * double and by the definition, so that a difference of 1e-6 still has nine digits; that the network computes the same loss is
 * checked first. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { WIDEST = 80 };

typedef struct Case {
    const char *layers; /* as in tests/nets.h */
    int inputs, outputs, batch;
} Case;

typedef struct Samples {
    float x[WIDEST * WIDEST], targets[WIDEST * WIDEST];
    int labels[WIDEST];
} Samples;

/* One dense layer of one sample, in place; returns the parameters behind its own. */
static const double *
dense(const double *w, double *values, int in, int out)
{
    double y[WIDEST];
    const double *b = w + in * out;
    for (int j = 0; j < out; j++) {
        y[j] = b[j];
        for (int k = 0; k < in; k++)
            y[j] += w[j * in + k] * values[k];
    }
    memcpy(values, y, (size_t)out * sizeof(double));
    return b + out;
}

static double
activation(const char *name, double x)
{
    const double rectified = x > 0 ? x : 0;
    if (strcmp(name, "sigmoid") == 0)
        return 1 / (1 + exp(-x));
    return strcmp(name, "tanh") == 0 ? tanh(x) : strcmp(name, "relu") == 0 ? rectified : rectified + tanh(x);
}

static double
sample_loss(const char *name, const double *values, int n, int label, const float *target)
{
    double sum = 0;
    for (int c = 0; c < n; c++)
        sum += strcmp(name, "mse") == 0 ? (values[c] - target[c]) * (values[c] - target[c]) / 2
                                        : exp(values[c] - values[label]);
    return strcmp(name, "mse") == 0 ? sum : log(sum);
}

/* The mean loss as a function of all parameters. */
static double
loss_of(const Case *c, const Samples *s, const double *parameters)
{
    double sum = 0;
    for (int i = 0; i < c->batch; i++) {
        double values[WIDEST];
        const double *w = parameters;
        int width = c->inputs, length;
        char word[32];
        for (int k = 0; k < width; k++)
            values[k] = s->x[i * width + k];
        for (const char *text = c->layers; sscanf(text, "%31s%n", word, &length) == 1; text += length) {
            if (strncmp(word, "dense", 5) == 0) {
                w = dense(w, values, width, atoi(word + 5));
                width = atoi(word + 5);
            } else if (strcmp(word, "mse") == 0 || strcmp(word, "softmax") == 0) {
                sum += sample_loss(word, values, width, s->labels[i], s->targets + i * width);
            } else {
                for (int k = 0; k < width; k++)
                    values[k] = activation(word, values[k]);
            }
        }
    }
    return sum / c->batch;
}

static void
fill_samples(const Case *c, Samples *s)
{
    rng_fill_normal(11, 1, 0, s->x, (size_t)(c->batch * c->inputs), 0, 1);
    rng_fill_uniform(11, 2, 0, s->targets, (size_t)(c->batch * c->outputs), 0, 1);
    for (int i = 0; i < c->batch; i++)
        s->labels[i] = (3 * i + 1) % c->outputs;
}

/* Central differences: their own error is h^2 / 6 times a third derivative, and 1e-16 / h of rounding. */
static void
differentiate(const Case *c, const Samples *s, double *w, size_t n, double *slope)
{
    const double h = 1e-5;
    for (size_t i = 0; i < n; i++) {
        const double here = w[i];
        w[i] = here + h;
        const double up = loss_of(c, s, w);
        w[i] = here - h;
        slope[i] = (up - loss_of(c, s, w)) / (2 * h);
        w[i] = here;
    }
}

/* All-zero gradients would agree with a network that has no effect: each named part must have some. */
static void
check_not_zero(const Net *net, const double *slope)
{
    for (int t = 0; t < net_parameter_tensors(net); t++) {
        const Parameter *p = net_parameter(net, t);
        double largest = 0;
        for (size_t i = 0; i < p->count; i++)
            largest = fmax(largest, fabs(slope[p->first + i]));
        ck_assert_msg(largest > 1e-4, "the gradient of %s vanishes: this test would prove nothing", p->name);
    }
}

static void
check_with(const Case *c, const char *kernels)
{
    static Samples samples;
    Run *run = run_from_text(cpu_backend(kernels, NULL), 5, (Shape){1, 1, c->inputs}, c->layers, c->batch);
    Net *net = run_net(run);
    const size_t n = net_parameter_count(net);
    const bool classifies = strstr(c->layers, "softmax") != NULL;
    double *w = ARRAY(double, n), *slope = ARRAY(double, n);
    float *want = ARRAY(float, n);
    fill_samples(c, &samples);
    rng_fill_uniform(11, 3, 0, net_parameters(net), n, -0.5, 0.5); /* biases too: 0 hides mistakes */
    for (size_t i = 0; i < n; i++)
        w[i] = net_parameters(net)[i];
    const Batch batch = {c->batch, samples.x, classifies ? samples.labels : NULL, classifies ? NULL : samples.targets};
    const double loss = run_forward(run, &batch), exact = loss_of(c, &samples, w);
    ck_assert_doubles(&loss, &exact, 1, 0, 1e-5);
    run_backward(run, 1, RUN_ONLY);
    differentiate(c, &samples, w, n, slope);
    check_not_zero(net, slope);
    for (size_t i = 0; i < n; i++)
        want[i] = (float)slope[i];
    ck_assert_floats(net_gradients(net), want, n, 3e-6, 1e-5);
    array_free(want);
    array_free(slope);
    array_free(w);
    run_free_all(run);
}

static void
check(const char *layers, int inputs, int outputs, int batch)
{
    const Case c = {layers, inputs, outputs, batch};
    check_with(&c, "naive");
    check_with(&c, "best");
}

#define SLOPES(name, layers, inputs, outputs, batch)                                                                   \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check(layers, inputs, outputs, batch);                                                                         \
    }

SLOPES(one_dense_layer, "dense3 mse", 4, 3, 5)
SLOPES(one_neuron, "dense1 sigmoid mse", 1, 1, 1)
SLOPES(softmax_of_two, "dense2 softmax", 7, 2, 3)
SLOPES(sigmoid_layers, "dense5 sigmoid dense7 sigmoid dense2 sigmoid mse", 3, 2, 4)
SLOPES(tanh_layers, "dense13 tanh dense11 tanh dense5 softmax", 17, 5, 6)
SLOPES(relu_layers, "dense13 relu dense17 relu dense5 softmax", 19, 5, 7)
SLOPES(around_the_tiles, "dense33 tanh dense31 relu dense12 softmax", 11, 12, 13)
SLOPES(wide_batch, "dense3 tanh dense2 softmax", 2, 2, 67)
SLOPES(mixed_activations, "dense6 sigmoid dense6 tanh dense6 relu dense3 mse", 5, 3, 4)
SLOPES(activation_of_the_input, "tanh dense4 relu dense3 softmax", 5, 3, 4)
SLOPES(activation_of_activation, "dense4 tanh sigmoid dense3 mse", 5, 3, 4)
SLOPES(value_read_twice, "dense6 twice dense3 softmax", 4, 3, 5)
SLOPES(values_read_twice_in_a_row, "dense6 twice twice dense5 twice dense3 mse", 4, 3, 5)
SLOPES(input_read_twice, "twice dense3 mse", 4, 3, 5)

TEST_MAIN("net gradients")
