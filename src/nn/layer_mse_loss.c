/* Squared error: 1/2 ||y - x||^2 of each sample against its targets. It has no output of its own: what went in is the answer.
 * SPDX-License-Identifier: MIT */
#include "nn/layer.h"

static size_t
elements(const Pass *pass)
{
    return shape_elements(pass->layer->input_shape[0]) * (size_t)pass->size;
}

static void
mse_loss_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = (Shape){0, 0, 0};
}

static void
mse_loss_forward(const Pass *pass)
{
    if (pass->targets)
        *pass->loss = pass->backend->mse_loss(elements(pass), pass->x[0], pass->targets);
}

static void
mse_loss_gradient(const Pass *pass)
{
    pass->backend->mse_loss_backward(elements(pass), pass->x[0], pass->targets, pass->scale, pass->dx[0]);
}

static const LayerType mse_loss_type = {
    .name = "mse loss",
    .shape = mse_loss_shape,
    .forward = mse_loss_forward,
    .backward_inputs = mse_loss_gradient,
    .inputs_read_x = true,
    .loss = LAYER_LOSS_OF_TARGETS,
};

void
net_mse_loss(Net *net, int x)
{
    net_append(net, &mse_loss_type, "net_mse_loss", 1, &x, (LayerOptions){0});
}
