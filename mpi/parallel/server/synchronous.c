/* The synchronous parameter server (server.h): the same step as one process's. SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/workspace.h"
#include "mpi/parallel/server/internal.h"
#include <math.h>

/* EXERCISE 07.4  A parameter server's step (20 min, about 12 lines)
 * Take a push from every worker, in the order 0, 1, 2, .. and not in that of their coming: the sum then has the same bits
 * whoever was fast. take_push(ps, worker, gradient) waits for one and puts its gradient, of my_part(ps).count floats, where it
 * is told. The sum stands in the net's gradients, from my_part(ps).first on: a server computes none of its own. What comes in
 * needs a place of its own; workspace(bytes) has one, and combine() adds (mpi/element.h). Gradients have their share of the
 * batch already: nothing is divided. Then move the weights once, by server_update() with the step's rate, and answer_push() to
 * every worker. */
static void
serve_all(ParameterServer *ps, Trainer *trainer, const TrainStep *step)
{
    /* BEGIN SOLUTION 07.4 */
    const Chunk part = my_part(ps);
    float *sum = net_gradients(ps->net) + part.first; /* a server computes no gradient of its own */
    float *incoming = workspace(part.count * sizeof(float));
    for (int worker = 0; worker < ps->parallel.workers; worker++) {
        const Push push = take_push(ps, worker, worker == 0 ? sum : incoming);
        CHECK_THAT(push.version == ps->version, "worker %d has version %lld, not %lld", worker, (long long)push.version,
                   (long long)ps->version);
        if (worker > 0)
            combine(REDUCTION_SUM, ELEMENT_FLOAT, part.count, sum, incoming, sum);
    }
    server_update(ps, trainer, sum, step->rate);
    for (int worker = 0; worker < ps->parallel.workers; worker++)
        answer_push(ps, worker);
    /* END SOLUTION */
}

/* The loss of a server: nothing, but NaN if its weights are not finite any more. Ranks that do not see this slice end with it. */
static double
loss_of_part(ParameterServer *ps)
{
    const Chunk part = my_part(ps);
    return net_backend(ps->net)->all_finite(part.count, net_parameters(ps->net) + part.first) ? 0 : NAN;
}

void
learn_in_step(void *context, Trainer *trainer, TrainStep *step)
{
    ParameterServer *ps = context;
    double share;
    server_begin(ps, trainer);
    if (ps->parallel.worker < 0) {
        serve_all(ps, trainer, step);
        share = loss_of_part(ps);
    } else {
        share = parallel_gradient(&ps->parallel, trainer, step);
        push_and_pull(ps, trainer, step->rate, share);
    }
    parallel_agree(&ps->parallel, step, share);
}
