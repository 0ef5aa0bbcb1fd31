/* The strategies and their options, and queries of these tables (mpi/parallel/strategy.h). It is compiled without MPI, too.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/units.h"
#include "mpi/parallel/pipeline/schedule.h"
#include "mpi/parallel/strategy.h"
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/parallel/data/data.h"
#include "mpi/parallel/gossip/gossip.h"
#include "mpi/parallel/pipeline/pipeline.h"
#include "mpi/parallel/server/server.h"
#define CREATE(function) .create = (function)
#define HOLD(function)   .hold = (function)
#else
#define CREATE(function) .create = NULL
#define HOLD(function)   .hold = NULL
#endif
#define OWN(folder) .own = offsetof(StrategyValues, folder), .size = sizeof(((StrategyValues *)0)->folder)

const Strategy strategies[STRATEGIES] = {
    {"data", "each rank computes the gradient of its part of the batch; an all-reduce adds them", GRID_DATA,
     .fewest = 1, .on_device = true, .synchronous = true, .uses = "overlap bucket first-bucket sync-batchnorm",
     OWN(data), CREATE(data_create)},
    {"server", "servers keep the weights, add the gradients of all workers, and step", GRID_DATA, .fewest = 2,
     .synchronous = true, .uses = "servers", OWN(server), CREATE(server_create)},
    {"async", "servers step with each gradient as it comes, stale as it may be", GRID_DATA, .fewest = 2,
     .uses = "servers bound", OWN(server), CREATE(async_create)},
    {"gossip", "decentralised (D-PSGD): each rank averages its weights with its two neighbours on a ring", GRID_DATA,
     .fewest = 1, .uses = "", OWN(peers), CREATE(gossip_create)},
    {"local", "local SGD: steps of each rank's own, and every few steps the mean of all weights", GRID_DATA,
     .fewest = 1, .uses = "every", OWN(peers), CREATE(local_create)},
    {"easgd", "elastic averaging: springs between each rank's weights and a centre, every few steps", GRID_DATA,
     .fewest = 1, .uses = "every elasticity", OWN(peers), CREATE(easgd_create)},
    {"pipeline", "each rank holds some of the layers; micro-batches pass through all of them", GRID_PIPELINE,
     .fewest = 1, .synchronous = true, .uses = "pipeline stages chunks cut", OWN(pipeline), HOLD(pipeline_hold),
     CREATE(pipeline_strategy_create)},
};

static const char DECIDE[] = "sync-batchnorm bound every elasticity"; /* the result */
static const char BUCKETS[] = "bucket first-bucket";                  /* concern --overlap ddp alone */

void
strategy_options(StrategyValues *v, Option table[STRATEGY_OPTIONS])
{
    const Option options[STRATEGY_OPTIONS] = {
        {"overlap", OPTION_CHOICE, &v->data.overlap, "HOW", "data: which gradients travel together, and when",
         "naive|fused|wfbp|ddp|greedy|optimal"},
        {"bucket", OPTION_BYTES, &v->data.bucket, "SIZE",
         "data, ddp: a bucket of gradients is sent when it has reached it"},
        {"first-bucket", OPTION_BYTES, &v->data.first_bucket, "SIZE",
         "data, ddp: that of the first bucket, small to begin early"},
        {"sync-batchnorm", OPTION_FLAG, &v->data.sync_batchnorm, "",
         "data: batch normalisation by the statistics of the global batch, not of each rank's part"},
        {"servers", OPTION_INT, &v->server.servers, "N", "server, async: ranks that keep the weights and do not train",
         .min = 1, .max = 1e6},
        {"bound", OPTION_INT, &v->server.bound, "N",
         "async: steps that the fastest may be ahead of the slowest; -1: any", .min = -1, .max = 1e6},
        {"every", OPTION_INT, &v->peers.every, "N", "local, easgd: steps between two averages", .min = 1, .max = 1e6},
        {"elasticity", OPTION_DOUBLE, &v->peers.elasticity, "X",
         "easgd: the share of the difference to the centre that moves; 0: 0.9 / ranks", .min = 0, .max = 1},
        {"pipeline", OPTION_STRING, &v->pipeline.schedule, "NAME",
         "pipeline: its schedule: none, gpipe, 1f1b, interleaved, zb-h1, zb-h2 or a file"},
        {"stages", OPTION_INT, &v->pipeline.stages, "N",
         "pipeline: that the network is divided into; 0: a stage for each rank, else ranks / N replicas of it",
         .min = 0, .max = PIPELINE_STAGES},
        {"chunks", OPTION_INT, &v->pipeline.chunks, "N",
         "pipeline: of layers on each stage; 0: what the schedule needs", .min = 0, .max = STRATEGY_RANGES},
        {"cut", OPTION_INTS, &v->pipeline.cut, "LIST",
         "pipeline: layers with which chunks begin, but for the first: 3,7,9; if not given, equal counts", .min = 1,
         .max = 1e6},
    };
    memcpy(table, options, sizeof(options));
}

