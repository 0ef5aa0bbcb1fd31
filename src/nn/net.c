/* The network as it is built: layers one after the other, shapes and parameters. net_build.c gives it memory and weights,
 * net_pass.c runs it. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "nn/net_internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Net *
net_create(const Backend *backend, uint64_t seed)
{
    Net *net = ARRAY(Net, 1);
    net->backend = backend;
    net->seed = seed;
    net->loss = -1;
    return net;
}

void
net_free(Net *net)
{
    if (!net)
        return;
    free(net->layers);
    free(net->named);
    array_free(net->parameters);
    array_free(net->gradients);
    array_free(net->memory);
    array_free(net);
}

size_t
shape_elements(Shape shape)
{
    size_t elements = 0;
    const bool fits = shape.height >= 0 && shape.width >= 0 && shape.channels >= 0 &&
                      size_multiply((size_t)shape.height, (size_t)shape.width, &elements) &&
                      size_multiply(elements, (size_t)shape.channels, &elements) && elements <= INT_MAX;
    CHECK_THAT(fits, "a sample of %d x %d x %d does not fit: at most 2^31 - 1 elements", shape.height, shape.width,
               shape.channels);
    return elements;
}

/* One more element at the end of a growing array. */
static void *
grow(void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 16;
    void *grown = realloc(array, (size_t)*capacity * size);
    CHECK_THAT(grown, "out of memory for a network of %d layers or parameters", *capacity);
    return grown;
}

static void
check_call(const Net *net, const char *call, int inputs, const int *input)
{
    CHECK_THAT(net->max_batch == 0, "%s: net_build was called already, the network is complete", call);
    CHECK_THAT(net->loss < 0, "%s: the network ends with its loss (%s), nothing can follow", call,
               net->layers[net->loss].type->name);
    for (int i = 0; i < inputs; i++)
        CHECK_THAT(
            input[i] >= 0 && input[i] < net->layer_count,
            "%s: there is no value %d: it takes the number that an earlier call returned, the first of them net_input",
            call, input[i]);
}

int
net_add(Net *net, const LayerType *type, const char *call, int inputs, const int *input, LayerOptions options)
{
    check_call(net, call, inputs, input);
    net->layers = grow(net->layers, net->layer_count, &net->layer_capacity, sizeof(Layer));
    Layer *layer = &net->layers[net->layer_count];
    *layer = (Layer){.type = type, .options = options, .number = net->layer_count, .inputs = inputs};
    for (int i = 0; i < inputs; i++) {
        layer->input[i] = input[i];
        layer->input_shape[i] = net->layers[input[i]].shape;
    }
    layer->first = net->parameter_count;
    layer->first_parameter = net->named_count;
    type->shape(net, layer);
    shape_elements(layer->shape);
    layer->count = net->parameter_count - layer->first;
    if (type->loss != LAYER_NO_LOSS)
        net->loss = layer->number;
    return net->layer_count++;
}

void
layer_parameter(Net *net, Layer *layer, const char *name, int dimensions, const size_t *shape, ParameterStart start,
                size_t fan_in, size_t fan_out)
{
    CHECK_THAT(layer->parameters < LAYER_PARAMETERS, "%s: more than %d parameters", layer->type->name,
               LAYER_PARAMETERS);
    net->named = grow(net->named, net->named_count, &net->named_capacity, sizeof(NamedParameter));
    NamedParameter *named = &net->named[net->named_count];
    *named = (NamedParameter){.start = start, .fan_in = fan_in, .fan_out = fan_out, .layer = layer->number};
    Parameter *p = &named->parameter;
    snprintf(p->name, sizeof p->name, "layers.%d.%s", layer->number - 1, name);
    p->first = net->parameter_count;
    p->count = 1;
    p->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        p->shape[d] = shape[d];
        CHECK_THAT(size_multiply(p->count, shape[d], &p->count), "%s has too many elements", p->name);
    }
    CHECK_THAT(p->count <= SIZE_MAX / sizeof(float) - net->parameter_count, "%s has too many elements", p->name);
    net->parameter_count += p->count;
    net->named_count++;
    layer->parameters++;
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
