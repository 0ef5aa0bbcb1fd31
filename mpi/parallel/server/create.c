/* Who is a server, who a worker, and what each needs. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/server/internal.h"

Chunk
server_part(const ParameterServer *ps, int s)
{
    const Chunk all = {.count = net_parameter_count(ps->net)};
    const int servers = ps->options.servers;
    return servers == 1 ? all : chunk_of(all.count, servers, s); /* one server has all: not partitioned */
}

const ServerCounts *
server_counts(const Parallel *parallel)
{
    return &((const ParameterServer *)parallel)->counts;
}

static void
free_server(Parallel *parallel)
{
    ParameterServer *ps = (ParameterServer *)parallel;
    optimizer_free(ps->optimizer);
    comm_free(ps->pushes);
    array_free(ps->clock);
    array_free(ps->held);
    array_free(ps->versions);
    array_free(ps->answers);
    array_free(ps);
}

static ParameterServer *
create(const Parallel *base, Net *net, Error *error)
{
    const ServerOptions *options = base->options.own;
    const Comm *comm = base->comm;
    if (options->servers < 1 || options->servers >= comm->size)
        return error_set(error,
                         "of %d ranks %d cannot be parameter servers: it takes at least one, and one worker, so "
                         "--servers is 1 to %d here",
                         comm->size, options->servers, comm->size - 1),
               NULL;
    ParameterServer *ps = ARRAY(ParameterServer, 1);
    const int workers = comm->size - options->servers, worker = comm->rank - options->servers;
    ps->options = *options;
    ps->net = net;
    ps->pushes = comm_create(comm->mpi, 0);
    ps->clock = ARRAY(int64_t, (size_t)workers);
    ps->held = ARRAY(bool, (size_t)workers);
    ps->versions = ARRAY(double, (size_t)options->servers);
    ps->answers = ARRAY(Pending, 2 * (size_t)options->servers);
    ps->parallel = *base;
    ps->parallel.group = (TrainGroup){.context = ps, .part = parallel_part, .synchronise = server_synchronise};
    ps->parallel.workers = workers;
    ps->parallel.worker = worker < 0 ? -1 : worker;
    ps->parallel.free = free_server;
    ps->parallel.report = server_report;
    return ps;
}

Parallel *
server_create(const Parallel *base, Net *net, Error *error)
{
    ParameterServer *ps = create(base, net, error);
    if (ps == NULL)
        return NULL;
    ps->parallel.group.learn = learn_in_step;
    ps->parallel.group.in_step = true;
    return &ps->parallel;
}

Parallel *
async_create(const Parallel *base, Net *net, Error *error)
{
    ParameterServer *ps = create(base, net, error);
    if (ps == NULL)
        return NULL;
    ps->asynchronous = true;
    ps->parallel.group.learn = learn_as_they_come;
    return &ps->parallel;
}
