/* What others may know of a network. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/net_internal.h"
#include <string.h>

int
net_layer_count(const Net *net)
{
    return net->layer_count;
}

LayerInfo
net_layer_info(const Net *net, int i)
{
    CHECK_THAT(i >= 0 && i < net->layer_count, "net_layer_info: there is no layer %d, the network has %d", i,
               net->layer_count);
    const Layer *layer = &net->layers[i];
    const char *type = layer->type->name;
    LayerInfo info = {.type = type, .inputs = layer->inputs, .shape = layer->shape, .parameters = layer->count};
    for (int k = 0; k < layer->inputs; k++)
        info.input[k] = layer->input[k];
    if (strcmp(type, "conv2d") == 0)
        info.conv = layer->options.conv;
    if (strcmp(type, "maxpool") == 0 || strcmp(type, "avgpool") == 0)
        info.pool = layer->options.pool;
    return info;
}

Shape
net_output_shape(const Net *net)
{
    CHECK_THAT(net->layer_count > 0, "net_output_shape: the network has no layers");
    return net->layers[net->max_batch ? net->output : net->layer_count - 1].shape;
}

Shape
net_input_shape(const Net *net)
{
    CHECK_THAT(net->layer_count > 0, "net_input_shape: the network has no input: begin with net_input");
    return net->layers[0].shape;
}

size_t
net_parameter_count(const Net *net)
{
    return net->parameter_count;
}

float *
net_parameters(Net *net)
{
    return net->parameters;
}

float *
net_gradients(Net *net)
{
    return net->gradients;
}

int
net_parameter_tensors(const Net *net)
{
    return net->named_count;
}

const Parameter *
net_parameter(const Net *net, int i)
{
    CHECK_THAT(i >= 0 && i < net->named_count, "net_parameter: there is no parameter %d, the network has %d", i,
               net->named_count);
    return &net->named[i].parameter;
}

size_t
net_average_count(const Net *net)
{
    return net->average_count;
}

float *
net_averages(Net *net)
{
    return net->averages;
}

int
net_average_tensors(const Net *net)
{
    return net->named_average_count;
}

const Parameter *
net_average(const Net *net, int i)
{
    CHECK_THAT(i >= 0 && i < net->named_average_count, "net_average: there is no average %d, the network has %d", i,
               net->named_average_count);
    return &net->named_averages[i].parameter;
}

const Backend *
net_backend(const Net *net)
{
    return net->backend;
}

void
net_on_gradient(Net *net, NetGradientHook *hook, void *context)
{
    net->hook = hook;
    net->hook_context = context;
}
