/* Batch normalisation (Ioffe and Szegedy 2015, arXiv:1502.03167): each channel gets mean 0 and variance 1, over all pixels of all
 * samples, then a scale and a shift that are learned. In training the statistics are those of the batch, and running averages of
 * them are kept: inference uses those. Constants and the unbiased running variance as in PyTorch's BatchNorm2d.
 *
 *     y = weight (x - mean) / sqrt(variance + epsilon) + bias         running = 0.9 running + 0.1 statistic of the batch
 *
 * With an Exchange the statistics are those of the global batch: each process adds its sums over its own rows to theirs,
 * forward (of x and x^2) and backward (of dy and dy (x - mean)). Gradients of weight and bias stay those of its own rows, as of
 * all layers.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/layer.h"

enum { WEIGHT, BIAS };
enum { MEAN, VARIANCE };

static const float EPSILON = 1e-5F, MOMENTUM = 0.1F;

static void
batchnorm_shape(Net *net, Layer *layer)
{
    layer_same_shape(net, layer);
    layer_refuse_row(layer, "net_batchnorm");
    const size_t channels = (size_t)layer->shape.channels;
    layer_parameter(net, layer, "weight", 1, &channels, START_ONE, channels, channels);
    layer_parameter(net, layer, "bias", 1, &channels, START_ZERO, channels, channels);
    layer_average(net, layer, "running_mean", channels, START_ZERO);
    layer_average(net, layer, "running_var", channels, START_ONE);
    /* The batch's mean and 1 / sqrt(variance + epsilon), and in double the sums that processes add up, with the number of rows. */
    layer->kept_fixed = 2 * channels + (2 * channels + 1) * (sizeof(double) / sizeof(float));
}

static int
pixels(const Pass *pass)
{
    return pass->size * pass->layer->shape.height * pass->layer->shape.width;
}

/* sum[2][channels] of these rows becomes that of all processes'; returns the number of all rows. */
static double
sum_over_processes(const Pass *pass, double *sum)
{
    const size_t sums = 2 * (size_t)pass->layer->shape.channels;
    sum[sums] = pixels(pass);
    pass->exchange->sum(pass->exchange->context, sum, sums + 1);
    return sum[sums];
}

static double *
sums_of(const Pass *pass)
{
    void *behind = (float *)pass->kept + 2 * pass->layer->shape.channels;
    return behind;
}

static void
synchronised_forward(const Pass *pass)
{
    float *mean = pass->kept, *inverse = mean + pass->layer->shape.channels;
    const int rows = pixels(pass), channels = pass->layer->shape.channels;
    double *sum = sums_of(pass);
    pass->backend->batch_norm_sums(rows, channels, pass->x[0], sum);
    const double count = sum_over_processes(pass, sum);
    pass->backend->batch_norm_normalise(rows, channels, pass->x[0], pass->parameter[WEIGHT], pass->parameter[BIAS],
                                        EPSILON, MOMENTUM, count, sum, pass->average[MEAN], pass->average[VARIANCE],
                                        pass->y, mean, inverse);
}

static void
synchronised_backward(const Pass *pass)
{
    const float *mean = pass->kept, *inverse = mean + pass->layer->shape.channels;
    const int rows = pixels(pass), channels = pass->layer->shape.channels;
    double *sum = sums_of(pass);
    pass->backend->batch_norm_gradient_sums(rows, channels, pass->x[0], pass->dy, mean, inverse, sum,
                                            pass->gradient[WEIGHT], pass->gradient[BIAS]);
    const double count = sum_over_processes(pass, sum);
    pass->backend->batch_norm_gradient(rows, channels, pass->x[0], pass->dy, pass->parameter[WEIGHT], mean, inverse,
                                       count, sum, pass_dx(pass));
}

static void
batchnorm_forward(const Pass *pass)
{
    float *mean = pass->kept, *inverse = mean + pass->layer->shape.channels;
    const int channels = pass->layer->shape.channels;
    const float *weight = pass->parameter[WEIGHT], *bias = pass->parameter[BIAS];
    if (pass->inference)
        pass->backend->batch_norm_infer(pixels(pass), channels, pass->x[0], weight, bias, pass->average[MEAN],
                                        pass->average[VARIANCE], EPSILON, pass->y);
    else if (pass->exchange)
        synchronised_forward(pass);
    else
        pass->backend->batch_norm_forward(pixels(pass), channels, pass->x[0], weight, bias, EPSILON, MOMENTUM,
                                          pass->average[MEAN], pass->average[VARIANCE], pass->y, mean, inverse);
}

static void
batchnorm_backward(const Pass *pass)
{
    const float *mean = pass->kept, *inverse = mean + pass->layer->shape.channels;
    const int channels = pass->layer->shape.channels;
    if (pass->exchange) {
        synchronised_backward(pass);
        return;
    }
    pass->backend->batch_norm_backward(pixels(pass), channels, pass->x[0], pass->dy, pass->parameter[WEIGHT], mean,
                                       inverse, pass_dx(pass), pass->gradient[WEIGHT], pass->gradient[BIAS]);
}

static const LayerType batchnorm_type = {
    .name = "batchnorm",
    .shape = batchnorm_shape,
    .forward = batchnorm_forward,
    .backward_inputs = batchnorm_backward,
    .inputs_read_x = true,
    .passes_on = true,
    .exchanges = true,
};

int
net_batchnorm(Net *net, int x)
{
    return net_append(net, &batchnorm_type, "net_batchnorm", 1, &x, (LayerOptions){0});
}
