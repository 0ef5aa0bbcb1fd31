/* See lab_07_nets.h. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_07_nets.h"
#include "core/checked_mpi.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include <math.h>
#include <stdio.h>

enum { INPUTS = 7, OUTPUTS = 3, BATCH = 13 };

const Collectives *
lab_07_collectives(void)
{
    static Collectives watched;
    Error error;
    watched = *collectives_named("mpi", &error);
    watched.all_reduce = allreduce_recursive_doubling;
    return &watched;
}

Net *
lab_07_net(uint64_t seed)
{
    Error error;
    Net *net = net_create(cpu_backend("naive", &error), seed);
    int x = net_tanh(net, net_dense(net, net_input(net, 1, 1, INPUTS), 6));
    x = net_tanh(net, net_dense(net, x, 5));
    net_mse_loss(net, net_dense(net, x, OUTPUTS));
    net_build(net);
    return net;
}

int
lab_07_batch_size(int step)
{
    static const int sizes[LAB_07_STEPS] = {BATCH, BATCH, 5, BATCH, 2, 1};
    return sizes[step];
}

Batch
lab_07_rows(int step, int first, int count)
{
    static float inputs[LAB_07_STEPS][BATCH * INPUTS], targets[LAB_07_STEPS][BATCH * OUTPUTS];
    rng_fill_normal(3, (uint64_t)step, 0, inputs[step], BATCH * INPUTS, 0, 1);
    rng_fill_normal(4, (uint64_t)step, 0, targets[step], BATCH * OUTPUTS, 0, 1);
    return (Batch){.size = count,
                   .x = inputs[step] + first * INPUTS,
                   .targets = targets[step] + first * OUTPUTS,
                   .step = (uint64_t)step,
                   .first_sample = (uint64_t)first};
}

Lab07Serial
lab_07_one_process(OptimizerKind kind, int steps)
{
    Lab07Serial serial = {.loss = {0}};
    Net *net = lab_07_net(1);
    Run *run = run_create(net, &(RunOptions){.max_batch = BATCH});
    const size_t n = net_parameter_count(net);
    Optimizer *optimizer = optimizer_create(net_backend(net), kind, optimizer_defaults(), n);
    for (int s = 0; s < steps; s++) {
        const Batch batch = lab_07_rows(s, 0, lab_07_batch_size(s));
        serial.loss[s] = run_forward(run, &batch);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(optimizer, net_parameters(net), net_gradients(net), LAB_07_RATE);
    }
    memcpy(serial.parameters, net_parameters(net), n * sizeof(float));
    optimizer_free(optimizer);
    run_free(run);
    net_free(net);
    return serial;
}

void
lab_07_begin(Lab07Ranks *ranks, Comm *comm, OptimizerKind optimizer, const ParallelOptions *options)
{
    Error error = {""};
    ranks->net = lab_07_net((uint64_t)comm->rank + 1);
    ranks->trainer = (Trainer){.net = ranks->net,
                               .run = run_create(ranks->net, &(RunOptions){.max_batch = BATCH}),
                               .options = {.micro_batches = 1}};
    ranks->trainer.optimizer =
        optimizer_create(net_backend(ranks->net), optimizer, optimizer_defaults(), net_parameter_count(ranks->net));
    ranks->parallel = parallel_create(comm, &ranks->trainer, options, &error);
    CHECK_THAT(ranks->parallel != NULL, "%s", error.text);
}

void
lab_07_end(Lab07Ranks *ranks)
{
    parallel_free(ranks->parallel);
    optimizer_free(ranks->trainer.optimizer);
    run_free(ranks->trainer.run);
    net_free(ranks->net);
}

TrainStep
lab_07_learn(Lab07Ranks *ranks, int s, bool stop)
{
    const int p = ranks->parallel->workers, r = ranks->parallel->worker, all = lab_07_batch_size(s);
    const int first = all / p * r + (r < all % p ? r : all % p), mine = all / p + (r < all % p);
    TrainStep step = {.batch = r < 0 ? lab_07_rows(s, 0, 0) : lab_07_rows(s, first, mine),
                      .whole = all,
                      .rate = LAB_07_RATE,
                      .loss = NAN,
                      .stop = stop};
    ranks->trainer.group->learn(ranks->trainer.group->context, &ranks->trainer, &step);
    return step;
}

void
lab_07_compare(const Lab07Ranks *ranks, const Lab07Serial *serial, const char *what, char wrong[256])
{
    const size_t n = net_parameter_count(ranks->net);
    const float *got = net_parameters(ranks->net);
    float first[LAB_07_PARAMETERS_MOST];
    memcpy(first, got, n * sizeof(float));
    CHECK_MPI(MPI_Bcast(first, (int)n, MPI_FLOAT, 0, ranks->parallel->comm->mpi));
    for (size_t i = 0; i < n && wrong[0] == '\0'; i++)
        if (!(fabsf(got[i] - serial->parameters[i]) <= 1e-5F))
            snprintf(wrong, 256, "%s: parameter %zu is %.7g, but %.7g in one process", what, i, (double)got[i],
                     (double)serial->parameters[i]);
    if (wrong[0] == '\0' && memcmp(first, got, n * sizeof(float)) != 0)
        snprintf(wrong, 256, "%s: the parameters are not those of rank 0", what);
}

#endif
