/* Softmax and cross-entropy: the last layer of a classifier. Its output is the probabilities, its gradient that of the loss.
 * SPDX-License-Identifier: MIT */
#include "nn/layer.h"

static void
softmax_loss_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = (Shape){1, 1, (int)shape_elements(layer->input_shape[0])};
}

static void
softmax_loss_forward(const Pass *pass)
{
    const int classes = pass->layer->shape.channels;
    *pass->loss = pass->backend->softmax_loss(pass->size, classes, pass->x[0], pass->labels, pass->y);
}

static void
softmax_loss_gradient(const Pass *pass)
{
    const int classes = pass->layer->shape.channels;
    pass->backend->softmax_loss_backward(pass->size, classes, pass->y, pass->labels, pass->scale, pass->dx[0]);
}

static const LayerType softmax_loss_type = {
    .name = "softmax loss",
    .shape = softmax_loss_shape,
    .forward = softmax_loss_forward,
    .backward_inputs = softmax_loss_gradient,
    .inputs_read_y = true,
    .loss = LAYER_LOSS_OF_LABELS,
};

void
net_softmax_loss(Net *net, int x)
{
    net_append(net, &softmax_loss_type, "net_softmax_loss", 1, &x, (LayerOptions){0});
}
