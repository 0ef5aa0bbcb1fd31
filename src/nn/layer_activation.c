/* Activations: y = sigma(x), element by element, whatever the shape. The derivative is computed from y, so x need not be kept.
 * SPDX-License-Identifier: MIT */
#include "nn/layer.h"

static void
activation_forward(const Pass *pass)
{
    pass->backend->activation_forward(pass->layer->options.activation, pass_elements(pass), pass->x[0], pass->y);
}

static void
activation_backward(const Pass *pass)
{
    pass->backend->activation_backward(pass->layer->options.activation, pass_elements(pass), pass->y, pass->dy,
                                       pass->dx[0]);
}

#define ACTIVATION_TYPE(its_name)                                                                                      \
    .name = (its_name), .shape = layer_same_shape, .forward = activation_forward,                                      \
    .backward_inputs = activation_backward, .inputs_read_y = true

static const LayerType sigmoid_type = {ACTIVATION_TYPE("sigmoid")};
static const LayerType tanh_type = {ACTIVATION_TYPE("tanh")};
static const LayerType relu_type = {ACTIVATION_TYPE("relu"), .rectifies = true};

int
net_sigmoid(Net *net, int x)
{
    return net_append(net, &sigmoid_type, "net_sigmoid", 1, &x, (LayerOptions){.activation = ACTIVATION_SIGMOID});
}

int
net_tanh(Net *net, int x)
{
    return net_append(net, &tanh_type, "net_tanh", 1, &x, (LayerOptions){.activation = ACTIVATION_TANH});
}

int
net_relu(Net *net, int x)
{
    return net_append(net, &relu_type, "net_relu", 1, &x, (LayerOptions){.activation = ACTIVATION_RELU});
}
