/* A batch in flight (nn/run.h): its memory, and one pass through the network, forward and backward. Nothing is allocated after
 * run_create. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "nn/run_internal.h"
#include <math.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------------------------------------ */

static void
check_options(const Net *net, int first, int last, const RunOptions *o)
{
    CHECK_THAT(o->max_batch >= 1, "run_create: batches of up to %d samples: at least 1 is needed", o->max_batch);
    int end = first > 1 ? first : 1;
    for (int s = 0; s < o->segments; s++) {
        const RunSegment *segment = &o->recomputed[s];
        CHECK_THAT(
            segment->first >= end && segment->last > segment->first && segment->last <= last,
            "run_create: the recomputed segment of layers %d to %d: expected begin < end, in %d to %d, one segment "
            "behind the other (%d layers in all)",
            segment->first, segment->last, end, last, net->layer_count);
        end = segment->last;
    }
}

/* A run as far as its plan: no memory yet, and nothing else. */
static Run *
create_planned(Net *net, int first, int last, const RunOptions *options, RunPlan **plan)
{
    check_options(net, first, last, options);
    Run *run = ARRAY(Run, 1);
    *run = (Run){.net = net, .first = first, .last = last, .options = *options};
    RunSegment *segments = ARRAY(RunSegment, (size_t)options->segments);
    if (options->segments > 0)
        memcpy(segments, options->recomputed, (size_t)options->segments * sizeof *segments);
    run->options.recomputed = segments;
    *plan = run_plan(run);
    return run;
}

static void
free_planned(Run *run)
{
    array_free((void *)run->options.recomputed);
    array_free(run->ops);
    array_free(run->values);
    array_free(run->value_gradients);
    array_free(run);
}

static const Layer *
loss_input(const Run *run)
{
    return &run->net->layers[run->net->layers[run->net->loss].input[0]];
}

/* Where the host's arrays are out of the backend's reach. */
static void
make_room_for_batches(Run *run)
{
    const Memory *memory = run->net->backend->memory;
    const size_t batch = (size_t)run->options.max_batch;
    if (!memory->separate)
        return;
    if (run->first == 0)
        run->batch_x = memory->allocate(batch * shape_elements(run->net->layers[0].shape) * sizeof(float));
    if (!run_has_loss(run))
        return;
    run->batch_labels = memory->allocate(batch * sizeof(int));
    run->batch_targets = memory->allocate(batch * shape_elements(loss_input(run)->shape) * sizeof(float));
    run->host_output = ARRAY(float, batch *shape_elements(run->net->layers[net_output_value(run->net)].shape));
}

/* All held layers where no range is given. */
static LayerRange
range_of(const Net *net, LayerRange range)
{
    if (range.last == 0) {
        range.last = net->layer_count;
        while (range.first < range.last && !net->layers[range.first].held)
            range.first++;
        while (range.last > range.first && !net->layers[range.last - 1].held)
            range.last--;
    }
    CHECK_THAT(range.first >= 0 && range.first < range.last && range.last <= net->layer_count,
               "run_create: layers %d to %d of %d", range.first, range.last, net->layer_count);
    for (int l = range.first; l < range.last; l++)
        CHECK_THAT(net->layers[l].held, "run_create: layer %d is none of those that net_build_ranges was given", l);
    return range;
}

Run *
run_create(Net *net, const RunOptions *options)
{
    CHECK_THAT(net->built, "run_create: call net_build first");
    RunPlan *plan;
    const LayerRange range = range_of(net, options->range);
    Run *run = create_planned(net, range.first, range.last, options, &plan);
    run->memory = net->backend->memory->allocate(run->memory_bytes);
    run_place(run, plan);
    run_plan_free(plan);
    make_room_for_batches(run);
    return run;
}

void
run_free(Run *run)
{
    if (!run)
        return;
    const Memory *memory = run->net->backend->memory;
    memory->free(run->memory);
    memory->free(run->batch_x);
    memory->free(run->batch_labels);
    memory->free(run->batch_targets);
    array_free(run->host_output);
    free_planned(run);
}

size_t
run_memory_planned(const Net *net, int first, int last, const RunOptions *options)
{
    RunPlan *plan;
    CHECK_THAT(first >= 0 && first < last && last <= net->layer_count,
               "run_memory_planned: layers %d to %d of %d: a range is 0 <= first < last <= %d", first, last,
               net->layer_count, net->layer_count);
    Run *run = create_planned((Net *)net, first, last, options, &plan);
    const size_t bytes = run->memory_bytes;
    run_plan_free(plan);
    free_planned(run);
    return bytes;
}

size_t
run_memory(const Run *run)
{
    return run->memory_bytes;
}

