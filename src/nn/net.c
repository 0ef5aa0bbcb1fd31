/* The network as it is built: layers one after the other, shapes and parameters. net_build.c gives it memory and weights,
 * run.c runs it. SPDX-License-Identifier: MIT */
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
    free(net->parameter.of);
    array_free(net->parameter.held_part);
    array_free(net->average.held_part);
    free(net->average.of);
    if (net->built) {
        const Memory *memory = net->backend->memory;
        memory->free(net->parameters);
        memory->free(net->gradients);
        memory->free(net->averages);
    }
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
    CHECK_THAT(!net->built, "%s: net_build was called already, the network is complete", call);
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
    layer->stored = inputs == 0 || type->loss != LAYER_NO_LOSS ? NUMBER_FP32 : net->stored;
    layer->first = net->parameter.elements;
    layer->first_parameter = net->parameter.count;
    layer->first_average = net->average.count;
    type->shape(net, layer);
    shape_elements(layer->shape);
    if (layer->image.height == 0)
        layer->image = layer->shape;
    layer->count = net->parameter.elements - layer->first;
    layer->needs_gradient = layer->count > 0;
    for (int i = 0; i < inputs; i++) {
        net->layers[input[i]].readers++;
        layer->needs_gradient |= net->layers[input[i]].needs_gradient;
    }
    if (type->loss != LAYER_NO_LOSS) {
        net->loss = layer->number;
        net->layers[input[0]].stored = NUMBER_FP32; /* a loss wants all digits */
    }
    return net->layer_count++;
}

/* One more named part at the end of its array. */
static Parameter *
append_part(NamedParameters *parts, const Layer *layer, const char *name, int dimensions, const size_t *shape,
            NamedParameter named)
{
    Parameter p = {.first = parts->elements, .count = 1, .dimensions = dimensions, .type = layer->stored};
    snprintf(p.name, sizeof p.name, "layers.%d.%s", layer->number - 1, name);
    for (int d = 0; d < dimensions; d++) {
        p.shape[d] = shape[d];
        CHECK_THAT(size_multiply(p.count, shape[d], &p.count), "%s has too many elements", p.name);
    }
    CHECK_THAT(p.count <= SIZE_MAX / sizeof(float) - p.first, "%s has too many elements", p.name);
    parts->of = grow(parts->of, parts->count, &parts->capacity, sizeof(NamedParameter));
    named.layer = layer->number;
    named.parameter = p;
    parts->of[parts->count++] = named;
    parts->elements += p.count;
    parts->held = parts->count;
    parts->elements_held = parts->elements;
    return &parts->of[parts->count - 1].parameter;
}

void
layer_parameter(Net *net, Layer *layer, const char *name, int dimensions, const size_t *shape, ParameterStart start,
                size_t fan_in, size_t fan_out)
{
    CHECK_THAT(layer->parameters < LAYER_PARAMETERS, "%s: more than %d parameters", layer->type->name,
               LAYER_PARAMETERS);
    append_part(&net->parameter, layer, name, dimensions, shape,
                (NamedParameter){.start = start, .fan_in = fan_in, .fan_out = fan_out});
    layer->parameters++;
}

void
layer_average(Net *net, Layer *layer, const char *name, size_t count, ParameterStart start)
{
    CHECK_THAT(layer->averages < LAYER_PARAMETERS, "%s: more than %d averages", layer->type->name, LAYER_PARAMETERS);
    append_part(&net->average, layer, name, 1, &count, (NamedParameter){.start = start})->type = NUMBER_FP32;
    layer->averages++;
}

void
layer_shard(Net *net, size_t first, size_t whole)
{
    Parameter *last = &net->parameter.of[net->parameter.count - 1].parameter;
    if (last->shape[0] == whole)
        return;
    last->shard_begin = first;
    last->shard_whole = whole;
}

void
layer_layout(Net *net, ParameterLayout layout, Shape image)
{
    Parameter *last = &net->parameter.of[net->parameter.count - 1].parameter;
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
rename_parts(const NamedParameters *parts, int layer, const char *name)
{
    for (int i = 0; i < parts->count; i++) {
        char *old = parts->of[i].parameter.name, last[sizeof parts->of[i].parameter.name];
        if (parts->of[i].layer != layer)
            continue;
        snprintf(last, sizeof last, "%s", strrchr(old, '.') + 1); /* "weight" */
        const int length = snprintf(old, sizeof parts->of[i].parameter.name, "%s.%s", name, last);
        CHECK_THAT(length < (int)sizeof parts->of[i].parameter.name, "net_name: %s.%s is too long", name, last);
    }
}

int
net_name(Net *net, int x, const char *name)
{
    check_call(net, "net_name", 1, &x);
    rename_parts(&net->parameter, x, name);
    rename_parts(&net->average, x, name);
    return x;
}

void
net_number_type(Net *net, NumberType type)
{
    check_call(net, "net_number_type", 0, NULL);
    net->stored = type;
}
