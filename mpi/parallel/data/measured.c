/* A plan from measured times (overlap.h): how long each layer's backward takes, and how long an all-reduce.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/clock.h"
#include "core/stats.h"
#include "mpi/model/merge.h"
#include "mpi/parallel/data/overlap.h"

/* The median of a few, and of all ranks the slowest. The ranks begin together: otherwise the first would measure how late the
 * others are. */
static double
all_reduce_seconds(Comm *comm, const Collectives *collectives, float *x, size_t n)
{
    enum { TIMES = 5 };
    double seconds[TIMES];
    for (int i = 0; i < TIMES; i++) {
        collectives->barrier(comm);
        const double start = clock_now();
        collectives->all_reduce(comm, x, x, n, ELEMENT_FLOAT, REDUCTION_SUM);
        seconds[i] = clock_now() - start;
    }
    double slowest = stats_median(seconds, TIMES);
    collectives->all_reduce(comm, &slowest, &slowest, 1, ELEMENT_DOUBLE, REDUCTION_MAX);
    return slowest > 1e-9 ? slowest : 1e-9; /* one rank alone: nothing to do */
}

/* From a few bytes to all of them, each four times as long as the one before. */
static Curve
measure_all_reduce(Comm *comm, const Collectives *collectives, float *x, size_t n)
{
    enum { MOST = 40, FEWEST_FLOATS = 64 };
    double bytes[MOST], seconds[MOST];
    int count = 0;
    size_t length = n < 2 * FEWEST_FLOATS ? 1 : FEWEST_FLOATS;
    for (;; length = 4 * length < n ? 4 * length : n) {
        bytes[count] = (double)(length * sizeof(float));
        seconds[count++] = all_reduce_seconds(comm, collectives, x, length);
        if (length == n)
            break;
    }
    if (count == 1)
        return (Curve){.pieces = 1, .piece = {{.alpha = seconds[0]}}};
    return curve_fit(bytes, seconds, count);
}

Measured *
measured_create(Comm *comm, const Collectives *collectives, const BucketTensors *tensors, float *room)
{
    Measured *measured = ARRAY(Measured, 1);
    measured->layers = tensors->layers;
    measured->seconds = ARRAY(double, TRIAL_STEPS *(size_t)tensors->layers);
    measured->bytes = ARRAY(double, (size_t)tensors->layers);
    size_t n = 0;
    for (int t = 0; t < tensors->count; t++) {
        measured->bytes[tensors->tensor[t].layer] += (double)(tensors->tensor[t].count * sizeof(float));
        n += tensors->tensor[t].count;
    }
    memset(room, 0, n * sizeof(float));
    measured->all_reduce = measure_all_reduce(comm, collectives, room, n);
    return measured;
}

void
measured_free(Measured *measured)
{
    if (measured == NULL)
        return;
    array_free(measured->seconds);
    array_free(measured->bytes);
    array_free(measured);
}

void
measured_add(Measured *measured, double step, const double *seconds)
{
    const size_t layers = (size_t)measured->layers;
    const int trial = measured->steps / TRIAL_STEPS, i = measured->steps % TRIAL_STEPS;
    if (trial == TRIAL_WFBP)
        memcpy(measured->seconds + (size_t)i * layers, seconds, layers * sizeof(double));
    measured->step[trial][i] = step;
    measured->steps++;
}

Trial
measured_best(const Measured *measured, Comm *comm, const Collectives *collectives)
{
    double seconds[TRIALS];
    for (int t = 0; t < TRIALS; t++) {
        double counted[TRIAL_STEPS - 1];
        memcpy(counted, &measured->step[t][1], sizeof(counted));
        seconds[t] = stats_median(counted, TRIAL_STEPS - 1);
    }
    collectives->all_reduce(comm, seconds, seconds, TRIALS, ELEMENT_DOUBLE, REDUCTION_MAX);
    Trial best = TRIAL_PLANNED;
    for (int t = 0; t < TRIALS; t++)
        if (seconds[t] < seconds[best])
            best = (Trial)t;
    return best;
}

/* Of each layer, without the first step: the median here, then the most of all ranks, because a sum begins with the slowest. */
static void
agree_on_seconds(const Measured *measured, Comm *comm, const Collectives *collectives, double *seconds)
{
    enum { COUNTED = TRIAL_STEPS - 1 };
    for (int l = 0; l < measured->layers; l++) {
        double steps[COUNTED];
        for (int s = 0; s < COUNTED; s++)
            steps[s] = measured->seconds[(s + 1) * measured->layers + l];
        seconds[l] = stats_median(steps, COUNTED);
    }
    collectives->all_reduce(comm, seconds, seconds, (size_t)measured->layers, ELEMENT_DOUBLE, REDUCTION_MAX);
}

static double
curve_time(const void *context, double bytes)
{
    return curve_seconds(context, bytes);
}

/* The model numbers layers as the network does, the first one is layer 1; the list of tensors begins with the last. */
static void
choose_groups(const Measured *measured, OverlapKind kind, const double *seconds, int32_t *group)
{
    const int layers = measured->layers;
    double *backward = ARRAY(double, (size_t)layers), *bytes = ARRAY(double, (size_t)layers);
    for (int l = 0; l < layers; l++) {
        backward[layers - 1 - l] = seconds[l];
        bytes[layers - 1 - l] = measured->bytes[l];
    }
    const StepCase what = {.layers = layers,
                           .backward = backward,
                           .bytes = bytes,
                           .all_reduce = {.seconds = curve_time, .context = &measured->all_reduce}};
    Step *step = ARRAY(Step, 1);
    (kind == OVERLAP_GREEDY ? merge_greedy : merge_optimal)(&what, step);
    for (int g = 0; g < step->groups; g++)
        for (int l = step->group[g].first; l <= step->group[g].last; l++)
            group[layers - l] = g;
    array_free(step);
    array_free(backward);
    array_free(bytes);
}

/* Rank 0 chooses for all: the last bit of a time could give another one another plan. */
Buckets
measured_plan(const Measured *measured, OverlapKind kind, Comm *comm, const Collectives *collectives,
              const BucketTensors *tensors)
{
    const size_t layers = (size_t)measured->layers;
    double *seconds = ARRAY(double, layers);
    int32_t *group = ARRAY(int32_t, layers);
    agree_on_seconds(measured, comm, collectives, seconds);
    if (comm->rank == 0)
        choose_groups(measured, kind, seconds, group);
    collectives->broadcast(comm, group, layers, ELEMENT_INT32, 0);
    const Buckets plan = buckets_by_group(tensors, group);
    array_free(seconds);
    array_free(group);
    return plan;
}
