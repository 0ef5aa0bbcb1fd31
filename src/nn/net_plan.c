/* The network's memory. Time runs over one training step: with L layers, layer l goes forward at moment l and backward at moment
 * 2L-1-l. Each array lives from the moment that writes it to the last one that reads it, and plan.h lets arrays that do not meet
 * share memory:
 *
 *     moment       0   1   2   3 | 4   5   6   7         input, dense, ReLU, loss
 *     y of dense       w---r     |                       the ReLU's backward needs its own y only
 *     y of ReLU            w-----|-----r                 needed by its backward
 *     p of loss                w-|-r-----------          also the caller's: until the next step
 *     dy of ReLU                 | w---r                 written by the loss
 *     dy of dense                |     w---r             takes the place of y of dense
 *
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "nn/net_internal.h"
#include "nn/plan.h"
#include <limits.h>

/* fixed + each * max_batch floats, rounded up to whole cache lines. */
static size_t
size_of(const Net *net, size_t fixed, size_t each)
{
    const size_t line = ARRAY_ALIGNMENT / sizeof(float);
    size_t size = 0;
    CHECK_THAT(size_multiply(each, (size_t)net->max_batch, &size) && size < SIZE_MAX / 64 && fixed < SIZE_MAX / 64,
               "a batch of %d samples does not fit into memory", net->max_batch);
    return (fixed + size + line - 1) / line * line;
}

static size_t
value_size(const Net *net, const Layer *layer)
{
    const Shape shape = layer->shape;
    CHECK_THAT((double)net->max_batch * shape.height * shape.width <= INT_MAX,
               "a batch of %d images of %d x %d pixels has more than 2^31 - 1 of them", net->max_batch, shape.height,
               shape.width);
    return size_of(net, 0, shape_elements(layer->shape));
}

static int
last(int a, int b)
{
    return a > b ? a : b;
}

static int
backward_moment(const Net *net, int layer)
{
    return 2 * net->layer_count - 1 - layer;
}

static Span
life_of_value(const Net *net, const Layer *layer)
{
    Span span = {.size = value_size(net, layer), .born = layer->number, .dies = layer->number};
    if (layer->type->backward_reads_y)
        span.dies = backward_moment(net, layer->number);
    for (int r = layer->number + 1; r < net->layer_count; r++)
        for (int i = 0; i < net->layers[r].inputs; i++)
            if (net->layers[r].input[i] == layer->number)
                span.dies = last(span.dies, net->layers[r].type->backward_reads_x ? backward_moment(net, r) : r);
    if (layer->number == net->output)
        span.dies = 2 * net->layer_count;
    return span;
}

static int
last_reader(const Net *net, int value)
{
    int found = value;
    for (int r = value + 1; r < net->layer_count; r++)
        for (int i = 0; i < net->layers[r].inputs; i++)
            if (net->layers[r].input[i] == value)
                found = r;
    return found;
}

static Span
life_of_gradient(const Net *net, const Layer *layer)
{
    return (Span){.size = value_size(net, layer),
                  .born = backward_moment(net, last_reader(net, layer->number)),
                  .dies = backward_moment(net, layer->number)};
}

static Span
life_of_kept(const Net *net, const Layer *layer)
{
    return (Span){.size = size_of(net, layer->kept_fixed, layer->kept_each),
                  .born = layer->number,
                  .dies = backward_moment(net, layer->number)};
}

/* The last reader goes backward first and writes the gradient; every other input that reads the value writes into scratch memory,
 * which is then added. */
static bool
is_first_writer(const Net *net, const Layer *layer, int i)
{
    const int value = layer->input[i];
    bool first = last_reader(net, value) == layer->number;
    for (int k = 0; k < i; k++)
        first &= layer->input[k] != value;
    return first;
}

/* Collects the spans and, for each, which pointer is to be set: at most a value, its gradient, what it keeps, and scratch for each
 * of its inputs. */
static int
collect(Net *net, Span *spans, float ***targets)
{
    int n = 0;
    for (int l = 0; l < net->layer_count; l++) {
        Layer *layer = &net->layers[l];
        const bool has_value = l > 0 && layer->shape.height > 0; /* value 0 is the caller's batch */
        if (has_value) {
            spans[n] = life_of_value(net, layer);
            targets[n++] = &layer->y;
        }
        if (has_value && layer->needs_gradient && layer->readers > 0) {
            spans[n] = life_of_gradient(net, layer);
            targets[n++] = &layer->dy;
        }
        if (layer->kept_fixed + layer->kept_each > 0) {
            spans[n] = life_of_kept(net, layer);
            targets[n++] = &layer->kept;
        }
        for (int i = 0; i < layer->inputs; i++) {
            const Layer *input = &net->layers[layer->input[i]];
            if (!input->needs_gradient || is_first_writer(net, layer, i))
                continue;
            const int moment = backward_moment(net, l);
            spans[n] = (Span){.size = value_size(net, input), .born = moment, .dies = moment};
            targets[n++] = &layer->scratch[i];
        }
    }
    return n;
}

void
net_plan(Net *net)
{
    const size_t most = (size_t)net->layer_count * (3 + LAYER_INPUTS);
    Span *spans = ARRAY(Span, most);
    float ***targets = ARRAY(float **, most);
    const int count = collect(net, spans, targets);
    net->memory_size = plan_memory(spans, count);
    net->memory = net->backend->memory->allocate(net->memory_size * sizeof(float));
    for (int i = 0; i < count; i++)
        *targets[i] = net->memory + spans[i].offset;
    array_free(targets);
    array_free(spans);
}
