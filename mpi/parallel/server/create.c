/* Who is a server, who a worker, and what each needs. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/server/parts.h"

Chunk
server_part(const ParameterServer *ps, int s)
{
    const Chunk all = {.count = net_parameter_count(ps->net)};
    const int servers = ps->parallel.options.servers;
    return servers == 1 ? all : chunk_of(all.count, servers, s); /* one has all: nothing is cut */
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
create(Comm *comm, Net *net, const ParallelOptions *options, Error *error)
{
    if (options->servers < 1 || options->servers >= comm->size)
        return error_set(error,
                         "of %d ranks %d cannot be parameter servers: it takes at least one, and one worker, so "
                         "--servers is 1 to %d here",
                         comm->size, options->servers, comm->size - 1),
               NULL;
    ParameterServer *ps = ARRAY(ParameterServer, 1);
    const int workers = comm->size - options->servers, worker = comm->rank - options->servers;
    ps->net = net;
    ps->pushes = comm_create(comm->mpi, 0);
    ps->clock = ARRAY(int64_t, (size_t)workers);
    ps->held = ARRAY(bool, (size_t)workers);
    ps->versions = ARRAY(double, (size_t)options->servers);
    ps->answers = ARRAY(Pending, 2 * (size_t)options->servers);
    ps->parallel = (Parallel){.comm = comm,
                              .options = *options,
                              .team = {.context = ps, .part = parallel_part, .settle = server_settle},
                              .workers = workers,
                              .worker = worker < 0 ? -1 : worker,
                              .free = free_server,
                              .report = server_report};
    return ps;
}

static Parallel *
create_synchronous(Comm *comm, Net *net, const ParallelOptions *options, Error *error)
{
    ParameterServer *ps = create(comm, net, options, error);
    if (ps == NULL)
        return NULL;
    ps->parallel.kind = &parallel_server;
    ps->parallel.team.learn = learn_in_step;
    ps->parallel.team.in_step = true;
    return &ps->parallel;
}

static Parallel *
create_asynchronous(Comm *comm, Net *net, const ParallelOptions *options, Error *error)
{
    ParameterServer *ps = create(comm, net, options, error);
    if (ps == NULL)
        return NULL;
    ps->asynchronous = true;
    ps->parallel.kind = &parallel_async;
    ps->parallel.team.learn = learn_as_they_come;
    return &ps->parallel;
}

const ParallelKind parallel_server = {
    .name = "server",
    .idea = "servers keep the weights, add the gradients of all workers, and step",
    .fewest = 2,
    .create = create_synchronous,
};

const ParallelKind parallel_async = {
    .name = "async",
    .idea = "servers step with each gradient as it comes, stale as it may be",
    .fewest = 2,
    .create = create_asynchronous,
};
