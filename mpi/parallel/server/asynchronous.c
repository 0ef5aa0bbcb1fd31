/* The asynchronous parameter server (server.h): a step with each gradient as it comes. SPDX-License-Identifier: MIT */
#include "mpi/parallel/server/internal.h"

static int64_t
slowest(const ParameterServer *ps)
{
    int64_t least = ps->clock[0];
    for (int worker = 1; worker < ps->parallel.workers; worker++)
        least = ps->clock[worker] < least ? ps->clock[worker] : least;
    return least;
}

static void
count_push(ParameterServer *ps, const Push *push)
{
    ServerCounts *counts = &ps->counts;
    const int64_t stale = ps->version - push->version, ahead = ps->clock[push->worker] - slowest(ps);
    counts->staleness[stale < STALENESS_KEPT ? stale : STALENESS_KEPT - 1]++;
    counts->most_stale = stale > counts->most_stale ? stale : counts->most_stale;
    counts->most_ahead = ahead > counts->most_ahead ? ahead : counts->most_ahead;
}

/* The slowest worker is never held, so at least one always moves on; and as all push equally often in an epoch, none is held
 * after its last push. */
static void
answer_who_may_go(ParameterServer *ps)
{
    const int bound = ps->options.bound;
    const int64_t furthest = slowest(ps) + bound;
    for (int worker = 0; worker < ps->parallel.workers; worker++)
        if (ps->held[worker] && (bound < 0 || ps->clock[worker] <= furthest)) {
            ps->held[worker] = false;
            answer_push(ps, worker);
        }
}

/* Returns the worker's contribution to the loss. */
static double
serve_one(ParameterServer *ps, Trainer *trainer)
{
    float *gradient = net_gradients(ps->net) + my_part(ps).first; /* a server computes none of its own */
    const Push push = take_push(ps, ANY_WORKER, gradient);
    count_push(ps, &push);
    if (push.rate > 0)
        server_update(ps, trainer, gradient, push.rate);
    ps->clock[push.worker]++;
    ps->held[push.worker] = true;
    answer_who_may_go(ps);
    return push.loss;
}

/* A worker's step. The gradient is of its own samples alone: their fraction of the global batch is in the rate. */
static double
work(ParameterServer *ps, Trainer *trainer, const TrainStep *step)
{
    TrainStep part = *step;
    part.whole = part.batch.size > 0 ? part.batch.size : 1;
    const double loss = parallel_gradient(&ps->parallel, trainer, &part);
    const double share = (double)step->batch.size / step->whole;
    push_and_pull(ps, trainer, step->rate * share, loss * share);
    ps->losses += loss * step->batch.size;
    return loss;
}

/* In each step of an epoch a server receives one push per worker in total: so every push is received, but no step of a server
 * belongs to a step of a worker. */
void
learn_as_they_come(void *context, Trainer *trainer, TrainStep *step)
{
    ParameterServer *ps = context;
    server_begin(ps, trainer);
    ps->stop = ps->stop || step->stop;
    step->stop = false; /* when the ranks synchronise */
    step->loss = 0;
    if (ps->parallel.worker >= 0)
        step->loss = work(ps, trainer, step);
    else
        for (int i = 0; i < ps->parallel.workers; i++)
            step->loss += serve_one(ps, trainer);
}
