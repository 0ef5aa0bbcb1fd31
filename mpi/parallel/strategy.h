/* What a strategy of training on several ranks is called, what it accepts and which options it has: all that the command line must
 * know of it. A strategy is a folder here with one such table (strategy.c), and a line in `strategies`. Nothing in this header
 * needs MPI, so that a build without it can name the strategies, and refuse them with the right reason.
 *
 *     data/      every rank computes the gradient of its part of the batch; an all-reduce adds them; all take the same step
 *     server/    ranks send gradients to a parameter server and get weights back: in step, or as each is ready (asynchronous)
 *     gossip/    no centre and no all-reduce: D-PSGD, local SGD, elastic averaging (EASGD)
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_STRATEGY_H
#define MPI_PARALLEL_STRATEGY_H

#include "core/error.h"
#include "core/options.h"
#include "mpi/parallel/grid.h"
#include <stddef.h>

/* One option of a folder. The value of `option` is an offset in the struct of the folder's values: STRATEGY_VALUE(DataOptions,
 * overlap). */
typedef struct StrategyOption {
    Option option;
    bool decides;             /* the result: a run goes on from a checkpoint with the same value only */
    const char *with, *value; /* it concerns only runs in which the option `with` has this value; NULL: all */
} StrategyOption;
#define STRATEGY_VALUE(type, field) ((void *)offsetof(type, field))

/* The options of a folder's strategies. */
typedef struct StrategyOptions {
    size_t size;          /* of the struct that holds their values, at most STRATEGY_VALUES_MAX .. */
    const void *defaults; /* .. and one of them */
    const StrategyOption *option;
    int count;
    /* False with a sentence for values that no strategy can work with. NULL: the table says it all. */
    bool (*check)(const void *values, Error *error);
} StrategyOptions;

struct Parallel;
struct Net;

typedef struct Strategy {
    const char *name; /* "data" */
    const char *idea; /* one line */
    GridAxis axis;    /* the axis of the grid that its ranks are: strategies of different axes can be combined */
    int fewest;       /* ranks that it needs */
    bool on_device;   /* the net may lie in the memory of a device */
    bool
        synchronous; /* the gradients of all ranks are added, and one step taken: that of one process, but for rounding */
    const StrategyOptions *options; /* of its folder; NULL: it has none */
    const char *uses;               /* those that concern it: names with blanks between */

    int (*idle)(const void *values); /* ranks that do not train; NULL: none */
    /* On the line that says how the ranks train: ", 2 servers". NULL: nothing. */
    void (*describe)(const struct Strategy *strategy, const void *values, FILE *out);

    /* Makes it from what all strategies have in common (*base, to be copied). All ranks must call. NULL with a sentence, the same
     * on all ranks, for options that cannot work. It is NULL itself in a build without MPI. */
    struct Parallel *(*create)(const struct Parallel *base, struct Net *net, Error *error);
} Strategy;

/* NULL at the end. */
extern const Strategy *const strategies[];
const Strategy *strategy_named(const char *name); /* NULL: there is none of that name */

/* The values of all folders' options. */
enum { STRATEGY_FOLDERS_MAX = 8, STRATEGY_VALUES_MAX = 64, STRATEGY_OPTIONS_MAX = 32 };
typedef struct StrategyValues {
    _Alignas(max_align_t) char of[STRATEGY_FOLDERS_MAX][STRATEGY_VALUES_MAX];
} StrategyValues;

StrategyValues strategy_defaults(void);
const void *strategy_values(const Strategy *strategy, const StrategyValues *values); /* its folder's struct */

/* The options of all folders, each pointing into *values. Returns how many. */
int strategy_options(StrategyValues *values, Option table[STRATEGY_OPTIONS_MAX]);

/* False with the sentence of the first folder that has one. */
bool strategy_check(const StrategyValues *values, Error *error);

/* Whether the option concerns a run with this strategy (NULL: none) and these values; whether it decides its result. */
bool strategy_uses(const Strategy *strategy, const StrategyValues *values, const char *option);
bool strategy_decides(const Strategy *strategy, const char *option);

/* Whom it concerns: "server and async", "data with --overlap ddp". Into text[size]; returns text. */
const char *strategy_users(const char *option, char *text, size_t size);

#endif
