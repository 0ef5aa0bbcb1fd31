/* LAB 07, exercise 07.4. This copy of mpi/parallel/server/synchronous.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=07       points for each exercise, and the first wrong value
 *     make hint LAB=07.4      the next hint for an exercise
 *     make watch LAB=07       grade again whenever this file is saved
 *     make reset LAB=07       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/parallel/server/synchronous.c; change it there. */
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
    EXERCISE_NOT_SOLVED("07.4"); /* TODO: about 12 lines */
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
