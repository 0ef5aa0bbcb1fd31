/* The network gets its parameters: of all layers, or of a range of them.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "core/rng.h"
#include "nn/host_view.h"
#include "nn/net_internal.h"
#include <math.h>
#include <string.h>

/* Random streams of the seed: "NET" and the number of the parameter. Shuffles and splits use small numbers. */
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
 * a ReLU then drops half of it, Glorot and Bengio 2010 otherwise. i counts the parameters of the whole network. */
static void
draw(const Net *net, const NamedParameters *parts, int i, float *w, size_t count)
{
    const NamedParameter *named = &parts->of[i];
    const uint64_t stream = WEIGHT_STREAM + (uint64_t)i;
    if (named->start != START_WEIGHT)
        fill(w, count, named->start == START_ONE);
    else if (feeds_a_rectifier(net, named->layer)) {
        rng_fill_normal(net->seed, stream, 0, w, count, 0, sqrt(2.0 / (double)named->fan_in));
    } else {
        const double limit = sqrt(6.0 / ((double)named->fan_in + (double)named->fan_out));
        rng_fill_uniform(net->seed, stream, 0, w, count, -limit, limit);
    }
}

/* The unsharded parameter is drawn and the shard sliced out of it along dimension d: its numbers are those of one process that
 * holds all. */
static void
draw_shard(const Net *net, const NamedParameters *parts, int i, float *w)
{
    const Parameter *p = &parts->of[i].parameter;
    size_t outer = 1, inner = 1;
    for (int d = 0; d < p->dimensions; d++) {
        outer *= d < p->shard_dimension ? p->shape[d] : 1;
        inner *= d > p->shard_dimension ? p->shape[d] : 1;
    }
    const size_t mine = p->shape[p->shard_dimension] * inner, whole = p->shard_whole * inner;
    float *all = ARRAY(float, outer *whole);
    draw(net, parts, i, all, outer * whole);
    for (size_t o = 0; o < outer; o++)
        memcpy(w + o * mine, all + o * whole + p->shard_begin * inner, mine * sizeof(float));
    array_free(all);
}

/* First numbers of all held parts. */
static void
start_parts(const Net *net, const NamedParameters *parts, float *array)
{
    for (int h = 0; h < parts->held; h++) {
        const int i = parts->held_part[h];
        const Parameter *p = &parts->of[i].parameter;
        float *view = host_view_begin(net->backend->memory, array + p->first, p->count);
        if (p->shard_whole > 0)
            draw_shard(net, parts, i, view);
        else
            draw(net, parts, i, view, p->count);
        host_view_end(net->backend->memory, array + p->first, view, p->count);
    }
}

static void
check_readers(const Net *net)
{
    for (int l = 0; l < net->layer_count; l++)
        CHECK_THAT(net->layers[l].readers > 0 || l == net->loss,
                   "net_build: nothing reads value %d (%s): its layer cannot learn", l, net->layers[l].type->name);
}

/* Keeps the parts of layers that are held, and counts their places from the first of them. */
static void
hold(const Net *net, NamedParameters *parts)
{
    parts->held_part = ARRAY(int, (size_t)parts->count);
    parts->held = 0;
    parts->elements_held = 0;
    for (int i = 0; i < parts->count; i++) {
        Parameter *p = &parts->of[i].parameter;
        p->held = net->layers[parts->of[i].layer].held;
        if (!p->held)
            continue;
        p->first = parts->elements_held;
        parts->elements_held += p->count;
        parts->held_part[parts->held++] = i;
    }
}

static void
hold_layers(Net *net, const LayerRange *ranges, int count)
{
    for (int i = 0; i < count; i++) {
        const int first = ranges[i].first, last = ranges[i].last;
        CHECK_THAT(first >= 0 && first < last && last <= net->layer_count,
                   "net_build_range: layers %d to %d of %d: a range is 0 <= first < last <= %d", first, last,
                   net->layer_count, net->layer_count);
        for (int l = first; l < last; l++)
            net->layers[l].held = true;
    }
    hold(net, &net->parameter);
    hold(net, &net->average);
    for (int l = 0; l < net->layer_count; l++)
        net->layers[l].first =
            net->layers[l].parameters > 0 ? net->parameter.of[net->layers[l].first_parameter].parameter.first : 0;
}

void
net_build_ranges(Net *net, const LayerRange *ranges, int count)
{
    CHECK_THAT(!net->built, "net_build was called already");
    CHECK_THAT(net->loss >= 0, "net_build: the network has no loss: end it with net_softmax_loss or net_mse_loss");
    net->built = true;
    check_readers(net);
    hold_layers(net, ranges, count);
    const Memory *memory = net->backend->memory;
    net->parameters = memory->allocate(net->parameter.elements_held * sizeof(float));
    net->gradients = memory->allocate(net->parameter.elements_held * sizeof(float));
    net->averages = memory->allocate(net->average.elements_held * sizeof(float));
    start_parts(net, &net->parameter, net->parameters);
    start_parts(net, &net->average, net->averages);
}

void
net_build_range(Net *net, int first, int last)
{
    net_build_ranges(net, &(LayerRange){first, last}, 1);
}

void
net_build(Net *net)
{
    net_build_range(net, 0, net->layer_count);
}

/* ---- cuts ---------------------------------------------------------------------------------------------------------------- */

static bool
is_read_behind(const Net *net, int value, int cut)
{
    for (int r = cut; r < net->layer_count; r++)
        for (int i = 0; i < net->layers[r].inputs; i++)
            if (net->layers[r].input[i] == value)
                return true;
    return false;
}

int
net_boundary(const Net *net, int cut, int values[NET_BOUNDARY])
{
    int count = 0;
    CHECK_THAT(cut >= 0 && cut <= net->layer_count, "net_boundary: a cut before layer %d; the network has %d layers",
               cut, net->layer_count);
    for (int v = 0; v < cut; v++) {
        if (!is_read_behind(net, v, cut))
            continue;
        if (count < NET_BOUNDARY)
            values[count] = v;
        count++;
    }
    CHECK_THAT(count <= NET_BOUNDARY, "net_boundary: %d values cross the cut before layer %d; at most %d can", count,
               cut, NET_BOUNDARY);
    return count;
}

bool
net_value_learns(const Net *net, int value)
{
    CHECK_THAT(value >= 0 && value < net->layer_count, "net_value_learns: there is no value %d", value);
    return net->layers[value].needs_gradient;
}
