/* Steps of data-parallel training that are wrong: the checker of tests/mpi/data_case.h must reject each.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_DATA_PARALLEL_H
#define TESTS_WRONG_DATA_PARALLEL_H

#include "mpi/parallel/parallel.h"

/* A step as it should be, but with this factor before the gradients, and with sums of all but the last `missing` of them. */
static void
wrong_step(Parallel *parallel, Trainer *trainer, TrainStep *step, double scale, size_t missing)
{
    Net *net = trainer->net;
    Run *run = trainer->run;
    const Collectives *collectives = parallel->options.collectives;
    double share = 0;
    if (step->batch.size > 0) {
        share = run_forward(run, &step->batch) * step->batch.size / step->whole;
        run_backward(run, (float)scale, RUN_ONLY);
    } else {
        run_without_samples(run, RUN_ONLY);
    }
    float *gradients = net_gradients(net);
    const size_t n = net_parameter_count(net) - missing;
    collectives->all_reduce(parallel->comm, gradients, gradients, n, ELEMENT_FLOAT, REDUCTION_SUM);
    parallel_agree(parallel, step, share);
    optimizer_step(trainer->optimizer, net_parameters(net), gradients, step->rate);
}

static inline double
right_scale(const TrainStep *step)
{
    return (double)step->batch.size / step->whole;
}

/* What is right, to know that the others fail for what is wrong in them. */
static void
right_step(void *context, Trainer *trainer, TrainStep *step)
{
    wrong_step(context, trainer, step, right_scale(step), 0);
}

/* As if all slices were of one size. */
static void
wrong_mean_of_means(void *context, Trainer *trainer, TrainStep *step)
{
    const Parallel *parallel = context;
    wrong_step(context, trainer, step, 1.0 / parallel->workers, 0);
}

/* Algorithm 1 of arXiv:2006.15704 as it is printed: it never divides by the number of ranks. */
static void
wrong_sum_of_means(void *context, Trainer *trainer, TrainStep *step)
{
    wrong_step(context, trainer, step, 1, 0);
}

/* The last tensor, a bias of ten classes, is not added. */
static void
wrong_missing_bucket(void *context, Trainer *trainer, TrainStep *step)
{
    wrong_step(context, trainer, step, right_scale(step), 10);
}

static void
wrong_no_sum(void *context, Trainer *trainer, TrainStep *step)
{
    wrong_step(context, trainer, step, right_scale(step), net_parameter_count(trainer->net));
}

/* Weights that are not the same at first. */
static void
wrong_weights(void *context, Trainer *trainer, TrainStep *step)
{
    const Parallel *parallel = context;
    if (step->batch.step == 0 && parallel->comm->rank == parallel->comm->size - 1)
        net_parameters(trainer->net)[0] += 1e-3F;
    wrong_step(context, trainer, step, right_scale(step), 0);
}

typedef struct WrongStep {
    const char *name;
    void (*learn)(void *context, Trainer *trainer, TrainStep *step);
} WrongStep;

static const WrongStep wrong_steps[] = {
    {"mean of means", wrong_mean_of_means},   {"sum of means", wrong_sum_of_means},
    {"missing bucket", wrong_missing_bucket}, {"no sum", wrong_no_sum},
    {"other weights", wrong_weights},
};
enum { WRONG_STEPS = sizeof(wrong_steps) / sizeof(wrong_steps[0]) };

#endif
