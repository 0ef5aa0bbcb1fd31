/* Which rung a call runs on, and how many calls there were.
 *
 * A library that is loaded into a program which knows nothing of it has no options: it reads the environment, once, and reports
 * on stderr, one rank for all. A mistyped name does not end the program: the results are right with any rung.
 * SPDX-License-Identifier: MIT */
#include "core/nearest.h"
#include "core/process.h"
#include "mpi/dropin/internal.h"
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES = 16 };

/* A rung, up to how many bytes it is used, and whether only where all ranks are on one node. */
typedef struct Candidate {
    const CollectiveRung *rung;
    size_t bytes;
    bool one_node;
} Candidate;

/* One collective operation. Global, because the interface has no place for them. */
typedef struct Operation {
    const char *variable, *routine;
    const CollectiveLadder *ladder;           /* NULL: has not been written yet */
    bool named;                               /* by the variable: then there is one candidate */
    Candidate candidates[CANDIDATES];         /* the first that accepts is taken; */
    int count;                                /* if none does, the library's */
    atomic_long taken, left;                  /* calls */
    _Atomic(const CollectiveRung *) run_last; /* for the report */
} Operation;

static Operation operations[COLLECTIVES] = {
    [COLLECTIVE_ALLREDUCE] = {"RUNGS_ALLREDUCE", "MPI_Allreduce"},
    [COLLECTIVE_REDUCE] = {"RUNGS_REDUCE", "MPI_Reduce"},
    [COLLECTIVE_BROADCAST] = {"RUNGS_BROADCAST", "MPI_Bcast"},
    [COLLECTIVE_REDUCE_SCATTER] = {"RUNGS_REDUCE_SCATTER", "MPI_Reduce_scatter"},
    [COLLECTIVE_ALL_GATHER] = {"RUNGS_ALL_GATHER", "MPI_Allgather"},
    [COLLECTIVE_ALL_TO_ALL] = {"RUNGS_ALL_TO_ALL", "MPI_Alltoall"},
    [COLLECTIVE_BARRIER] = {"RUNGS_BARRIER", "MPI_Barrier"},
};
static int ranks_per_node;

/* What is used unless a variable names a rung: the first that will do. All-reduce needs no messages where all ranks share a node's
 * memory, whatever the length; there is some for a few communicators at a time (mpi/window_pool.h). Else short vectors want few
 * messages, long ones few bytes. After these stand all other rungs from the top down, so that there is one that accepts; never one
 * that measures before it chooses, and the library's last. */
static const struct {
    CollectiveKind kind;
    size_t bytes;
    const char *rung;
    bool one_node;
} preferences[] = {
    {COLLECTIVE_ALLREDUCE, SIZE_MAX, "window", .one_node = true},
    {COLLECTIVE_ALLREDUCE, 16 << 10, "recursive_doubling"},
    {COLLECTIVE_ALLREDUCE, 256 << 10, "rabenseifner"},
    {COLLECTIVE_ALLREDUCE, SIZE_MAX, "ring"},
    {COLLECTIVE_REDUCE, 64 << 10, "binomial"},
    {COLLECTIVE_REDUCE, SIZE_MAX, "scatter_gather"},
    {COLLECTIVE_BROADCAST, 64 << 10, "binomial"},
    {COLLECTIVE_BROADCAST, SIZE_MAX, "scatter_all_gather"},
    {COLLECTIVE_REDUCE_SCATTER, 16 << 10, "recursive"},
    {COLLECTIVE_REDUCE_SCATTER, SIZE_MAX, "ring"},
    {COLLECTIVE_ALL_GATHER, 16 << 10, "bruck"},
    {COLLECTIVE_ALL_GATHER, SIZE_MAX, "ring"},
    {COLLECTIVE_ALL_TO_ALL, 256, "bruck"},
    {COLLECTIVE_ALL_TO_ALL, SIZE_MAX, "pairwise"},
};

static void
add(Operation *operation, const CollectiveRung *rung, size_t bytes, bool one_node)
{
    if (rung != NULL && operation->count < CANDIDATES)
        operation->candidates[operation->count++] = (Candidate){rung, bytes, one_node};
}

static void
add_defaults(Operation *operation)
{
    const CollectiveLadder *ladder = operation->ladder;
    for (size_t i = 0; i < sizeof(preferences) / sizeof(preferences[0]); i++)
        if (preferences[i].kind == ladder->kind)
            add(operation, collective_rung(ladder, preferences[i].rung), preferences[i].bytes, preferences[i].one_node);
    for (int i = ladder->count - 1; i >= 0; i--)
        if (!ladder->rungs[i].peer && strcmp(ladder->rungs[i].name, "auto") != 0)
            add(operation, &ladder->rungs[i], SIZE_MAX, false);
}

