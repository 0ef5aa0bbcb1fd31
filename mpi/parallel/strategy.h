/* What a strategy of training on several ranks is called, what it accepts and which options it has: all that the command line must
 * know of it. A strategy is a folder here, a row of `strategies` and the rows of its options (strategies.c). Nothing in this header
 * needs MPI, so that a build without it can name the strategies, and refuse them with the right reason.
 *
 *     data/      every rank computes the gradient of its part of the batch; an all-reduce adds them; all take the same step
 *     server/    ranks send gradients to a parameter server and get weights back: in step, or as each is ready (asynchronous)
 *     pipeline/  ranks hold different layers, and micro-batches pass through them by a schedule
 *     gossip/    no centre and no all-reduce: D-PSGD, local SGD, elastic averaging (EASGD)
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_STRATEGY_H
#define MPI_PARALLEL_STRATEGY_H

#include "core/error.h"
#include "core/options.h"
#include "mpi/parallel/grid.h"
#include <stddef.h>
#include <stdint.h>

typedef struct DataOptions {
    const char *overlap;           /* "naive", "fused", "wfbp", "ddp", "greedy", "optimal" */
    uint64_t bucket, first_bucket; /* ddp: bytes that close a bucket; 0: PyTorch's */
    bool sync_batchnorm;           /* statistics of the global batch */
} DataOptions;

typedef struct ServerOptions {
    int servers; /* ranks that keep the weights, each a part of them, and do not train */
    int bound;   /* async: steps that the fastest may be ahead of the slowest; negative: any (SSP) */
} ServerOptions;

typedef struct PeerOptions {
    int every;         /* local, easgd: steps between two averages */
    double elasticity; /* easgd: alpha = eta rho, the fraction of the difference to the centre; 0: 0.9 / ranks */
} PeerOptions;

typedef struct PipelineOptions {
    const char *schedule; /* a name of pipeline_ideas (pipeline/schedule.h), "none", or a file */
    int stages;           /* that the network is divided into; 0: one for each rank */
    int chunks;           /* of layers on each stage; 0: what the schedule has */
    IntList cut;          /* the layers with which chunks begin, but for the first; empty: equal counts of layers */
} PipelineOptions;

/* The options of all strategies. */
typedef struct StrategyValues {
    DataOptions data;
    ServerOptions server;
    PeerOptions peers;
    PipelineOptions pipeline;
} StrategyValues;

enum { STRATEGIES = 7, STRATEGY_OPTIONS = 12, STRATEGY_RANGES = 64 };

struct Parallel;
struct Net;
struct TrainOptions;
struct LayerRange;

typedef struct Strategy {
    const char *name; /* "data" */
    const char *idea; /* one line */
    GridAxis axis;    /* the axis of the grid that its ranks are: strategies of different axes can be combined */
    int fewest;       /* ranks that it needs */
    bool on_device;   /* the net may be in the memory of a device */
    bool synchronous; /* all gradients are added, and one step taken: that of one process, but for rounding */
    const char *uses; /* its options: names with blanks between */
    size_t own, size; /* where the struct of its options is in StrategyValues */

    /* Which layers rank `rank` of `ranks` holds: ranges in the order of the network, which need not be built. Returns how many; 0
     * with a sentence for options that cannot work. NULL: each rank holds all of them. */
    int (*hold)(const void *own, const struct Net *net, const struct TrainOptions *train, int rank, int ranks,
                struct LayerRange *ranges, Error *error); /* [STRATEGY_RANGES] */

    /* Makes it from what all strategies have in common (*base, to be copied). All ranks must call. NULL with a sentence, the same
     * on all ranks, for options that cannot work. It is NULL itself in a build without MPI. */
    struct Parallel *(*create)(const struct Parallel *base, struct Net *net, Error *error);
} Strategy;

extern const Strategy strategies[STRATEGIES];
const Strategy *strategy_named(const char *name); /* NULL: there is none of that name */

StrategyValues strategy_defaults(void);
const void *strategy_values(const Strategy *strategy, const StrategyValues *values); /* its folder's struct */

/* The options of all strategies, each pointing into *values. */
void strategy_options(StrategyValues *values, Option table[STRATEGY_OPTIONS]);

/* False with a sentence for values that no strategy can work with. */
bool strategy_check(const StrategyValues *values, Error *error);

/* Ranks that do not train: servers. Here and below strategy may be NULL: none. */
int strategy_idle(const Strategy *strategy, const StrategyValues *values);

/* Replicas of the network, each of which takes a part of the batch, where there are that many ranks. */
int strategy_replicas(const Strategy *strategy, const StrategyValues *values, int ranks);

/* Whether the option concerns a run with this strategy and these values; whether it decides its result, so that a run resumes from
 * a checkpoint with the same value only. */
bool strategy_uses(const Strategy *strategy, const StrategyValues *values, const char *option);
bool strategy_decides(const Strategy *strategy, const char *option);

/* Whom it concerns: "server and async", "data with --overlap ddp". Into text[size]; returns text. */
const char *strategy_users(const char *option, char *text, size_t size);

/* The values that it uses, for the line that says how ranks train: ", 2 servers". */
void strategy_describe(const Strategy *strategy, const StrategyValues *values, FILE *out);

#endif
