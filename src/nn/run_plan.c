/* The ops of a run and its memory. A moment is the number of an op in the order of execution; each array lives from the moment
 * that writes it to the last one that reads it, and memory_plan.h lets arrays that do not live at the same time share memory:
 *
 *     moment       1   2   3   4 | 5   6   7   8          input, dense, ReLU, loss
 *     y of dense       w---r     |                        the ReLU's backward needs its own y only
 *     y of ReLU            w-----|-----r                  needed by its backward
 *     p of loss                w-|-r-----------           also the caller's: until the next step
 *     dy of ReLU                 | w---r                  written by the loss
 *     dy of dense                |     w---r              takes the place of y of dense
 *
 * A recomputed value lives twice: from its layer's forward to the last forward that reads it, and from the recomputation to the
 * last backward that reads it.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "nn/memory_plan.h"
#include "nn/run_internal.h"
#include <limits.h>
#include <string.h>

/* A pointer that is to be set: the array's number among the spans. */
typedef struct Slot {
    void *pointer; /* to any type of pointer */
    int span;
} Slot;

enum { NONE = -1 };

struct RunPlan {
    const Net *net;
    Run *run;
    int moment;
    Span *spans;
    int span_count, span_capacity;
    Slot *slots;
    int slot_count, slot_capacity;
    /* For each layer the number of a span: its value, the same recomputed, their gradient, what it keeps and keeps again, and
     * its parameters' gradient. */
    int *value, *again, *gradient, *kept, *kept_again, *own_gradient;
    bool *needed; /* [layers]: must be recomputed */
};

/* ---- arrays ---------------------------------------------------------------------------------------------------------------- */

/* Bytes of fixed + each * max_batch numbers, rounded up to whole cache lines. */
static size_t
bytes_of(const RunPlan *plan, size_t fixed, size_t each, NumberType type)
{
    size_t count = 0;
    CHECK_THAT(size_multiply(each, (size_t)plan->run->options.max_batch, &count) && count < SIZE_MAX / 64 &&
                   fixed < SIZE_MAX / 64,
               "a batch of %d samples does not fit into memory", plan->run->options.max_batch);
    const size_t bytes = (fixed + count) * number_bytes(type);
    return (bytes + ARRAY_ALIGNMENT - 1) / ARRAY_ALIGNMENT * ARRAY_ALIGNMENT;
}

static size_t
value_bytes(const RunPlan *plan, const Layer *layer, NumberType type)
{
    const Shape shape = layer->shape;
    CHECK_THAT((double)plan->run->options.max_batch * shape.height * shape.width <= INT_MAX,
               "a batch of %d images of %d x %d pixels has more than 2^31 - 1 of them", plan->run->options.max_batch,
               shape.height, shape.width);
    return bytes_of(plan, 0, shape_elements(shape), type);
}

static void *
more(void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 64;
    void *grown = array_create((size_t)*capacity, size);
    if (count > 0)
        memcpy(grown, array, (size_t)count * size);
    array_free(array);
    return grown;
}

static int
new_span(RunPlan *plan, size_t bytes)
{
    plan->spans = more(plan->spans, plan->span_count, &plan->span_capacity, sizeof(Span));
    plan->spans[plan->span_count] = (Span){.size = bytes, .born = plan->moment, .dies = plan->moment};
    return plan->span_count++;
}

/* The array is read or written at this moment, through the pointer at `pointer` (NULL: by the caller of the run). */
static void
use(RunPlan *plan, int span, void *pointer)
{
    plan->spans[span].dies = plan->moment;
    if (!pointer)
        return;
    plan->slots = more(plan->slots, plan->slot_count, &plan->slot_capacity, sizeof(Slot));
    plan->slots[plan->slot_count++] = (Slot){pointer, span};
}

/* An array for this moment only. */
static void
use_scratch(RunPlan *plan, size_t bytes, void *pointer)
{
    use(plan, new_span(plan, bytes), pointer);
}

/* The span in *number, which is made when it is first used. */
static int
span_in(RunPlan *plan, int *number, size_t bytes)
{
    if (*number == NONE)
        *number = new_span(plan, bytes);
    return *number;
}

/* ---- what an op uses --------------------------------------------------------------------------------------------------------- */

static int
segment_of(const RunPlan *plan, int layer)
{
    for (int s = 0; s < plan->run->options.segments; s++)
        if (layer >= plan->run->options.recomputed[s].first && layer < plan->run->options.recomputed[s].last)
            return s;
    return NONE;
}

static void
use_value(RunPlan *plan, int *number, const Layer *layer, Operand *operand)
{
    use(plan, span_in(plan, number, value_bytes(plan, layer, layer->stored)), &operand->stored);
    if (layer->stored != NUMBER_FP32)
        use_scratch(plan, value_bytes(plan, layer, NUMBER_FP32), &operand->wide);
}

