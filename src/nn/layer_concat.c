/* Values side by side along the channels. With NHWC each pixel of the output is a pixel of each input, one behind the other:
 *
 *     a a | a a | ..        b | b | ..          ->   a a b | a a b | ..
 *
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"
#include <limits.h>

static void
concat_shape(Net *net, Layer *layer)
{
    const Shape *in = layer->input_shape;
    (void)net;
    layer->shape = in[0];
    for (int i = 1; i < layer->inputs; i++) {
        CHECK_THAT(in[i].height == in[0].height && in[i].width == in[0].width,
                   "net_concat: value %d has %d x %d pixels, the first one %d x %d: they must be equal", i,
                   in[i].height, in[i].width, in[0].height, in[0].width);
        CHECK_THAT(in[i].channels <= INT_MAX - layer->shape.channels, "net_concat: too many channels");
        layer->shape.channels += in[i].channels;
    }
}

static void
concat_forward(const Pass *pass)
{
    const Shape y = pass->layer->shape;
    const size_t pixels = (size_t)pass->size * (size_t)y.height * (size_t)y.width;
    size_t first = 0;
    for (int i = 0; i < pass->layer->inputs; i++) {
        const size_t channels = (size_t)pass->layer->input_shape[i].channels;
        pass->backend->copy(pixels, channels, pass->x[i], channels, pass->y + first, (size_t)y.channels);
        first += channels;
    }
}

static void
concat_backward(const Pass *pass)
{
    const Shape y = pass->layer->shape;
    const size_t pixels = (size_t)pass->size * (size_t)y.height * (size_t)y.width;
    size_t first = 0;
    for (int i = 0; i < pass->layer->inputs; i++) {
        const size_t channels = (size_t)pass->layer->input_shape[i].channels;
        if (pass->dx[i])
            pass->backend->copy(pixels, channels, pass->dy + first, (size_t)y.channels, pass->dx[i], channels);
        first += channels;
    }
}

static const LayerType concat_type = {.name = "concat",
                                      .shape = concat_shape,
                                      .forward = concat_forward,
                                      .backward_inputs = concat_backward,
                                      .passes_on = true};

int
net_concat(Net *net, int count, const int *x)
{
    CHECK_THAT(count >= 2 && count <= LAYER_INPUTS, "net_concat: %d values: 2 to %d are needed", count, LAYER_INPUTS);
    return net_append(net, &concat_type, "net_concat", count, x, (LayerOptions){0});
}