int
run_segments(const Net *net, int count, RunSegment *segments)
{
    const int layers = net_layer_count(net) - 1;
    if (count > layers)
        count = layers;
    for (int s = 0; s < count; s++)
        segments[s] = (RunSegment){1 + layers * s / count, 1 + layers * (s + 1) / count};
    return count;
}

Net *
run_net(const Run *run)
{
    return run->net;
}

int
run_max_batch(const Run *run)
{
    return run->options.max_batch;
}

/* ---- one layer's part of a pass ---------------------------------------------------------------------------------------------- */

size_t
pass_elements(const Pass *pass)
{
    return shape_elements(pass->layer->shape) * (size_t)pass->size;
}

float *
pass_dx(const Pass *pass)
{
    return pass->dx[0] ? pass->dx[0] : (float *)pass->dy;
}

/* The value as fp32. */
static const float *
read_operand(const Run *run, const Operand *operand, const Layer *layer)
{
    const size_t n = shape_elements(layer->shape) * (size_t)run->batch.size;
    if (operand->wide)
        run->net->backend->widen(layer->stored, n, operand->stored, operand->wide);
    return operand->wide ? operand->wide : operand->stored;
}

/* Parameter i of the layer, rounded to the type that the layer reads. */
static const float *
read_parameter(const Run *run, const Op *op, int i)
{
    const Net *net = run->net;
    const Parameter *p = &net->parameter.of[op->layer->first_parameter + i].parameter;
    const float *master = net->parameters + p->first;
    if (!op->wide[i])
        return master;
    net->backend->narrow(p->type, p->count, master, op->narrow[i]);
    net->backend->widen(p->type, p->count, op->narrow[i], op->wide[i]);
    return op->wide[i];
}

static Pass
begin_pass(const Run *run, const Op *op)
{
    const Net *net = run->net;
    const Layer *layer = op->layer;
    Pass pass = {.backend = net->backend,
                 .exchange = net->exchange,
                 .layer = layer,
                 .size = run->batch.size,
                 .labels = run->batch.labels,
                 .targets = run->batch.targets,
                 .kept = op->kept,
                 .inference = run->batch.inference,
                 .seed = net->seed,
                 .step = run->batch.step,
                 .first_sample = run->batch.first_sample};
    for (int i = 0; i < layer->inputs; i++) {
        const int v = layer->input[i];
        const bool is_batch = v == 0 && run->first == 0;
        pass.x[i] = is_batch ? run->batch.x : op->x[i].stored ? read_operand(run, &op->x[i], &net->layers[v]) : NULL;
    }
    for (int i = 0; i < layer->parameters && op->kind != OP_WEIGHTS; i++)
        pass.parameter[i] = read_parameter(run, op, i);
    return pass;
}

/* Returns the loss, if this is the layer that makes it. */
static double
forward(const Run *run, const Op *op)
{
    const Net *net = run->net;
    const Layer *layer = op->layer;
    double loss = NAN;
    Pass pass = begin_pass(run, op);
    pass.loss = &loss;
    pass.y = op->y.wide ? op->y.wide : op->y.stored;
    for (int i = 0; i < layer->averages && op->kind == OP_FORWARD; i++)
        pass.average[i] = net->averages + net->average.of[layer->first_average + i].parameter.first;
    layer->type->forward(&pass);
    if (op->y.wide)
        net->backend->narrow(layer->stored, pass_elements(&pass), pass.y, op->y.stored);
    return loss;
}

/* Gradients of the layer's parameters at `to`, which is laid out as the net's array is from the layer's first on. */
static void
point_to_gradients(const Net *net, const Layer *layer, float *to, Pass *pass)
{
    for (int i = 0; i < layer->parameters; i++)
        pass->gradient[i] = to + (net->parameter.of[layer->first_parameter + i].parameter.first - layer->first);
}

static void
add_scratch(const Run *run, const Op *op)
{
    for (int i = 0; i < op->layer->inputs; i++) {
        const Layer *input = &run->net->layers[op->layer->input[i]];
        if (op->sum[i])
            run->net->backend->add(shape_elements(input->shape) * (size_t)run->batch.size, op->dx[i], op->sum[i]);
    }
}

/* Makes the layer's gradients final, or adds this micro-batch's to them. written: they are in op->gradient now. */
static void
finish_gradients(const Run *run, const Op *op, bool written, RunGradients gradients)
{
    const Net *net = run->net;
    const size_t n = op->layer->count;
    float *to = net->gradients + op->layer->first;
    if (written && (gradients & RUN_FIRST))
        net->backend->copy(1, n, op->gradient, n, to, n);
    else if (written)
        net->backend->add(n, op->gradient, to);
    if ((gradients & RUN_LAST) && net->hook && n > 0)
        net->hook(net->hook_context, op->layer->first, n);
}