/* Behind the forward pass a segment's layers read what they have recomputed. */
static void
use_inputs(RunPlan *plan, Op *op)
{
    const int segment = op->kind == OP_FORWARD ? NONE : segment_of(plan, op->layer->number);
    for (int i = 0; i < op->layer->inputs; i++) {
        const int v = op->layer->input[i];
        const bool again = segment != NONE && segment_of(plan, v) == segment;
        if (v > 0 || plan->run->first > 0) /* else it is the caller's batch */
            use_value(plan, again ? &plan->again[v] : &plan->value[v], &plan->net->layers[v], &op->x[i]);
    }
}

static void
use_output(RunPlan *plan, Op *op, bool y, bool kept)
{
    const Layer *layer = op->layer;
    const bool again = op->kind != OP_FORWARD && segment_of(plan, layer->number) != NONE;
    if (y && layer->shape.height > 0)
        use_value(plan, again ? &plan->again[layer->number] : &plan->value[layer->number], layer, &op->y);
    if (kept && layer->kept_fixed + layer->kept_each > 0)
        use(plan,
            span_in(plan, again ? &plan->kept_again[layer->number] : &plan->kept[layer->number],
                    bytes_of(plan, layer->kept_fixed, layer->kept_each, NUMBER_FP32)),
            &op->kept);
}

static void
use_parameters(RunPlan *plan, Op *op)
{
    for (int i = 0; i < op->layer->parameters; i++) {
        const Parameter *p = &plan->net->parameter.of[op->layer->first_parameter + i].parameter;
        if (p->type == NUMBER_FP32)
            continue;
        use_scratch(plan, bytes_of(plan, p->count, 0, p->type), &op->narrow[i]);
        use_scratch(plan, bytes_of(plan, p->count, 0, NUMBER_FP32), &op->wide[i]);
    }
}

/* dx: the reader that goes backward first writes the gradient of its input; every later one writes into scratch memory, which is
 * then added. So is the gradient that came over the cut behind the range: it was there first. */
static void
use_input_gradients(RunPlan *plan, Op *op)
{
    for (int i = 0; i < op->layer->inputs; i++) {
        const int v = op->layer->input[i];
        const Layer *input = &plan->net->layers[v];
        if (!input->needs_gradient)
            continue;
        const bool first = plan->gradient[v] == NONE;
        const size_t bytes = value_bytes(plan, input, NUMBER_FP32);
        use(plan, span_in(plan, &plan->gradient[v], bytes), first ? &op->dx[i] : &op->sum[i]);
        if (!first)
            use_scratch(plan, bytes, &op->dx[i]);
    }
}

/* Room for gradients that are not written straight into the net's array: those to be added to what is there, and those of a layer
 * that makes them with its inputs' before their turn. */
static void
use_own_gradient(RunPlan *plan, Op *op)
{
    const Layer *layer = op->layer;
    const bool early = plan->run->options.splits && !layer->type->backward_weights;
    if (layer->count > 0 && (plan->run->options.accumulates || early))
        use(plan, span_in(plan, &plan->own_gradient[layer->number], bytes_of(plan, layer->count, 0, NUMBER_FP32)),
            &op->gradient);
}

/* ---- the ops in their order -------------------------------------------------------------------------------------------------- */

static Op *
next_op(RunPlan *plan, int *count, OpKind kind, int layer)
{
    Op *op = &plan->run->ops[(*count)++];
    *op = (Op){.kind = kind, .layer = &plan->net->layers[layer]};
    plan->moment++;
    return op;
}

static void
forward(RunPlan *plan, int *count, OpKind kind, int layer)
{
    Op *op = next_op(plan, count, kind, layer);
    use_inputs(plan, op);
    use_parameters(plan, op);
    use_output(plan, op, true, true);
}

static void
backward(RunPlan *plan, int *count, OpKind kind, int layer)
{
    Op *op = next_op(plan, count, kind, layer);
    const LayerType *type = op->layer->type;
    const bool inputs = kind != OP_WEIGHTS, weights = kind != OP_INPUTS;
    if ((inputs && type->inputs_read_x) || (weights && type->weights_read_x))
        use_inputs(plan, op);
    use_output(plan, op, inputs && type->inputs_read_y, inputs);
    if (op->layer->readers > 0)
        use(plan, plan->gradient[layer], &op->dy);
    if (inputs) {
        use_parameters(plan, op);
        use_input_gradients(plan, op);
    }
    if (weights || !type->backward_weights)
        use_own_gradient(plan, op);
}

/* Which layers of the segment must run again: those whose value, or what they keep, a backward pass of the segment reads, and those
 * that they in turn are computed from. */
