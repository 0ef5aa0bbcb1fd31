/* Strategies without a common gradient, for the command line (peers.h says how they work). SPDX-License-Identifier: MIT */
#include "mpi/parallel/gossip/options.h"
#ifdef HAVE_MPI
#include "mpi/parallel/gossip/gossip.h"
#endif

static const PeerOptions defaults = {.every = 4};

static const StrategyOption table[] = {
    {{"every", OPTION_INT, STRATEGY_VALUE(PeerOptions, every), "N", "local, easgd: steps between two averages",
      .min = 1, .max = 1e6},
     .decides = true},
    {{"elasticity", OPTION_DOUBLE, STRATEGY_VALUE(PeerOptions, elasticity), "X",
      "easgd: the fraction of the difference to the centre that is applied; 0: 0.9 / ranks", .min = 0, .max = 1},
     .decides = true},
};

static const StrategyOptions options = {
    .size = sizeof(PeerOptions), .defaults = &defaults, .option = table, .count = sizeof(table) / sizeof(table[0])};

static void
describe(const Strategy *strategy, const void *values, FILE *out)
{
    (void)strategy;
    fprintf(out, ", every %d steps", ((const PeerOptions *)values)->every);
}

const Strategy strategy_gossip = {
    .name = "gossip",
    .idea = "decentralised (D-PSGD): each rank averages its weights with its two neighbours on a ring",
    .axis = GRID_DATA,
    .fewest = 1,
    .options = &options,
#ifdef HAVE_MPI
    .create = gossip_create,
#endif
};

const Strategy strategy_local = {
    .name = "local",
    .idea = "local SGD: steps of each rank's own, and every few steps the mean of all weights",
    .axis = GRID_DATA,
    .fewest = 1,
    .options = &options,
    .uses = "every",
    .describe = describe,
#ifdef HAVE_MPI
    .create = local_create,
#endif
};

const Strategy strategy_easgd = {
    .name = "easgd",
    .idea = "elastic averaging: springs between each rank's weights and a centre, every few steps",
    .axis = GRID_DATA,
    .fewest = 1,
    .options = &options,
    .uses = "every elasticity",
    .describe = describe,
#ifdef HAVE_MPI
    .create = easgd_create,
#endif
};