static void
backward(const Run *run, const Op *op, RunGradients gradients)
{
    const Net *net = run->net;
    const Layer *layer = op->layer;
    const LayerType *type = layer->type;
    const bool inputs = op->kind != OP_WEIGHTS, weights = op->kind != OP_INPUTS;
    const bool early = !type->backward_weights && run->options.splits;
    const bool apart = op->gradient && (early || !(gradients & RUN_FIRST));
    bool dx_wanted = !type->backward_weights;
    Pass pass = begin_pass(run, op);
    pass.dy = op->dy;
    pass.y = op->y.stored ? (float *)read_operand(run, &op->y, layer) : NULL;
    pass.scale = run->scale / (float)run->batch.size;
    for (int i = 0; i < layer->inputs; i++) {
        pass.dx[i] = op->dx[i];
        dx_wanted |= op->dx[i] != NULL;
    }
    if (layer->count > 0)
        point_to_gradients(net, layer, apart ? op->gradient : net->gradients + layer->first, &pass);
    if (weights && type->backward_weights)
        type->backward_weights(&pass);
    if (inputs && dx_wanted)
        type->backward_inputs(&pass);
    if (inputs)
        add_scratch(run, op);
    if (weights)
        finish_gradients(run, op, apart, gradients);
}

/* ---- a pass ------------------------------------------------------------------------------------------------------------------ */

static void
check_labels(const Batch *batch, int classes)
{
    for (int i = 0; i < batch->size; i++)
        CHECK_THAT(batch->labels[i] >= 0 && batch->labels[i] < classes,
                   "run_forward: label %d of sample %d is not one of the network's %d classes, 0 to %d",
                   batch->labels[i], i, classes, classes - 1);
}

static void
check_batch(const Run *run, const Batch *batch)
{
    const Layer *loss = &run->net->layers[run->net->loss];
    CHECK_THAT(batch->size >= 1 && batch->size <= run->options.max_batch,
               "run_forward: a batch of %d samples; run_create planned for 1 to %d", batch->size,
               run->options.max_batch);
    CHECK_THAT(batch->x || run->first > 0, "run_forward: the batch has no x");
    CHECK_THAT(batch->inference || !run->options.inference,
               "run_forward: the run was created for inference alone, the batch is not for inference");
    if (!run_has_loss(run))
        return;
    CHECK_THAT(loss->type->loss == LAYER_LOSS_OF_LABELS || !batch->labels, "run_forward: %s wants targets, not labels",
               loss->type->name);
    CHECK_THAT(loss->type->loss == LAYER_LOSS_OF_TARGETS || !batch->targets,
               "run_forward: %s wants labels, not targets", loss->type->name);
    if (batch->labels)
        check_labels(batch, (int)shape_elements(loss_input(run)->shape));
}

/* The batch, with its arrays in the backend's memory. */
static Batch
take_batch(const Run *run, const Batch *batch)
{
    const Memory *memory = run->net->backend->memory;
    Batch taken = *batch;
    if (!run_has_loss(run))
        taken.labels = NULL, taken.targets = NULL;
    if (!memory->separate)
        return taken;
    const size_t size = (size_t)batch->size;
    if (run->first == 0) {
        memory->copy_in(run->batch_x, batch->x, size * shape_elements(run->net->layers[0].shape) * sizeof(float));
        taken.x = run->batch_x;
    }
    if (taken.labels) {
        memory->copy_in(run->batch_labels, batch->labels, size * sizeof(int));
        taken.labels = run->batch_labels;
    }
    if (taken.targets) {
        memory->copy_in(run->batch_targets, batch->targets,
                        size * shape_elements(loss_input(run)->shape) * sizeof(float));
        taken.targets = run->batch_targets;
    }
    return taken;
}

double
run_forward(Run *run, const Batch *batch)
{
    double loss = NAN;
    check_batch(run, batch);
    CHECK_THAT(!run->weights_wait, "run_forward: run_backward_weights of the batch before it is still to come");
    run->batch = take_batch(run, batch);
    run->can_go_back = !batch->inference && (run->batch.labels || run->batch.targets || !run_has_loss(run));
    for (int i = 0; i < run->forward_end; i++)
        loss = forward(run, &run->ops[i]);
    return run_has_loss(run) ? loss / batch->size : NAN;
}

static void
check_backward(Run *run, const char *call)
{
    CHECK_THAT(run->can_go_back,
               "%s: each call needs a run_forward with labels or targets, not for inference, before it", call);
    run->can_go_back = false; /* the gradients will be written over some of the activations */
}