/* In one write, so that the lines of several processes do not mix. */
static void
complain(const Operation *operation, const char *name)
{
    char names[512] = "", hint[64] = "";
    size_t length = 0;
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < operation->ladder->count && length < sizeof(names); i++) {
        const char *rung = operation->ladder->rungs[i].name;
        length += (size_t)snprintf(names + length, sizeof(names) - length, " %s", rung);
        nearest_offer(&nearest, rung);
    }
    if (nearest.name)
        snprintf(hint, sizeof(hint), "; did you mean %s?", nearest.name);
    if (process_rank() == 0)
        fprintf(stderr, "librungs_mpi: %s is \"%s\", which is none of%s%s (it is ignored)\n", operation->variable, name,
                names, hint);
}

static void
start_operation(Operation *operation, CollectiveKind kind)
{
    operation->ladder = collective_ladder(kind);
    if (operation->ladder == NULL || operation->variable == NULL)
        return;
    const char *name = getenv(operation->variable);
    if (name && *name) {
        add(operation, collective_rung(operation->ladder, name), SIZE_MAX, false);
        operation->named = operation->count > 0;
        if (!operation->named)
            complain(operation, name);
    }
    if (!operation->named)
        add_defaults(operation);
}

static void
read_nodes(void)
{
    const char *text = getenv("RUNGS_RANKS_PER_NODE");
    if (text == NULL || *text == '\0')
        return;
    char *end;
    const long value = strtol(text, &end, 10);
    if (*end == '\0' && value >= 0 && value <= INT_MAX)
        ranks_per_node = (int)value;
    else if (process_rank() == 0)
        fprintf(stderr, "librungs_mpi: RUNGS_RANKS_PER_NODE is \"%s\", expected a number of ranks (it is ignored)\n",
                text);
}

void
choice_start(void)
{
    read_nodes();
    for (int kind = 0; kind < COLLECTIVES; kind++)
        start_operation(&operations[kind], (CollectiveKind)kind);
}

int
choice_nodes(void)
{
    return ranks_per_node;
}

/* FNV-1a over the names. */
int
choice_checksum(void)
{
    uint32_t sum = 2166136261u ^ (uint32_t)ranks_per_node;
    for (int kind = 0; kind < COLLECTIVES; kind++)
        for (int i = 0; i < operations[kind].count; i++)
            for (const char *c = operations[kind].candidates[i].rung->name; *c != '\0'; c++)
                sum = (sum ^ (unsigned char)*c) * 16777619u;
    return (int)(sum >> 1);
}

const CollectiveRung *
dropin_rung(CollectiveKind kind, Comm *comm, size_t n, Element type)
{
    const Operation *operation = &operations[kind];
    const size_t bytes = n * element_size(type);
    for (int i = 0; i < operation->count; i++) {
        const Candidate *candidate = &operation->candidates[i];
        if (bytes <= candidate->bytes && (!candidate->one_node || comm->nodes == 1) &&
            (candidate->rung->accepts == NULL || candidate->rung->accepts(comm, n, type, NULL)))
            return candidate->rung;
    }
    return NULL;
}

int
dropin_run(CollectiveKind kind, const CollectiveRung *rung, Comm *comm, const void *x, void *y, size_t n, Element type,
           Reduction op, int root)
{
    Operation *operation = &operations[kind];
    atomic_fetch_add_explicit(&operation->taken, 1, memory_order_relaxed);
    atomic_store_explicit(&operation->run_last, rung, memory_order_relaxed);
    if (n > 0 || kind == COLLECTIVE_BARRIER)
        collective_run(operation->ladder, rung, comm, x, y, n, type, op, root);
    return MPI_SUCCESS;
}

int
dropin_left(CollectiveKind kind, int code)
{
    atomic_fetch_add_explicit(&operations[kind].left, 1, memory_order_relaxed);
    return code;
}

void
choice_report(void)
{
    const char *verbose = getenv("RUNGS_MPI_VERBOSE");
    if (verbose == NULL || strcmp(verbose, "1") != 0 || process_rank() != 0)
        return;
    for (int kind = 0; kind < COLLECTIVES; kind++) {
        const Operation *operation = &operations[kind];
        const long taken = operation->taken, left = operation->left;
        const CollectiveRung *rung = operation->run_last;
        if (taken + left > 0)
            fprintf(stderr, "librungs_mpi: rank 0: %s: %ld taken over%s%s, %ld left to the library\n",
                    operation->routine, taken, rung ? ", the last by " : "", rung ? rung->name : "", left);
    }
}
