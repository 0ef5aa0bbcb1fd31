/* The numbers of a sample as one row. A dense layer does that by itself: this one makes it visible, as models that are written
 * down elsewhere do. The order is that of NHWC. SPDX-License-Identifier: MIT */
#include "nn/layer.h"

static void
flatten_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = (Shape){1, 1, (int)shape_elements(layer->input_shape[0])};
    layer->image = layer->input_image;
}

static void
flatten_forward(const Pass *pass)
{
    const size_t n = pass_elements(pass);
    pass->backend->copy(1, n, pass->x[0], n, pass->y, n);
}

static void
flatten_backward(const Pass *pass)
{
    const size_t n = pass_elements(pass);
    pass->backend->copy(1, n, pass->dy, n, pass->dx[0], n);
}

static const LayerType flatten_type = {.name = "flatten",
                                       .shape = flatten_shape,
                                       .forward = flatten_forward,
                                       .backward_inputs = flatten_backward,
                                       .passes_on = true};

int
net_flatten(Net *net, int x)
{
    return net_append(net, &flatten_type, "net_flatten", 1, &x, (LayerOptions){0});
}