static void
check_gradients(const Run *run, const char *call, RunGradients gradients)
{
    CHECK_THAT((gradients & RUN_FIRST) || run->options.accumulates,
               "%s: gradients are added to those there without RUN_FIRST, for which RunOptions.accumulates plans room",
               call);
}

static void
run_ops_back(const Run *run, int begin, int end, RunGradients gradients)
{
    for (int i = begin; i < end; i++) {
        const Op *op = &run->ops[i];
        if (op->kind == OP_RECOMPUTE)
            forward(run, op);
        else
            backward(run, op, gradients);
    }
}

void
run_backward_inputs(Run *run, float scale)
{
    CHECK_THAT(run->options.splits, "run_backward_inputs: RunOptions.splits plans a backward pass in two halves");
    check_backward(run, "run_backward_inputs");
    run->scale = scale;
    run->weights_wait = true;
    run_ops_back(run, run->forward_end, run->inputs_end, RUN_MIDDLE);
}

void
run_backward_weights(Run *run, RunGradients gradients)
{
    CHECK_THAT(run->weights_wait, "run_backward_weights: each call needs a run_backward_inputs before it");
    check_gradients(run, "run_backward_weights", gradients);
    run->weights_wait = false;
    run_ops_back(run, run->inputs_end, run->weights_end, gradients);
}

void
run_backward(Run *run, float scale, RunGradients gradients)
{
    check_gradients(run, "run_backward", gradients);
    if (run->options.splits) {
        run_backward_inputs(run, scale);
        run_backward_weights(run, gradients);
        return;
    }
    check_backward(run, "run_backward");
    run->scale = scale;
    run_ops_back(run, run->forward_end, run->inputs_end, gradients);
}

/* Layers that communicate wait for all processes; all gradients are zeros. */
void
run_without_samples(Run *run, RunGradients gradients)
{
    const Net *net = run->net;
    check_gradients(run, "run_without_samples", gradients);
    CHECK_THAT(!run->weights_wait, "run_without_samples: run_backward_weights of the batch before it is still to come");
    const int end = run->options.splits ? run->weights_end : run->inputs_end;
    run->batch = (Batch){0};
    run->can_go_back = false;
    for (int i = 0; i < run->forward_end && net->exchange; i++)
        if (run->ops[i].layer->type->exchanges)
            forward(run, &run->ops[i]);
    for (int i = run->forward_end; i < end; i++) {
        const Op *op = &run->ops[i];
        const Layer *layer = op->layer;
        if (net->exchange && layer->type->exchanges && op->kind == OP_RECOMPUTE)
            forward(run, op);
        else if (net->exchange && layer->type->exchanges)
            backward(run, op, gradients);
        else if (op->kind == OP_BACKWARD || op->kind == OP_WEIGHTS) {
            if (gradients & RUN_FIRST)
                net->backend->clear(layer->count, net->gradients + layer->first);
            finish_gradients(run, op, false, gradients);
        }
    }
}

/* ---- what a caller may read and write ---------------------------------------------------------------------------------------- */

const float *
run_output(Run *run)
{
    const Net *net = run->net;
    const Memory *memory = net->backend->memory;
    const int value = net_output_value(net);
    const Layer *layer = &net->layers[value];
    CHECK_THAT(run_has_loss(run), "run_output: the range ends before the network's output");
    CHECK_THAT(run->batch.size > 0, "run_output: there is none before the first run_forward");
    const void *output = value == 0 && run->first == 0 ? run->batch.x : run->values[value];
    const size_t elements = (size_t)run->batch.size * shape_elements(layer->shape);
    if (!run->host_output)
        return output;
    memory->copy_out(run->host_output, output, elements * sizeof(float));
    return run->host_output;
}

static void
check_crossing(const Run *run, int value)
{
    int values[NET_BOUNDARY];
    bool crosses = false;
    const int cuts[] = {run->first, run->last};
    for (int c = 0; c < 2; c++) {
        const int n = net_boundary(run->net, cuts[c], values);
        for (int i = 0; i < n; i++)
            crosses |= values[i] == value;
    }
    CHECK_THAT(crosses, "run_value: value %d crosses neither the cut before layer %d nor that before layer %d", value,
               run->first, run->last);
}

RunValue
run_value(const Run *run, int value)
{
    check_crossing(run, value);
    const Layer *layer = &run->net->layers[value];
    void *data = value == 0 && run->first == 0 ? (void *)run->batch.x : run->values[value];
    return (RunValue){.data = data, .type = layer->stored, .elements = shape_elements(layer->shape)};
}

float *
run_value_gradient(const Run *run, int value)
{
    check_crossing(run, value);
    return run->value_gradients[value];
}
