/* See lab_07_step.h. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_07_step.h"
#include "grade_ranks.h"
#include "lab_07_nets.h"
#include "mpi/parallel/strategy.h"
#include <math.h>
#include <stdio.h>

enum { OVERLAPS = 3 };
static const char *const overlaps[OVERLAPS] = {"naive", "fused", "wfbp"};
static const int buckets[OVERLAPS] = {2 * LAB_07_LAYERS, 1, LAB_07_LAYERS};

/* An all-reduce that is counted: one thread at a time calls it. */
static struct {
    int calls;
    size_t gradients;
} counted;

static void
count(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    counted.calls++;
    counted.gradients += type == ELEMENT_FLOAT ? n : 0;
    lab_07_collectives()->all_reduce(comm, x, y, n, type, op);
}

static void
begin(Lab07Ranks *ranks, Comm *comm, const char *overlap)
{
    static Collectives counting;
    counting = *lab_07_collectives();
    counting.all_reduce = count;
    const ParallelOptions options = {
        .strategy = "data", .own = &(DataOptions){.overlap = overlap}, .collectives = &counting, .straggler = -1};
    lab_07_begin(ranks, comm, OPTIMIZER_SGD, &options);
}

bool
lab_07_same_as_one_process(Comm *comm)
{
    for (int o = 0; o < OVERLAPS; o++) {
        char wrong[256] = "", what[64];
        Lab07Ranks ranks;
        begin(&ranks, comm, overlaps[o]);
        for (int s = 0; s < LAB_07_STEPS; s++) {
            lab_07_learn(&ranks, s, false);
            const Lab07Serial serial = lab_07_one_process(OPTIMIZER_SGD, s + 1);
            snprintf(what, sizeof(what), "--overlap %s: after step %d", overlaps[o], s);
            lab_07_compare(&ranks, &serial, what, wrong);
        }
        lab_07_end(&ranks);
        if (!grade_agree(comm, wrong))
            return false;
    }
    return true;
}

bool
lab_07_loss_and_stop(Comm *comm)
{
    char wrong[256] = "";
    Lab07Ranks ranks;
    begin(&ranks, comm, "wfbp");
    const Lab07Serial serial = lab_07_one_process(OPTIMIZER_SGD, LAB_07_STEPS);
    for (int s = 0; s < LAB_07_STEPS; s++) {
        const bool last = s == LAB_07_STEPS - 1;
        const TrainStep step = lab_07_learn(&ranks, s, last && comm->rank == comm->size - 1);
        if (wrong[0] != '\0')
            continue;
        if (!(fabs(step.loss - serial.loss[s]) <= 1e-5))
            snprintf(wrong, sizeof(wrong), "step %d: step->loss is %g, want %g, the mean over the whole batch", s,
                     step.loss, serial.loss[s]);
        else if (step.stop != last)
            snprintf(wrong, sizeof(wrong), "step %d: step->stop is %s, although %s", s, step.stop ? "true" : "false",
                     last ? "the last rank was asked to stop" : "nobody was asked to");
    }
    lab_07_end(&ranks);
    return grade_agree(comm, wrong);
}

bool
lab_07_all_reduces(Comm *comm)
{
    char wrong[256] = "";
    for (int o = 0; o < OVERLAPS; o++) {
        Lab07Ranks ranks;
        begin(&ranks, comm, overlaps[o]);
        counted.calls = 0;
        counted.gradients = 0;
        lab_07_learn(&ranks, 0, false);
        const size_t n = net_parameter_count(ranks.net);
        if (wrong[0] == '\0' && (counted.calls != buckets[o] + 1 || counted.gradients != n))
            snprintf(wrong, sizeof(wrong),
                     "--overlap %s: a step has %d all-reduces, want %d for the buckets and one for the loss; "
                     "they add %zu gradients, want %zu",
                     overlaps[o], counted.calls, buckets[o], counted.gradients, n);
        lab_07_end(&ranks);
    }
    return grade_agree(comm, wrong);
}

#endif
