/* Batch normalisation (Ioffe and Szegedy 2015, arXiv:1502.03167): each channel gets mean 0 and variance 1, over all pixels of all
 * samples, then a scale and a shift that are learned. In training the statistics are those of the batch, and running averages of
 * them are kept: inference uses those. Constants and the unbiased running variance as in PyTorch's BatchNorm2d.
 *
 *     y = weight (x - mean) / sqrt(variance + epsilon) + bias         running = 0.9 running + 0.1 statistic of the batch
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
    layer->kept_fixed = 2 * channels; /* the batch's mean and 1 / sqrt(variance + epsilon) */
}

static int
pixels(const Pass *pass)
{
    return pass->size * pass->layer->shape.height * pass->layer->shape.width;
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
    else
        pass->backend->batch_norm_forward(pixels(pass), channels, pass->x[0], weight, bias, EPSILON, MOMENTUM,
                                          pass->average[MEAN], pass->average[VARIANCE], pass->y, mean, inverse);
}

static void
batchnorm_backward(const Pass *pass)
{
    const float *mean = pass->kept, *inverse = mean + pass->layer->shape.channels;
    const int channels = pass->layer->shape.channels;
    pass->backend->batch_norm_backward(pixels(pass), channels, pass->x[0], pass->dy, pass->parameter[WEIGHT], mean,
                                       inverse, pass_dx(pass), pass->gradient[WEIGHT], pass->gradient[BIAS]);
}

static const LayerType batchnorm_type = {
    .name = "batchnorm",
    .shape = batchnorm_shape,
    .forward = batchnorm_forward,
    .backward = batchnorm_backward,
    .backward_reads_x = true,
    .passes_on = true,
};

int
net_batchnorm(Net *net, int x)
{
    return net_append(net, &batchnorm_type, "net_batchnorm", 1, &x, (LayerOptions){0});
}
