/* From slices to the complete network on every rank, and back (server.h). SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "mpi/parallel/server/internal.h"
#include <string.h>

/* A server's optimiser goes on where the trainer's is: at the beginning, after a restored checkpoint, after an epoch. In the
 * asynchronous kind it takes a step for each push. */
static void
take_part_of_optimizer(ParameterServer *ps, Trainer *trainer)
{
    const Chunk part = my_part(ps);
    Optimizer *whole = trainer->optimizer;
    if (ps->optimizer == NULL)
        ps->optimizer =
            optimizer_create(net_backend(ps->net), optimizer_kind(whole), optimizer_options(whole), part.count);
    for (int i = 0; i < optimizer_state_count(whole); i++)
        memcpy(optimizer_state(ps->optimizer, i, NULL), optimizer_state(whole, i, NULL) + part.first,
               part.count * sizeof(float));
    const int steps = ps->asynchronous ? ps->parallel.workers : 1;
    optimizer_set_steps(ps->optimizer, optimizer_steps(whole) * (uint64_t)steps);
}

void
server_begin(ParameterServer *ps, Trainer *trainer)
{
    if (ps->begun)
        return;
    ps->begun = true;
    ps->losses = 0;
    ps->losses_before = trainer->position.loss_sum;
    ps->version = 0;
    memset(ps->clock, 0, (size_t)ps->parallel.workers * sizeof(int64_t));
    for (int s = 0; s < ps->options.servers; s++)
        ps->versions[s] = 0;
    if (ps->parallel.worker < 0)
        take_part_of_optimizer(ps, trainer);
}

void
server_update(ParameterServer *ps, Trainer *trainer, const float *gradient, double rate)
{
    const double start = clock_now();
    optimizer_step(ps->optimizer, net_parameters(ps->net) + my_part(ps).first, gradient, rate);
    ps->version++;
    train_record(trainer, "update", start);
}

/* x[parameters]: from each server its slice. */
static void
gather_parts(ParameterServer *ps, float *x)
{
    const Parallel *parallel = &ps->parallel;
    for (int s = 0; s < ps->options.servers; s++) {
        const Chunk part = server_part(ps, s);
        parallel->options.collectives->broadcast(parallel->comm, x + part.first, part.count, ELEMENT_FLOAT, s);
    }
}

static void
gather_optimizer(ParameterServer *ps, Trainer *trainer)
{
    for (int i = 0; i < optimizer_state_count(trainer->optimizer); i++) {
        float *whole = optimizer_state(trainer->optimizer, i, NULL);
        if (ps->parallel.worker < 0)
            memcpy(whole + my_part(ps).first, optimizer_state(ps->optimizer, i, NULL),
                   my_part(ps).count * sizeof(float));
        gather_parts(ps, whole);
    }
    optimizer_set_steps(trainer->optimizer, trainer_steps_done(trainer));
}

void
server_synchronise(void *context, Trainer *trainer)
{
    ParameterServer *ps = context;
    gather_parts(ps, net_parameters(ps->net));
    gather_optimizer(ps, trainer);
    parallel_average(&ps->parallel, ps->net);
    if (ps->asynchronous) {
        double sums[2] = {ps->losses, ps->stop};
        ps->parallel.options.collectives->all_reduce(ps->parallel.comm, sums, sums, 2, ELEMENT_DOUBLE, REDUCTION_SUM);
        trainer->position.loss_sum = ps->losses_before + sums[0];
        trainer->stop = sums[1] > 0;
    }
    ps->begun = false;
}
