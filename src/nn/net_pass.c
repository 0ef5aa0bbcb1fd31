/* One pass through the network, forward and backward. Nothing is allocated here.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/net_internal.h"
#include <math.h>

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

/* What layer l works with, forward. */
static Pass
pass_forward(const Net *net, const Layer *layer, double *loss)
{
    Pass pass = {.backend = net->backend,
                 .layer = layer,
                 .size = net->batch.size,
                 .y = layer->y,
                 .labels = net->batch.labels,
                 .targets = net->batch.targets,
                 .loss = loss,
                 .kept = layer->kept,
                 .inference = net->batch.inference,
                 .seed = net->seed,
                 .step = net->batch.step,
                 .first_sample = net->batch.first_sample};
    for (int i = 0; i < layer->inputs; i++)
        pass.x[i] = layer->input[i] == 0 ? net->batch.x : net->layers[layer->input[i]].y;
    for (int i = 0; i < layer->parameters; i++)
        pass.parameter[i] = net->parameters + net->named[layer->first_parameter + i].parameter.first;
    for (int i = 0; i < layer->averages; i++)
        pass.average[i] = net->averages + net->named_averages[layer->first_average + i].parameter.first;
    return pass;
}

static Pass
pass_backward(const Net *net, const Layer *layer, float scale)
{
    Pass pass = pass_forward(net, layer, NULL);
    pass.dy = layer->dy;
    pass.scale = scale / (float)net->batch.size;
    for (int i = 0; i < layer->inputs; i++)
        pass.dx[i] = layer->scratch[i] ? layer->scratch[i] : net->layers[layer->input[i]].dy;
    for (int i = 0; i < layer->parameters; i++)
        pass.gradient[i] = net->gradients + net->named[layer->first_parameter + i].parameter.first;
    return pass;
}

static void
check_labels(const Batch *batch, int classes)
{
    for (int i = 0; i < batch->size; i++)
        CHECK_THAT(batch->labels[i] >= 0 && batch->labels[i] < classes,
                   "net_forward: label %d of sample %d is not one of the network's %d classes, 0 to %d",
                   batch->labels[i], i, classes, classes - 1);
}

static void
check_batch(const Net *net, const Batch *batch)
{
    CHECK_THAT(net->max_batch > 0, "net_forward: call net_build first");
    const Layer *loss = &net->layers[net->loss];
    CHECK_THAT(batch->size >= 1 && batch->size <= net->max_batch,
               "net_forward: a batch of %d samples; net_build planned for 1 to %d", batch->size, net->max_batch);
    CHECK_THAT(batch->x, "net_forward: the batch has no x");
    CHECK_THAT(loss->type->loss == LAYER_LOSS_OF_LABELS || !batch->labels, "net_forward: %s wants targets, not labels",
               loss->type->name);
    CHECK_THAT(loss->type->loss == LAYER_LOSS_OF_TARGETS || !batch->targets,
               "net_forward: %s wants labels, not targets", loss->type->name);
    if (batch->labels)
        check_labels(batch, (int)shape_elements(net->layers[loss->input[0]].shape));
}

/* The batch, with its arrays in the backend's memory. */
static Batch
take_batch(const Net *net, const Batch *batch)
{
    const Memory *memory = net->backend->memory;
    Batch taken = *batch;
    if (!memory->separate)
        return taken;
    const size_t size = (size_t)batch->size;
    const Layer *last = &net->layers[net->layers[net->loss].input[0]];
    memory->copy_in(net->batch_x, batch->x, size * shape_elements(net->layers[0].shape) * sizeof(float));
    taken.x = net->batch_x;
    if (batch->labels) {
        memory->copy_in(net->batch_labels, batch->labels, size * sizeof(int));
        taken.labels = net->batch_labels;
    }
    if (batch->targets) {
        memory->copy_in(net->batch_targets, batch->targets, size * shape_elements(last->shape) * sizeof(float));
        taken.targets = net->batch_targets;
    }
    return taken;
}

double
net_forward(Net *net, const Batch *batch)
{
    double loss = NAN;
    check_batch(net, batch);
    net->batch = take_batch(net, batch);
    net->can_go_back = (batch->labels || batch->targets) && !batch->inference;
    for (int l = 1; l < net->layer_count; l++) {
        const Pass pass = pass_forward(net, &net->layers[l], &loss);
        net->layers[l].type->forward(&pass);
    }
    return loss / batch->size;
}

/* The gradients that a value gets from its other readers. */
static void
add_scratch(const Net *net, const Layer *layer)
{
    for (int i = 0; i < layer->inputs; i++) {
        const Layer *input = &net->layers[layer->input[i]];
        if (layer->scratch[i])
            net->backend->add(shape_elements(input->shape) * (size_t)net->batch.size, layer->scratch[i], input->dy);
    }
}

void
net_backward(Net *net, float scale)
{
    CHECK_THAT(net->can_go_back,
               "net_backward: each call needs a net_forward with labels or targets, not for inference, before it");
    net->can_go_back = false; /* the gradients have been written over some of the activations */
    for (int l = net->layer_count - 1; l > 0; l--) {
        const Layer *layer = &net->layers[l];
        if (!layer->needs_gradient)
            continue;
        const Pass pass = pass_backward(net, layer, scale);
        layer->type->backward(&pass);
        add_scratch(net, layer);
        if (net->hook && layer->count > 0)
            net->hook(net->hook_context, layer->first, layer->count);
    }
}

void
net_backward_of_nothing(Net *net)
{
    net->backend->clear(net_parameter_count(net), net->gradients);
    for (int l = net->layer_count - 1; l > 0; l--)
        if (net->hook && net->layers[l].needs_gradient && net->layers[l].count > 0)
            net->hook(net->hook_context, net->layers[l].first, net->layers[l].count);
}

const float *
net_output(const Net *net)
{
    CHECK_THAT(net->batch.size > 0, "net_output: there is none before the first net_forward");
    const float *output = net->output == 0 ? net->batch.x : net->layers[net->output].y;
    if (!net->backend->memory->separate)
        return output;
    const size_t elements = (size_t)net->batch.size * shape_elements(net->layers[net->output].shape);
    net->backend->memory->copy_out(net->host_output, output, elements * sizeof(float));
    return net->host_output;
}
