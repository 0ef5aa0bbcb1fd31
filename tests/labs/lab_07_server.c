/* See lab_07_server.h. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_07_server.h"
#include "grade_ranks.h"
#include "lab_07_nets.h"
#include "mpi/parallel/server/internal.h"
#include "mpi/point.h"
#include <stdio.h>
#include <time.h>

static void
begin(Lab07Ranks *ranks, Comm *comm, OptimizerKind optimizer)
{
    const ParallelOptions options = {.strategy = "server", .collectives = lab_07_collectives(), .straggler = -1};
    lab_07_begin(ranks, comm, optimizer, &options);
}

static bool
same(Comm *comm, OptimizerKind optimizer, const char *name)
{
    char wrong[256] = "", what[64];
    Lab07Ranks ranks;
    begin(&ranks, comm, optimizer);
    for (int s = 0; s < LAB_07_STEPS; s++) {
        lab_07_learn(&ranks, s, false);
        const Lab07Serial serial = lab_07_one_process(optimizer, s + 1);
        snprintf(what, sizeof(what), "%s, after step %d", name, s);
        lab_07_compare(&ranks, &serial, what, wrong);
    }
    lab_07_end(&ranks);
    return grade_agree(comm, wrong);
}

bool
lab_07_server_same(Comm *comm)
{
    return same(comm, OPTIMIZER_SGD, "plain SGD");
}

bool
lab_07_server_update(Comm *comm)
{
    return same(comm, OPTIMIZER_MOMENTUM, "momentum");
}

/* Workers' gradients whose sum tells in which order they were added: in floats 2^25 + 1 is 2^25. */
static float
gradient_of(int worker, size_t i)
{
    static const float values[] = {33554432, 1, -33554432, 3, 1, -1, 5};
    return values[worker] * (float)(i % 2 + 1);
}

/* The workers come to their push from the last to the first: each waits until the one behind it has come, and some time more. */
static void
wait_for_turn(Comm *comm, int worker, int workers)
{
    char token = 0;
    if (worker < workers - 1) {
        point_receive(comm, comm->rank + 1, &token, 1, ELEMENT_BYTE);
        nanosleep(&(struct timespec){0, 20000000L}, NULL);
    }
    if (worker > 0)
        point_send(comm, comm->rank - 1, &token, 1, ELEMENT_BYTE);
}

/* The workers push by themselves, the first of them last. */
bool
lab_07_server_order(Comm *comm)
{
    char wrong[256] = "";
    Lab07Ranks ranks;
    begin(&ranks, comm, OPTIMIZER_SGD);
    ParameterServer *ps = ranks.trainer.group->context;
    const size_t n = net_parameter_count(ranks.net);
    memset(net_parameters(ranks.net), 0, n * sizeof(float));
    TrainStep step = {.batch = lab_07_rows(0, 0, 0), .whole = lab_07_batch_size(0), .rate = 1};
    const int worker = ranks.parallel->worker, workers = ranks.parallel->workers;
    if (worker < 0) {
        ranks.trainer.group->learn(ps, &ranks.trainer, &step);
    } else {
        server_begin(ps, &ranks.trainer);
        for (size_t i = 0; i < n; i++)
            net_gradients(ranks.net)[i] = gradient_of(worker, i);
        wait_for_turn(comm, worker, workers);
        push_and_pull(ps, &ranks.trainer, step.rate, 0);
        parallel_agree(ranks.parallel, &step, 0);
    }
    for (size_t i = 0; i < n && wrong[0] == '\0'; i++) {
        float sum = gradient_of(0, i);
        for (int w = 1; w < workers; w++)
            sum += gradient_of(w, i);
        const float got = net_parameters(ranks.net)[i];
        if (!(got == -sum))
            snprintf(wrong, sizeof(wrong),
                     "parameter %zu is %g, want %g: worker 0's gradient, plus worker 1's, plus worker 2's, ..", i,
                     (double)got, (double)-sum);
    }
    lab_07_end(&ranks);
    return grade_agree(comm, wrong);
}

#endif
