/* Tables of collectives by one name: the all-reduce of that name, and what goes with it. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/nearest.h"
#include "mpi/collectives/all_gather/all_gather.h"
#include "mpi/collectives/all_to_all/all_to_all.h"
#include "mpi/collectives/barrier/barrier.h"
#include "mpi/collectives/broadcast/broadcast.h"
#include "mpi/collectives/gather/gather.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/reduce/reduce.h"
#include "mpi/collectives/reduce_scatter/reduce_scatter.h"
#include "mpi/collectives/scatter/scatter.h"
#include <stdio.h>

/* What an operation uses that has no rung of the name. Fewest bytes, for long vectors: */
static const Collectives few_bytes = {
    .reduce = reduce_scatter_gather,
    .broadcast = broadcast_chain,
    .reduce_scatter = reduce_scatter_ring,
    .all_gather = all_gather_ring,
    .gather = gather_naive, /* no byte travels twice */
    .scatter = scatter_naive,
    .all_to_all = all_to_all_pairwise,
    .barrier = barrier_dissemination,
};

/* Fewest messages, for short ones: */
static const Collectives few_messages = {
    .reduce = reduce_binomial,
    .broadcast = broadcast_binomial,
    .reduce_scatter = reduce_scatter_recursive,
    .all_gather = all_gather_bruck,
    .gather = gather_binomial,
    .scatter = scatter_binomial,
    .all_to_all = all_to_all_bruck,
    .barrier = barrier_dissemination,
};

/* The simplest: */
static const Collectives simplest = {
    .reduce = reduce_naive,
    .broadcast = broadcast_naive,
    .reduce_scatter = reduce_scatter_naive,
    .all_gather = all_gather_naive,
    .gather = gather_naive,
    .scatter = scatter_naive,
    .all_to_all = all_to_all_naive,
    .barrier = barrier_central,
};

static const Collectives *
companions_of(const char *name)
{
    if (strcmp(name, "naive") == 0)
        return &simplest;
    if (strcmp(name, "tree") == 0 || strcmp(name, "recursive_doubling") == 0)
        return &few_messages;
    return &few_bytes;
}

static CollectiveFunction *
rung_or(CollectiveKind kind, const char *name, CollectiveFunction *companion)
{
    const CollectiveRung *rung = collective_rung(collective_ladder(kind), name);
    return rung != NULL ? rung->function : companion;
}

#define RUNG_OR(Type, kind, operation) (Type *)rung_or(kind, rung->name, (CollectiveFunction *)companions->operation)

static Collectives
collectives_of(const CollectiveRung *rung)
{
    const Collectives *companions = companions_of(rung->name);
    return (Collectives){
        .name = rung->name,
        .all_reduce = (AllReduce *)rung->function,
        .reduce = RUNG_OR(Reduce, COLLECTIVE_REDUCE, reduce),
        .broadcast = RUNG_OR(Broadcast, COLLECTIVE_BROADCAST, broadcast),
        .reduce_scatter = RUNG_OR(ReduceScatter, COLLECTIVE_REDUCE_SCATTER, reduce_scatter),
        .all_gather = RUNG_OR(AllGather, COLLECTIVE_ALL_GATHER, all_gather),
        .gather = RUNG_OR(Gather, COLLECTIVE_GATHER, gather),
        .scatter = RUNG_OR(Scatter, COLLECTIVE_SCATTER, scatter),
        .all_to_all = RUNG_OR(AllToAll, COLLECTIVE_ALL_TO_ALL, all_to_all),
        .barrier = RUNG_OR(Barrier, COLLECTIVE_BARRIER, barrier),
    };
}

static bool
refuse(const char *name, Error *error)
{
    char names[256] = "";
    size_t used = 0;
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < allreduce_ladder.count; i++) {
        const char *known = allreduce_ladder.rungs[i].name;
        nearest_offer(&nearest, known);
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", known);
    }
    if (nearest.name != NULL)
        return error_set(error, "there are no collectives '%s', only %s; did you mean '%s'?", name, names,
                         nearest.name);
    return error_set(error, "there are no collectives '%s', only %s", name, names);
}

const Collectives *
collectives_named(const char *name, Error *error)
{
    static Collectives *tables; /* of all rungs, made at the first request */
    if (tables == NULL) {
        tables = ARRAY(Collectives, (size_t)allreduce_ladder.count);
        for (int i = 0; i < allreduce_ladder.count; i++)
            tables[i] = collectives_of(&allreduce_ladder.rungs[i]);
    }
    for (int i = 0; i < allreduce_ladder.count; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    refuse(name, error);
    return NULL;
}