StrategyValues
strategy_defaults(void)
{
    return (StrategyValues){.data = {.overlap = "ddp", .bucket = 25 << 20, .first_bucket = 1 << 20},
                            .server = {.servers = 1, .bound = -1},
                            .peers = {.every = 4},
                            .pipeline = {.schedule = "1f1b"}};
}

bool
strategy_check(const StrategyValues *values, Error *error)
{
    const DataOptions *o = &values->data;
    return (o->bucket > 0 && o->first_bucket > 0) ||
           error_set(error, "--%s: a bucket of 0 bytes holds nothing: give 1 or more, as in 25MB",
                     o->bucket == 0 ? "bucket" : "first-bucket");
}

/* ---- queries --------------------------------------------------------------------------------------------------------- */

const Strategy *
strategy_named(const char *name)
{
    for (int i = 0; i < STRATEGIES; i++)
        if (strcmp(strategies[i].name, name) == 0)
            return &strategies[i];
    return NULL;
}

const void *
strategy_values(const Strategy *strategy, const StrategyValues *values)
{
    return (const char *)values + strategy->own;
}

static bool
has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; *text != '\0'; text += strspn(text, " ")) {
        const size_t next = strcspn(text, " ");
        if (next == length && strncmp(text, word, length) == 0)
            return true;
        text += next;
    }
    return false;
}

bool
strategy_uses(const Strategy *strategy, const StrategyValues *values, const char *option)
{
    return strategy != NULL && has_word(strategy->uses, option) &&
           (!has_word(BUCKETS, option) || strcmp(values->data.overlap, "ddp") == 0);
}

bool
strategy_decides(const Strategy *strategy, const char *option)
{
    return strategy != NULL && has_word(strategy->uses, option) && has_word(DECIDE, option);
}

const char *
strategy_users(const char *option, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < STRATEGIES && length < size; i++)
        if (has_word(strategies[i].uses, option))
            length += (size_t)snprintf(text + length, size - length, "%s%s%s", length > 0 ? " and " : "",
                                       strategies[i].name, has_word(BUCKETS, option) ? " with --overlap ddp" : "");
    return text;
}

int
strategy_idle(const Strategy *strategy, const StrategyValues *values)
{
    return strategy_uses(strategy, values, "servers") ? values->server.servers : 0;
}

int
strategy_replicas(const Strategy *strategy, const StrategyValues *values, int ranks)
{
    if (!strategy_uses(strategy, values, "stages"))
        return ranks - strategy_idle(strategy, values);
    const int stages = values->pipeline.stages > 0 ? values->pipeline.stages : ranks;
    return ranks / stages;
}

void
strategy_describe(const Strategy *strategy, const StrategyValues *values, FILE *out)
{
    const DataOptions *data = &values->data;
    const ServerOptions *server = &values->server;
    char bucket[UNITS_SIZE], first[UNITS_SIZE];
    if (strategy_uses(strategy, values, "overlap"))
        fprintf(out, ", overlap %s", data->overlap);
    if (strategy_uses(strategy, values, "bucket"))
        fprintf(out, " in buckets of %s, the first of %s", units_bytes(bucket, (double)data->bucket),
                units_bytes(first, (double)data->first_bucket));
    if (strategy_uses(strategy, values, "sync-batchnorm") && data->sync_batchnorm)
        fprintf(out, ", batch normalisation synchronised");
    if (strategy_uses(strategy, values, "servers"))
        fprintf(out, ", %d server%s", server->servers, server->servers == 1 ? "" : "s");
    if (strategy_uses(strategy, values, "bound") && server->bound >= 0)
        fprintf(out, ", at most %d steps apart", server->bound);
    if (strategy_uses(strategy, values, "every"))
        fprintf(out, ", every %d steps", values->peers.every);
    if (strategy_uses(strategy, values, "pipeline"))
        fprintf(out, ", schedule %s", values->pipeline.schedule);
}
