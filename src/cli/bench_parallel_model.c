/* What the model says of a plan of data-parallel training, beside what was measured: mpi/model/merge.h plays the step, from
 * the measured times of the layers and the fitted ones of the all-reduces. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/array.h"
#include "mpi/model/fit.h"
#include "mpi/model/timeline.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The all-reduce of one of --collectives. */
typedef struct Line {
    Comm *comm;
    const char *rung;
    double scale;
} Line;

/* NaN: the model does not know the rung, or the machine was too noisy to fit it. All ranks must call the first time. */
static double
line_seconds(const void *context, double bytes)
{
    const Line *line = context;
    Cost cost;
    const size_t n = (size_t)bytes / sizeof(float);
    const CostCase what = cost_case(line->comm, "allreduce", line->rung, n, ELEMENT_FLOAT, false);
    const CostParameters *network = cost_parameters_of(line->comm);
    return !network->noisy && cost_of(&what, &cost, NULL) ? line->scale * cost_time(&cost, network) : NAN;
}

/* A network cut wherever a layer or a bucket ends: the layers of merge.h, the first to be finished at the end. */
typedef struct Pieces {
    double backward[STEP_LAYERS], bytes[STEP_LAYERS];
    int first[STEP_LAYERS]; /* of each bucket, its lowest piece */
    int count, buckets;
} Pieces;

static int
number_of_pieces(const BenchParallelParts *parts, const DataTimeline *timeline)
{
    int count = parts->layers;
    for (int b = 0; b < timeline->buckets; b++) {
        bool shared = false;
        for (int l = 0; l < parts->layers; l++)
            shared = shared || parts->layer[l].first == timeline->bucket[b].first;
        count += !shared;
    }
    return count;
}

/* Both lists go from the end of the gradients to their beginning. False if there are too many. */
static bool
cut(const BenchParallelParts *parts, const DataTimeline *timeline, Pieces *pieces)
{
    pieces->count = number_of_pieces(parts, timeline);
    pieces->buckets = timeline->buckets;
    if (pieces->count > STEP_LAYERS)
        return false;
    size_t end = parts->layer[0].first + parts->layer[0].count;
    int layer = 0, bucket = 0;
    double backward = parts->backward[0];
    for (int i = pieces->count - 1; i >= 0; i--) {
        const size_t a = parts->layer[layer].first, b = timeline->bucket[bucket].first, first = a > b ? a : b;
        pieces->bytes[i] = (double)(end - first) * sizeof(float);
        pieces->backward[i] = backward;
        backward = 0; /* all of a layer is finished together */
        if (first == b)
            pieces->first[bucket++] = i + 1;
        if (first == a && ++layer < parts->layers)
            backward = parts->backward[layer];
        end = first;
    }
    return end == 0;
}

static void
play(const BenchParallel *bench, const BenchParallelRow *row, const Pieces *pieces, const Line *line, Step *step)
{
    const bool overlapped = strcmp(row->overlap, "naive") != 0 && strcmp(row->overlap, "fused") != 0;
    const StepCase what = {.layers = pieces->count,
                           .forward = bench->parts.forward,
                           .backward = pieces->backward,
                           .bytes = pieces->bytes,
                           .update = bench->parts.update,
                           .all_reduce = {line_seconds, line}};
    if (!step_of_groups(&what, pieces->first, pieces->buckets, overlapped, step))
        step->seconds = step->communication = step->exposed = NAN;
}

/* False: the model does not know the collectives. */
static bool
predict(const BenchParallel *bench, const BenchParallelRow *row, const DataTimeline *timeline, Line *line,
        Pieces *pieces, Step *step)
{
    if (isnan(line_seconds(line, sizeof(float))) || !cut(&bench->parts, timeline, pieces))
        return false;
    play(bench, row, pieces, line, step);
    return true;
}

void
bench_parallel_predict(const BenchParallel *bench, BenchParallelRow *row, const DataTimeline *timeline)
{
    Line line = {bench->comm, row->collectives->name, 1};
    Pieces *pieces = ARRAY(Pieces, 1);
    Step *step = ARRAY(Step, 1);
    const double agree = line_seconds(&line, 2 * sizeof(double)); /* on loss and end, after every step */
    if (predict(bench, row, timeline, &line, pieces, step)) {
        row->predicted = step->seconds + agree;
        const double modelled = step->communication + agree;
        line.scale = modelled > 0 ? bench_parallel_communication(bench, row) / modelled : 1;
        play(bench, row, pieces, &line, step); /* how much of what was measured can be hidden */
        row->hideable = step->communication - step->exposed;
    }
    array_free(pieces);
    array_free(step);
}

/* ---- a picture -------------------------------------------------------------------------------------------------------- */

static void
add_measured(Timeline *measured, const DataTimeline *t)
{
    timeline_add(measured, TIMELINE_FORWARD, t->pass.forward, t->pass.backward, "forward");
    double begin = t->pass.backward;
    for (int l = 0; l < t->layers; l++) {
        timeline_add(measured, TIMELINE_BACKWARD, begin, t->layer[l].ready, "%d", t->layers - l);
        begin = t->layer[l].ready;
    }
    for (int b = 0; b < t->buckets; b++)
        timeline_add(measured, TIMELINE_ALL_REDUCE, t->times[b].begin, t->times[b].end, "%d", b + 1);
    timeline_add(measured, TIMELINE_UPDATE, t->update, t->end, "u");
}

/* Layers are counted as the network has them, buckets as they are sent; pieces are neither. */
static void
add_predicted(Timeline *predicted, const Step *step, int layers)
{
    timeline_add(predicted, TIMELINE_FORWARD, 0, step->forward_end, "forward");
    for (int i = step->layers - 1; i >= 0; i--)
        if (step->backward_end[i] > step->backward_begin[i])
            timeline_add(predicted, TIMELINE_BACKWARD, step->backward_begin[i], step->backward_end[i], "%d", layers--);
    for (int g = 0; g < step->groups; g++)
        timeline_add(predicted, TIMELINE_ALL_REDUCE, step->group[g].begin, step->group[g].end, "%d", g + 1);
    timeline_add(predicted, TIMELINE_UPDATE, step->update_begin, step->seconds, "u");
}

bool
bench_parallel_svg(const BenchParallel *bench, const BenchParallelRow *row, const DataTimeline *timeline, Error *error)
{
    Timeline both[2] = {{.name = "measured"}, {.name = "predicted"}};
    Line line = {bench->comm, row->collectives->name, 1};
    Pieces *pieces = ARRAY(Pieces, 1);
    Step *step = ARRAY(Step, 1);
    char title[BENCH_NET_TEXT + 256], network[BENCH_NET_TEXT];
    const bool known = predict(bench, row, timeline, &line, pieces, step);
    add_measured(&both[0], timeline);
    if (known)
        add_predicted(&both[1], step, timeline->layers);
    snprintf(title, sizeof title, "%s: %s, batch %d on each of %d ranks", row->name,
             bench_net_text(&bench->net, network), bench->batch, bench->comm->size);
    const bool drawn = timeline_svg(both, known ? 2 : 1, title, bench->svg, error);
    timeline_free(&both[0]);
    timeline_free(&both[1]);
    array_free(pieces);
    array_free(step);
    return drawn;
}

#endif