static void
find_needed(RunPlan *plan, RunSegment segment)
{
    for (int l = segment.last - 1; l >= segment.first; l--) {
        const Layer *layer = &plan->net->layers[l];
        plan->needed[l] =
            layer->needs_gradient && (layer->type->inputs_read_y || layer->kept_fixed + layer->kept_each > 0);
        for (int r = l + 1; r < segment.last; r++) {
            const Layer *reader = &plan->net->layers[r];
            const bool reads = plan->needed[r] || (reader->needs_gradient &&
                                                   (reader->type->inputs_read_x || reader->type->weights_read_x));
            for (int i = 0; i < reader->inputs && reads; i++)
                plan->needed[l] |= reader->input[i] == l;
        }
    }
}

static void
recompute(RunPlan *plan, int *count, RunSegment segment)
{
    find_needed(plan, segment);
    for (int l = segment.first; l < segment.last; l++)
        if (plan->needed[l])
            forward(plan, count, OP_RECOMPUTE, l);
}

/* Values that cross a cut are the caller's to read and to write, at this moment. */
static void
cross(RunPlan *plan, int cut, bool values, bool gradients)
{
    int crossing[NET_BOUNDARY];
    const int n = net_boundary(plan->net, cut, crossing);
    for (int i = 0; i < n; i++) {
        const int v = crossing[i];
        const Layer *layer = &plan->net->layers[v];
        if (values && (v > 0 || plan->run->first > 0))
            use(plan, span_in(plan, &plan->value[v], value_bytes(plan, layer, layer->stored)), &plan->run->values[v]);
        if (gradients && layer->needs_gradient)
            use(plan, span_in(plan, &plan->gradient[v], value_bytes(plan, layer, NUMBER_FP32)),
                &plan->run->value_gradients[v]);
    }
}

static void
list_backward(RunPlan *plan, int *count)
{
    const Run *run = plan->run;
    const int begin = run->first > 1 ? run->first : 1;
    for (int l = run->last - 1; l >= begin; l--) {
        const int s = segment_of(plan, l);
        if (s != NONE && l == run->options.recomputed[s].last - 1)
            recompute(plan, count, run->options.recomputed[s]);
        if (plan->net->layers[l].needs_gradient)
            backward(plan, count, run->options.splits ? OP_INPUTS : OP_BACKWARD, l);
    }
    plan->run->inputs_end = *count;
    for (int l = run->last - 1; l >= begin && run->options.splits; l--)
        if (plan->net->layers[l].count > 0)
            backward(plan, count, OP_WEIGHTS, l);
}

static void
list_ops(RunPlan *plan)
{
    Run *run = plan->run;
    int count = 0;
    const bool trains = !run->options.inference;
    cross(plan, run->first, true, false);
    for (int l = run->first > 1 ? run->first : 1; l < run->last; l++)
        forward(plan, &count, OP_FORWARD, l);
    run->forward_end = run->inputs_end = count;
    plan->moment++; /* the caller takes values and brings gradients */
    cross(plan, run->last, true, trains);
    if (trains)
        list_backward(plan, &count);
    run->weights_end = count;
    plan->moment++;
    const int output = net_output_value(plan->net);
    if (run_has_loss(run) && (output > 0 || run->first > 0))
        use(plan, plan->value[output], &run->values[output]);
    if (trains)
        cross(plan, run->first, false, true);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------------------- */

static int *
no_spans(int layers)
{
    int *numbers = ARRAY(int, (size_t)layers);
    for (int l = 0; l < layers; l++)
        numbers[l] = NONE;
    return numbers;
}

RunPlan *
run_plan(Run *run)
{
    const int layers = run->net->layer_count;
    RunPlan *plan = ARRAY(RunPlan, 1);
    *plan = (RunPlan){.net = run->net,
                      .run = run,
                      .value = no_spans(layers),
                      .again = no_spans(layers),
                      .gradient = no_spans(layers),
                      .kept = no_spans(layers),
                      .kept_again = no_spans(layers),
                      .own_gradient = no_spans(layers),
                      .needed = ARRAY(bool, (size_t)layers)};
    run->ops = ARRAY(Op, (size_t)layers * 4);
    run->values = ARRAY(void *, (size_t)layers);
    run->value_gradients = ARRAY(float *, (size_t)layers);
    list_ops(plan);
    run->memory_bytes = plan_memory(plan->spans, plan->span_count);
    return plan;
}

void
run_place(Run *run, const RunPlan *plan)
{
    for (int i = 0; i < plan->slot_count; i++) {
        void *const at = run->memory + plan->spans[plan->slots[i].span].offset;
        memcpy(plan->slots[i].pointer, &at, sizeof at);
    }
}

void
run_plan_free(RunPlan *plan)
{
    int *const numbers[] = {plan->value, plan->again, plan->gradient, plan->kept, plan->kept_again, plan->own_gradient};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        array_free(numbers[i]);
    array_free(plan->needed);
    array_free(plan->spans);
    array_free(plan->slots);
    array_free(plan);
}
