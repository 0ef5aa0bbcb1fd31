/* SPDX-License-Identifier: MIT */
#include "mpi/model/merge.h"
#include "core/checked.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double
line_seconds(const void *context, double bytes)
{
    const AllReduceLine *line = context;
    return line->a + line->b * bytes;
}

AllReduceTime
all_reduce_line(const AllReduceLine *line)
{
    return (AllReduceTime){line_seconds, line};
}

static double
all_reduce_seconds(const StepCase *what, double bytes)
{
    return bytes > 0 ? what->all_reduce.seconds(what->all_reduce.context, bytes) : 0;
}

/* Forward and backward, which are the same whatever is sent when. */
static void
step_compute(const StepCase *what, Step *step)
{
    CHECK_THAT(what->layers >= 1 && what->layers <= STEP_LAYERS, "1 to %d layers can be planned, not %d", STEP_LAYERS,
               what->layers);
    double now = what->forward;
    step->layers = what->layers;
    step->forward_end = now;
    for (int l = what->layers; l >= 1; l--) {
        step->backward_begin[l - 1] = now;
        step->backward_end[l - 1] = now += what->backward[l - 1];
    }
    step->groups = 0;
    step->communication = 0;
}

/* When all that has been added so far is sent. */
static double
step_sent(const Step *step)
{
    return step->groups > 0 ? step->group[step->groups - 1].end : 0;
}

/* The next group in the order of sending: down to layer `first`, not before `earliest`. */
static void
step_add(const StepCase *what, Step *step, int first, double earliest)
{
    StepGroup group = {.first = first,
                       .last = step->groups > 0 ? step->group[step->groups - 1].first - 1 : what->layers,
                       .ready = step->backward_end[first - 1]};
    for (int l = group.last; l >= first; l--)
        group.bytes += what->bytes[l - 1];
    const double seconds = all_reduce_seconds(what, group.bytes);
    group.begin = fmax(fmax(step_sent(step), group.ready), earliest);
    group.end = group.begin + seconds;
    step->group[step->groups++] = group;
    step->communication += seconds;
}

/* All groups are there. The last holds layer 1, so that nothing is sent before backward has ended. */
static void
step_finish(const StepCase *what, Step *step)
{
    step->update_begin = step_sent(step);
    step->seconds = step->update_begin + what->update;
    step->exposed = step->update_begin - step->backward_end[0];
}

bool
step_of_groups(const StepCase *what, const int *first, int groups, bool overlapped, Step *step)
{
    int above = what->layers + 1;
    for (int g = 0; g < groups; above = first[g++])
        if (first[g] >= above || first[g] < 1)
            return false;
    if (above != 1)
        return false;
    step_compute(what, step);
    for (int g = 0; g < groups; g++)
        step_add(what, step, first[g], overlapped ? 0 : step->backward_end[0]);
    step_finish(what, step);
    return true;
}

static void
step_one_by_one(const StepCase *what, bool overlapped, Step *step)
{
    step_compute(what, step);
    for (int l = what->layers; l >= 1; l--)
        step_add(what, step, l, overlapped ? 0 : step->backward_end[0]);
    step_finish(what, step);
}

void
step_naive(const StepCase *what, Step *step)
{
    step_one_by_one(what, false, step);
}

void
step_wfbp(const StepCase *what, Step *step)
{
    step_one_by_one(what, true, step);
}

void
step_fused(const StepCase *what, Step *step)
{
    step_compute(what, step);
    step_add(what, step, 1, 0);
    step_finish(what, step);
}

void
step_buckets(const StepCase *what, double first_bucket, double bucket, Step *step)
{
    step_compute(what, step);
    double bytes = 0;
    for (int l = what->layers; l >= 1; l--) {
        bytes += what->bytes[l - 1];
        if (l > 1 && bytes < (step->groups == 0 ? first_bucket : bucket))
            continue;
        step_add(what, step, l, 0);
        bytes = 0;
    }
    step_finish(what, step);
}

/* Whether layer l - 1 should join the group that has `bytes` so far, down to layer l. */
static bool
greedy_joins(const StepCase *what, const Step *step, int l, double bytes)
{
    const double more = what->bytes[l - 2], ready = step->backward_end[l - 2];
    const double begin = fmax(step_sent(step), step->backward_end[l - 1]), alone = all_reduce_seconds(what, bytes);
    const double saved = alone + all_reduce_seconds(what, more) - all_reduce_seconds(what, bytes + more);
    return ready < begin + alone && (begin > ready || ready - begin < saved);
}

void
merge_greedy(const StepCase *what, Step *step)
{
    step_compute(what, step);
    double bytes = 0;
    for (int l = what->layers; l >= 1; l--) {
        bytes += what->bytes[l - 1];
        if (l > 1 && greedy_joins(what, step, l, bytes))
            continue;
        step_add(what, step, l, 0);
        bytes = 0;
    }
    step_finish(what, step);
}

void
merge_optimal(const StepCase *what, Step *step)
{
    double sent[STEP_LAYERS + 1]; /* f(j) */
    int before[STEP_LAYERS + 1];  /* the i of its minimum */
    const int L = what->layers;
    step_compute(what, step);
    sent[0] = 0;
    for (int j = 1; j <= L; j++) { /* the j-th to be ready is layer L + 1 - j */
        const double ready = step->backward_end[L - j];
        double bytes = 0;
        sent[j] = DBL_MAX;
        for (int i = j - 1; i >= 0; i--) {
            bytes += what->bytes[L - 1 - i];
            const double end = fmax(sent[i], ready) + all_reduce_seconds(what, bytes);
            if (end <= sent[j]) {
                sent[j] = end;
                before[j] = i;
            }
        }
    }
    int first[STEP_LAYERS], groups = 0;
    for (int j = L; j > 0; j = before[j]) /* the last group is found first */
        first[STEP_LAYERS - ++groups] = L + 1 - j;
    for (int g = 0; g < groups; g++)
        step_add(what, step, first[STEP_LAYERS - groups + g], 0);
    step_finish(what, step);
}

const char *const step_modes[STEP_MODES] = {"naive", "fused", "wfbp", "ddp", "greedy", "optimal"};

bool
step_of_mode(const char *mode, const StepCase *what, double first_bucket, double bucket, Step *step)
{
    static void (*const rules[STEP_MODES])(const StepCase *, Step *) = {step_naive, step_fused,   step_wfbp,
                                                                        NULL,       merge_greedy, merge_optimal};
    for (int m = 0; m < STEP_MODES; m++)
        if (strcmp(mode, step_modes[m]) == 0) {
            if (rules[m] == NULL)
                step_buckets(what, first_bucket, bucket, step);
            else
                rules[m](what, step);
            return true;
        }
    return false;
}
