/* Layer normalisation (Ba, Kiros and Hinton 2016, arXiv:1607.06450): each pixel's channels get mean 0 and variance 1, then a scale
 * and a shift for each channel that are learned. No sample sees another, so training and inference are the same.
 * SPDX-License-Identifier: MIT */
#include "nn/layer.h"

enum { WEIGHT, BIAS };

static const float EPSILON = 1e-5F;

static void
layernorm_shape(Net *net, Layer *layer)
{
    layer_same_shape(net, layer);
    layer_refuse_row(layer, "net_layernorm");
    const size_t channels = (size_t)layer->shape.channels;
    layer_parameter(net, layer, "weight", 1, &channels, START_ONE, channels, channels);
    layer_parameter(net, layer, "bias", 1, &channels, START_ZERO, channels, channels);
    layer->kept_each = 2 * (size_t)layer->shape.height * (size_t)layer->shape.width; /* mean, 1 / deviation */
}

static int
pixels(const Pass *pass)
{
    return pass->size * pass->layer->shape.height * pass->layer->shape.width;
}

static void
layernorm_forward(const Pass *pass)
{
    const int rows = pixels(pass);
    float *mean = pass->kept, *inverse = mean + rows;
    pass->backend->layer_norm_forward(rows, pass->layer->shape.channels, pass->x[0], pass->parameter[WEIGHT],
                                      pass->parameter[BIAS], EPSILON, pass->y, mean, inverse);
}

static void
layernorm_backward(const Pass *pass)
{
    const int rows = pixels(pass);
    const float *mean = pass->kept, *inverse = mean + rows;
    pass->backend->layer_norm_backward(rows, pass->layer->shape.channels, pass->x[0], pass->dy, pass->parameter[WEIGHT],
                                       mean, inverse, pass_dx(pass), pass->gradient[WEIGHT], pass->gradient[BIAS]);
}

static const LayerType layernorm_type = {
    .name = "layernorm",
    .shape = layernorm_shape,
    .forward = layernorm_forward,
    .backward_inputs = layernorm_backward,
    .inputs_read_x = true,
    .passes_on = true,
};

int
net_layernorm(Net *net, int x)
{
    return net_append(net, &layernorm_type, "net_layernorm", 1, &x, (LayerOptions){0});
}
