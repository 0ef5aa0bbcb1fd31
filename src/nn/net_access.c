/* What others may know of a network. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/net_internal.h"

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
    LayerInfo info = {.type = layer->type->name,
                      .kind = layer->type->kind,
                      .inputs = layer->inputs,
                      .shape = layer->shape,
                      .stored = layer->stored,
                      .parameters = layer->count,
                      .held = layer->held || !net->built};
    for (int k = 0; k < layer->inputs; k++)
        info.input[k] = layer->input[k];
    if (info.kind == LAYER_CONVOLUTION)
        info.conv = layer->options.conv;
    if (info.kind == LAYER_POOLING)
        info.pool = layer->options.pool;
    return info;
}

int
net_output_value(const Net *net)
{
    const int last = net->layer_count - 1;
    return net->loss >= 0 && net->layers[last].shape.height == 0 ? net->layers[last].input[0] : last;
}

Shape
net_output_shape(const Net *net)
{
    CHECK_THAT(net->layer_count > 0, "net_output_shape: the network has no layers");
    return net->layers[net_output_value(net)].shape;
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
    return net->parameter.elements_held;
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

float *
net_averages(Net *net)
{
    return net->averages;
}

size_t
net_average_count(const Net *net)
{
    return net->average.elements_held;
}

int
net_parameter_tensors(const Net *net)
{
    return net->parameter.held;
}

int
net_average_tensors(const Net *net)
{
    return net->average.held;
}

static const Parameter *
part(const NamedParameters *parts, const char *call, const char *what, int i, bool held)
{
    const int count = held ? parts->held : parts->count;
    CHECK_THAT(i >= 0 && i < count, "%s: there is no %s %d, the network has %d", call, what, i, count);
    return &parts->of[held && parts->held_part ? parts->held_part[i] : i].parameter;
}

const Parameter *
net_parameter(const Net *net, int i)
{
    return part(&net->parameter, "net_parameter", "parameter", i, true);
}

const Parameter *
net_average(const Net *net, int i)
{
    return part(&net->average, "net_average", "average", i, true);
}

const Parameter *
net_whole_parameter(const Net *net, int i)
{
    return part(&net->parameter, "net_whole_parameter", "parameter", i, false);
}

const Parameter *
net_whole_average(const Net *net, int i)
{
    return part(&net->average, "net_whole_average", "average", i, false);
}

int
net_whole_parameter_tensors(const Net *net)
{
    return net->parameter.count;
}

int
net_whole_average_tensors(const Net *net)
{
    return net->average.count;
}

size_t
net_whole_parameter_count(const Net *net)
{
    return net->parameter.elements;
}

bool
net_is_whole(const Net *net)
{
    bool whole = net->built;
    for (int l = 0; l < net->layer_count; l++)
        whole = whole && net->layers[l].held;
    return whole;
}

const Backend *
net_backend(const Net *net)
{
    return net->backend;
}

void
net_exchange(Net *net, const Exchange *exchange)
{
    CHECK_THAT(!exchange || !net->backend->memory->separate,
               "net_exchange: batch normalisation is synchronised in the host's memory only, not on the %s",
               net->backend->name);
    net->exchange = exchange;
}

void
net_on_gradient(Net *net, NetGradientHook *hook, void *context)
{
    net->hook = hook;
    net->hook_context = context;
}
