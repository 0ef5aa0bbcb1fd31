/* Parameter servers, for the command line (server.h says how they work). SPDX-License-Identifier: MIT */
#include "mpi/parallel/server/options.h"
#ifdef HAVE_MPI
#include "mpi/parallel/server/server.h"
#endif

static const ServerOptions defaults = {.servers = 1, .bound = -1};

static const StrategyOption table[] = {
    {{"servers", OPTION_INT, STRATEGY_VALUE(ServerOptions, servers), "N",
      "server, async: ranks that keep the weights and do not train", .min = 1, .max = 1e6}},
    {{"bound", OPTION_INT, STRATEGY_VALUE(ServerOptions, bound), "N",
      "async: steps that the fastest may be ahead of the slowest; -1: any", .min = -1, .max = 1e6},
     .decides = true},
};

static const StrategyOptions options = {
    .size = sizeof(ServerOptions), .defaults = &defaults, .option = table, .count = sizeof(table) / sizeof(table[0])};

static int
idle(const void *values)
{
    return ((const ServerOptions *)values)->servers;
}

static void
describe(const Strategy *strategy, const void *values, FILE *out)
{
    const ServerOptions *o = values;
    fprintf(out, ", %d server%s", o->servers, o->servers == 1 ? "" : "s");
    if (strategy == &strategy_async && o->bound >= 0)
        fprintf(out, ", at most %d steps apart", o->bound);
}

const Strategy strategy_server = {
    .name = "server",
    .idea = "servers keep the weights, add the gradients of all workers, and step",
    .axis = GRID_DATA,
    .fewest = 2,
    .synchronous = true,
    .options = &options,
    .uses = "servers",
    .idle = idle,
    .describe = describe,
#ifdef HAVE_MPI
    .create = server_create,
#endif
};

const Strategy strategy_async = {
    .name = "async",
    .idea = "servers step with each gradient as it comes, however stale",
    .axis = GRID_DATA,
    .fewest = 2,
    .options = &options,
    .uses = "servers bound",
    .idle = idle,
    .describe = describe,
#ifdef HAVE_MPI
    .create = async_create,
#endif
};
