/* The list of ladders, and what goes for all of them. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include <string.h>

const CollectiveLadder *const collective_ladders[] = {
    &allreduce_ladder, &reduce_ladder,  &broadcast_ladder,  &reduce_scatter_ladder, &all_gather_ladder,
    &gather_ladder,    &scatter_ladder, &all_to_all_ladder, &barrier_ladder,        NULL,
};

const CollectiveLadder *
collective_ladder(CollectiveKind kind)
{
    for (int i = 0; collective_ladders[i] != NULL; i++)
        if (collective_ladders[i]->kind == kind)
            return collective_ladders[i];
    return NULL;
}

const CollectiveRung *
collective_rung(const CollectiveLadder *ladder, const char *name)
{
    for (int i = 0; i < ladder->count; i++)
        if (strcmp(ladder->rungs[i].name, name) == 0)
            return &ladder->rungs[i];
    return NULL;
}

void
collective_run(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, const void *x, void *y, size_t n,
               Element type, Reduction op, int root)
{
    CollectiveFunction *f = rung->function;
    switch (ladder->kind) {
    case COLLECTIVE_ALLREDUCE:
        ((AllReduce *)f)(comm, x, y, n, type, op);
        break;
    case COLLECTIVE_REDUCE:
        ((Reduce *)f)(comm, x, y, n, type, op, root);
        break;
    case COLLECTIVE_BROADCAST:
        ((Broadcast *)f)(comm, y, n, type, root);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        ((ReduceScatter *)f)(comm, x, y, n, type, op);
        break;
    case COLLECTIVE_ALL_GATHER:
        ((AllGather *)f)(comm, x, y, n, type);
        break;
    case COLLECTIVE_GATHER:
        ((Gather *)f)(comm, x, y, n, type, root);
        break;
    case COLLECTIVE_SCATTER:
        ((Scatter *)f)(comm, x, y, n, type, root);
        break;
    case COLLECTIVE_ALL_TO_ALL:
        ((AllToAll *)f)(comm, x, y, n, type);
        break;
    default:
        ((Barrier *)f)(comm);
        break;
    }
}
