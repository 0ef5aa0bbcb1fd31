/* The messages between workers and servers.
 *
 *     worker w                                   server s
 *       version, rate, loss      ------------>     take_push       3 doubles
 *       gradient of slice s      ------------>                     n / servers floats
 *                                                  .. its step ..
 *       version                  <------------     answer_push     1 double
 *       weights of slice s       <------------                     n / servers floats
 *
 * A worker expects a server's answer before it pushes. So an answer never waits for its worker, which may still be pushing to
 * another server: two servers and two workers would else wait for each other in a ring.
 * SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "mpi/parallel/server/internal.h"

enum { TICKET = 3 };

static int
rank_of(const ParameterServer *ps, int worker)
{
    return ps->options.servers + worker;
}

/* Both directions together: a push of this number of parameters and its answer. */
static void
count_bytes(ParameterServer *ps, size_t parameters)
{
    ps->counts.bytes += (int64_t)(2 * parameters * sizeof(float) + (TICKET + 1) * sizeof(double));
}

void
push_and_pull(ParameterServer *ps, Trainer *trainer, double rate, double loss)
{
    const float *gradient = net_gradients(ps->net);
    float *weights = net_parameters(ps->net);
    const int servers = ps->options.servers;
    const double start = clock_now();
    for (int s = 0; s < servers; s++) {
        const double ticket[TICKET] = {ps->versions[s], rate, loss};
        const Chunk part = server_part(ps, s);
        point_begin_receive(ps->pushes, s, &ps->versions[s], 1, ELEMENT_DOUBLE, &ps->answers[2 * s]);
        point_begin_receive(ps->pushes, s, weights + part.first, part.count, ELEMENT_FLOAT, &ps->answers[2 * s + 1]);
        point_send(ps->pushes, s, ticket, TICKET, ELEMENT_DOUBLE);
        point_send(ps->pushes, s, gradient + part.first, part.count, ELEMENT_FLOAT);
        count_bytes(ps, part.count);
    }
    for (int i = 0; i < 2 * servers; i++)
        point_wait(&ps->answers[i]);
    ps->counts.pushes++;
    ps->counts.waited += clock_now() - start;
    train_record(trainer, "push and pull", start);
}

Push
take_push(ParameterServer *ps, int worker, float *gradient)
{
    double ticket[TICKET];
    const double start = clock_now();
    int from = rank_of(ps, worker);
    if (worker == ANY_WORKER)
        from = point_receive_any(ps->pushes, ticket, TICKET, ELEMENT_DOUBLE);
    else
        point_receive(ps->pushes, from, ticket, TICKET, ELEMENT_DOUBLE);
    ps->counts.waited += clock_now() - start;
    point_receive(ps->pushes, from, gradient, my_part(ps).count, ELEMENT_FLOAT);
    ps->counts.pushes++;
    count_bytes(ps, my_part(ps).count);
    return (Push){.worker = from - rank_of(ps, 0), .version = (int64_t)ticket[0], .rate = ticket[1], .loss = ticket[2]};
}

void
answer_push(ParameterServer *ps, int worker)
{
    const double version = (double)ps->version;
    const Chunk part = my_part(ps);
    point_send(ps->pushes, rank_of(ps, worker), &version, 1, ELEMENT_DOUBLE);
    point_send(ps->pushes, rank_of(ps, worker), net_parameters(ps->net) + part.first, part.count, ELEMENT_FLOAT);
}
