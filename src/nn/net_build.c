/* The network gets its memory and its first weights. Everything that is ever allocated for it is allocated here.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "core/rng.h"
#include "nn/host_view.h"
#include "nn/net_internal.h"
#include "nn/plan.h"
#include <math.h>

/* Streams of the seed: "NET" and the number of the parameter. Shuffles and splits use small numbers. */
#define WEIGHT_STREAM 0x4e45540000000000U

/* Whether what layer l gives goes into a ReLU, through layers that change nothing of its spread. */
static bool
feeds_a_rectifier(const Net *net, int l)
{
    for (int r = l + 1; r < net->layer_count; r++) {
        const LayerType *reader = net->layers[r].type;
        for (int i = 0; i < net->layers[r].inputs; i++)
            if (net->layers[r].input[i] == l && (reader->rectifies || (reader->passes_on && feeds_a_rectifier(net, r))))
                return true;
    }
    return false;
}

static void
fill(float *x, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        x[i] = value;
}

/* Both keep the variance of what passes through a layer about equal from layer to layer: He et al. 2015 (arXiv:1502.01852) where
 * a ReLU then drops half of it, Glorot and Bengio 2010 otherwise. */
static void
draw_weights(Net *net)
{
    for (int i = 0; i < net->named_count; i++) {
        const NamedParameter *named = &net->named[i];
        const Parameter *p = &named->parameter;
        const uint64_t stream = WEIGHT_STREAM + (uint64_t)i;
        float *w = host_view_begin(net->backend->memory, net->parameters + p->first, p->count);
        if (named->start != START_WEIGHT)
            fill(w, p->count, named->start == START_ONE);
        else if (feeds_a_rectifier(net, named->layer)) {
            rng_fill_normal(net->seed, stream, 0, w, p->count, 0, sqrt(2.0 / (double)named->fan_in));
        } else {
            const double limit = sqrt(6.0 / ((double)named->fan_in + (double)named->fan_out));
            rng_fill_uniform(net->seed, stream, 0, w, p->count, -limit, limit);
        }
        host_view_end(net->backend->memory, net->parameters + p->first, w, p->count);
    }
}

static void
start_averages(Net *net)
{
    for (int i = 0; i < net->named_average_count; i++) {
        const NamedParameter *named = &net->named_averages[i];
        const Parameter *p = &named->parameter;
        float *average = host_view_begin(net->backend->memory, net->averages + p->first, p->count);
        fill(average, p->count, named->start == START_ONE);
        host_view_end(net->backend->memory, net->averages + p->first, average, p->count);
    }
}

/* Who is read, and whose gradient somebody needs: the input's only if parameters stood before it, which is never. */
static void
connect(Net *net)
{
    for (int l = 0; l < net->layer_count; l++) {
        Layer *layer = &net->layers[l];
        layer->needs_gradient = layer->count > 0;
        for (int i = 0; i < layer->inputs; i++) {
            net->layers[layer->input[i]].readers++;
            layer->needs_gradient |= net->layers[layer->input[i]].needs_gradient;
        }
    }
    for (int l = 0; l < net->layer_count; l++)
        CHECK_THAT(net->layers[l].readers > 0 || l == net->loss,
                   "net_build: nothing reads value %d (%s): its layer cannot learn", l, net->layers[l].type->name);
}

/* Where the host's arrays are out of the backend's reach. */
static void
make_room_for_batches(Net *net)
{
    const Memory *memory = net->backend->memory;
    const size_t batch = (size_t)net->max_batch;
    const Layer *last = &net->layers[net->layers[net->loss].input[0]];
    net->batch_x = memory->allocate(batch * shape_elements(net->layers[0].shape) * sizeof(float));
    net->batch_labels = memory->allocate(batch * sizeof(int));
    net->batch_targets = memory->allocate(batch * shape_elements(last->shape) * sizeof(float));
    net->host_output = ARRAY(float, batch *shape_elements(net->layers[net->output].shape));
}

void
net_build(Net *net, int max_batch)
{
    CHECK_THAT(net->max_batch == 0, "net_build was called already");
    CHECK_THAT(max_batch >= 1, "net_build: batches of up to %d samples: at least 1 is needed", max_batch);
    CHECK_THAT(net->loss >= 0, "net_build: the network has no loss: end it with net_softmax_loss or net_mse_loss");
    net->max_batch = max_batch;
    const Layer *loss = &net->layers[net->loss];
    net->output = loss->shape.height ? net->loss : loss->input[0];
    connect(net);
    const Memory *memory = net->backend->memory;
    net->parameters = memory->allocate(net->parameter_count * sizeof(float));
    net->gradients = memory->allocate(net->parameter_count * sizeof(float));
    net->averages = memory->allocate(net->average_count * sizeof(float));
    draw_weights(net);
    start_averages(net);
    net_plan(net);
    if (memory->separate)
        make_room_for_batches(net);
}
