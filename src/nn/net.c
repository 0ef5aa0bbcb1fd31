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

/* What net_build allocated. */
static void
free_memory(Net *net)
{
    const Memory *memory = net->backend->memory;
    float *const arrays[] = {net->parameters, net->gradients, net->averages,
                             net->memory,     net->batch_x,   net->batch_targets};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        memory->free(arrays[i]);
    memory->free(net->batch_labels);
    array_free(net->host_output);
}

void
net_free(Net *net)
{
    if (!net)
        return;
    free(net->layers);
    free(net->named);
    free(net->named_averages);
    if (net->max_batch > 0)
        free_memory(net);
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
net_append(Net *net, const LayerType *type, const char *call, int inputs, const int *input, LayerOptions options)
{
    check_call(net, call, inputs, input);
    net->layers = grow(net->layers, net->layer_count, &net->layer_capacity, sizeof(Layer));
    Layer *layer = &net->layers[net->layer_count];
    *layer = (Layer){.type = type, .options = options, .number = net->layer_count, .inputs = inputs};
    for (int i = 0; i < inputs; i++) {
        layer->input[i] = input[i];
        layer->input_shape[i] = net->layers[input[i]].shape;
    }
    layer->input_image = inputs > 0 ? net->layers[input[0]].image : (Shape){0};
    layer->first = net->parameter_count;
    layer->first_parameter = net->named_count;
    layer->first_average = net->named_average_count;
    type->shape(net, layer);
    shape_elements(layer->shape);
    if (layer->image.height == 0)
        layer->image = layer->shape;
    layer->count = net->parameter_count - layer->first;
    if (type->loss != LAYER_NO_LOSS)
        net->loss = layer->number;
    return net->layer_count++;
}

/* A named part at the end of an array that has `first` elements so far. */
static Parameter
describe(const Layer *layer, const char *name, size_t first, int dimensions, const size_t *shape)
{
    Parameter p = {.first = first, .count = 1, .dimensions = dimensions};
    snprintf(p.name, sizeof p.name, "layers.%d.%s", layer->number - 1, name);
    for (int d = 0; d < dimensions; d++) {
        p.shape[d] = shape[d];
        CHECK_THAT(size_multiply(p.count, shape[d], &p.count), "%s has too many elements", p.name);
    }
    CHECK_THAT(p.count <= SIZE_MAX / sizeof(float) - first, "%s has too many elements", p.name);
    return p;
}

void
layer_parameter(Net *net, Layer *layer, const char *name, int dimensions, const size_t *shape, ParameterStart start,
                size_t fan_in, size_t fan_out)
{
    CHECK_THAT(layer->parameters < LAYER_PARAMETERS, "%s: more than %d parameters", layer->type->name,
               LAYER_PARAMETERS);
    net->named = grow(net->named, net->named_count, &net->named_capacity, sizeof(NamedParameter));
    NamedParameter *named = &net->named[net->named_count++];
    *named = (NamedParameter){.start = start, .fan_in = fan_in, .fan_out = fan_out, .layer = layer->number};
    named->parameter = describe(layer, name, net->parameter_count, dimensions, shape);
    net->parameter_count += named->parameter.count;
    layer->parameters++;
}

void
layer_average(Net *net, Layer *layer, const char *name, size_t count, ParameterStart start)
{
    CHECK_THAT(layer->averages < LAYER_PARAMETERS, "%s: more than %d averages", layer->type->name, LAYER_PARAMETERS);
    net->named_averages =
        grow(net->named_averages, net->named_average_count, &net->average_capacity, sizeof(NamedParameter));
    NamedParameter *named = &net->named_averages[net->named_average_count++];
    *named = (NamedParameter){.start = start, .layer = layer->number};
    named->parameter = describe(layer, name, net->average_count, 1, &count);
    net->average_count += count;
    layer->averages++;
}

void
layer_layout(Net *net, ParameterLayout layout, Shape image)
{
    Parameter *last = &net->named[net->named_count - 1].parameter;
    last->layout = layout;
    last->image = image;
}

void
layer_same_shape(Net *net, Layer *layer)
{
    (void)net;
    layer->shape = layer->input_shape[0];
    layer->image = layer->input_image;
}

void
layer_refuse_row(const Layer *layer, const char *call)
{
    const Shape in = layer->input_shape[0], image = layer->input_image;
    CHECK_THAT((in.height == image.height && in.width == image.width) || image.channels == 1,
               "%s: the image of %d x %d x %d was flattened before: normalise it first, then flatten it", call,
               image.height, image.width, image.channels);
}

static void
rename_parts(NamedParameter *parts, int count, int layer, const char *name)
{
    for (int i = 0; i < count; i++) {
        char *old = parts[i].parameter.name, last[sizeof parts[i].parameter.name];
        if (parts[i].layer != layer)
            continue;
        snprintf(last, sizeof last, "%s", strrchr(old, '.') + 1); /* "weight" */
        const int length = snprintf(old, sizeof parts[i].parameter.name, "%s.%s", name, last);
        CHECK_THAT(length < (int)sizeof parts[i].parameter.name, "net_name: %s.%s is too long", name, last);
    }
}

int
net_name(Net *net, int x, const char *name)
{
    check_call(net, "net_name", 1, &x);
    rename_parts(net->named, net->named_count, x, name);
    rename_parts(net->named_averages, net->named_average_count, x, name);
    return x;
}
