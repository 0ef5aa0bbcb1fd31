/* Counting from shapes. SPDX-License-Identifier: MIT */
#include "nn/work.h"
#include "core/array.h"
#include "core/checked.h"

enum { NUMBER_BYTES = sizeof(float) };

/* What is known of a value while the layers are visited in their order. */
typedef struct Value {
    uint64_t elements; /* of one sample .. */
    uint64_t bytes;    /* .. and what they take */
    bool learns;       /* it depends on parameters */
    int depth;         /* convolutions on the longest way to it */
} Value;

/* All parameters but the biases, of which there is one for each channel of the output or none. */
static uint64_t
weights_of(const LayerInfo *info)
{
    if (info->kind != LAYER_CONVOLUTION && info->kind != LAYER_DENSE)
        return 0;
    const bool bias = info->kind == LAYER_DENSE || !info->conv.no_bias;
    return info->parameters - (bias ? (uint64_t)info->shape.channels : 0);
}

static Value
value_of(const LayerWork *layer, const Value *values)
{
    Value value = {.elements = shape_elements(layer->info.shape),
                   .bytes = shape_elements(layer->info.shape) * number_bytes(layer->info.stored),
                   .learns = layer->info.parameters > 0};
    for (int i = 0; i < layer->info.inputs; i++) {
        const Value *input = &values[layer->info.input[i]];
        value.learns |= input->learns;
        value.depth = input->depth > value.depth ? input->depth : value.depth;
    }
    value.depth += layer->info.kind == LAYER_CONVOLUTION;
    return value;
}

/* values[number] is the layer's own output, its inputs stand before it. */
static Work
count_layer(const LayerWork *layer, int number, const Value *values, uint64_t batch)
{
    const LayerInfo *info = &layer->info;
    const uint64_t pixels = (uint64_t)info->shape.height * (uint64_t)info->shape.width;
    Work work = {.layers = 1, .parameters = info->parameters, .weights = weights_of(info)};
    uint64_t moved = NUMBER_BYTES * info->parameters;
    for (int i = 0; i < info->inputs; i++)
        moved += batch * values[info->input[i]].bytes;
    work.forward = work.weight_gradient = batch * work.weights * pixels;
    work.input_gradient = info->inputs > 0 && values[info->input[0]].learns ? work.forward : 0;
    work.weight_bytes = NUMBER_BYTES * work.parameters;
    work.activation_bytes = batch * values[number].bytes;
    work.gradient_bytes =
        work.weight_bytes + (values[number].learns ? NUMBER_BYTES * batch * values[number].elements : 0);
    work.moved_bytes = info->inputs > 0 ? moved + work.activation_bytes : 0; /* the input is there already */
    return work;
}

static void
add(Work *sum, const Work *work)
{
    sum->layers += work->layers;
    sum->weights += work->weights;
    sum->parameters += work->parameters;
    sum->forward += work->forward;
    sum->weight_gradient += work->weight_gradient;
    sum->input_gradient += work->input_gradient;
    sum->weight_bytes += work->weight_bytes;
    sum->activation_bytes += work->activation_bytes;
    sum->gradient_bytes += work->gradient_bytes;
    sum->moved_bytes += work->moved_bytes;
}

NetWork
net_work(const Net *net, int batch)
{
    CHECK_THAT(batch >= 1 && batch <= 1 << 20, "net_work: a batch of %d samples: 1 to %d are counted", batch, 1 << 20);
    const int count = net_layer_count(net);
    NetWork work = {.batch = batch, .layers = count, .layer = ARRAY(LayerWork, (size_t)count)};
    Value *values = ARRAY(Value, (size_t)count);
    for (int l = 0; l < count; l++) {
        LayerWork *layer = &work.layer[l];
        layer->info = net_layer_info(net, l);
        values[l] = value_of(layer, values);
        layer->work = count_layer(layer, l, values, (uint64_t)batch);
        add(&work.all, &layer->work);
        if (layer->info.kind == LAYER_CONVOLUTION)
            add(&work.convolutions, &layer->work);
        else if (layer->info.kind == LAYER_DENSE)
            add(&work.dense, &layer->work);
        work.depth = values[l].depth > work.depth ? values[l].depth : work.depth;
    }
    array_free(values);
    return work;
}

void
net_work_free(NetWork *work)
{
    array_free(work->layer);
    *work = (NetWork){0};
}

uint64_t
work_backward(const Work *work)
{
    return work->weight_gradient + work->input_gradient;
}

double
work_intensity(const Work *work)
{
    return work->forward ? 2.0 * (double)work->forward / (double)work->moved_bytes : 0;
}
