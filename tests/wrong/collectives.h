/* Deliberately broken collectives: the checker (mpi/collectives/truth.h) must reject every one of them, and
 * tests/mpi/barrier_case.h the barriers. They are included, not linked: nobody else may use them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_COLLECTIVES_H
#define TESTS_WRONG_COLLECTIVES_H

#include "core/array.h"
#include "mpi/collectives/all_gather/all_gather.h"
#include "mpi/collectives/all_to_all/all_to_all.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/collectives/barrier/barrier.h"
#include "mpi/collectives/broadcast/broadcast.h"
#include "mpi/collectives/gather/gather.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/reduce/reduce.h"
#include "mpi/collectives/reduce_scatter/reduce_scatter.h"
#include "mpi/collectives/scatter/scatter.h"

/* ---- right results that are then spoiled on one rank: each of these for each operation -------------------------------- */

typedef void Spoil(void *y, size_t count, Element type);

static void
spoil_zeros(void *y, size_t count, Element type)
{
    memset(y, 0, count * element_size(type));
}

/* All bits set: a NaN, or -1. */
static void
spoil_poison(void *y, size_t count, Element type)
{
    memset(element_at(y, type, count / 2), 0xff, element_size(type));
}

static void
spoil_last(void *y, size_t count, Element type)
{
    memset(element_at(y, type, count - 1), 0, element_size(type));
}

static void
spoil_swap(void *y, size_t count, Element type)
{
    double keep;
    memcpy(&keep, y, element_size(type));
    memcpy(y, element_at(y, type, count - 1), element_size(type));
    memcpy(element_at(y, type, count - 1), &keep, element_size(type));
}

static void
spoil_double(void *y, size_t count, Element type)
{
    combine(REDUCTION_SUM, type, count, y, y, y);
}

static void
spoil_behind(void *y, size_t count, Element type)
{
    memset(element_at(y, type, count), 0, 1);
}

static void
spoil_before(void *y, size_t count, Element type)
{
    (void)count, (void)type;
    ((char *)y)[-1] = 0;
}

static const struct {
    const char *name;
    Spoil *function;
} spoils[] = {
    {"zeros", spoil_zeros},   {"poison", spoil_poison}, {"last", spoil_last},     {"swapped", spoil_swap},
    {"double", spoil_double}, {"behind", spoil_behind}, {"before", spoil_before},
};
enum { SPOILS = sizeof(spoils) / sizeof(spoils[0]) };

/* ---- wrong algorithms --------------------------------------------------------------------------------------------------- */

#define ALL_REDUCE     Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op
#define REDUCE         Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root
#define BROADCAST      Comm *comm, void *x, size_t n, Element type, int root
#define ALL_GATHER     Comm *comm, const void *x, void *y, size_t n, Element type
#define GATHER         Comm *comm, const void *x, void *y, size_t n, Element type, int root
#define NEXT(comm)     (((comm)->rank + 1) % (comm)->size)
#define PREVIOUS(comm) (((comm)->rank + (comm)->size - 1) % (comm)->size)

/* Reduces, but does not send the result. */
static void
wrong_allreduce_at_root_only(ALL_REDUCE)
{
    collective_copy(x, y, n, type);
    reduce_naive(comm, x, y, n, type, op, 0);
}

/* Every rank but the last one's vector. */
static void
wrong_allreduce_without_last(ALL_REDUCE)
{
    char *mine = ARRAY(char, n *element_size(type));
    if (comm->rank < comm->size - 1)
        memcpy(mine, x, n * element_size(type));
    allreduce_naive(comm, mine, y, n, type, op);
    array_free(mine);
}

static void
wrong_allreduce_always_sums(ALL_REDUCE)
{
    (void)op;
    allreduce_naive(comm, x, y, n, type, REDUCTION_SUM);
}

/* Works in the input. */
static void
wrong_allreduce_changes_input(ALL_REDUCE)
{
    void *input = element_at(x, type, 0);
    allreduce_naive(comm, input, input, n, type, op);
    collective_copy(input, y, n, type);
}

/* Forgets the copy: reduces what was in y. */
static void
wrong_allreduce_of_output(ALL_REDUCE)
{
    (void)x;
    allreduce_naive(comm, y, y, n, type, op);
}

/* Chunks of n / p elements, and the remainder is lost. */
static void
wrong_allreduce_drops_rest(ALL_REDUCE)
{
    allreduce_naive(comm, x, y, n / (size_t)comm->size * (size_t)comm->size, type, op);
}

static void
wrong_reduce_to_zero(REDUCE)
{
    (void)root;
    void *sum = ARRAY(char, n *element_size(type));
    reduce_naive(comm, x, sum, n, type, op, 0);
    if (comm->rank == 0 && y != NULL)
        memcpy(y, sum, n * element_size(type));
    array_free(sum);
}

static void
wrong_broadcast_from_zero(BROADCAST)
{
    (void)root;
    broadcast_naive(comm, x, n, type, 0);
}

/* Around the ring, but the last rank is left out. */
static void
wrong_broadcast_not_to_last(BROADCAST)
{
    void *ignored = ARRAY(char, n *element_size(type));
    const bool last = comm->rank == (root + comm->size - 1) % comm->size;
    broadcast_naive(comm, last ? ignored : x, n, type, root);
    array_free(ignored);
}

/* A ring that stops one rank too early: the chunk of the rank before. */
static void
wrong_reduce_scatter_rotated(ALL_REDUCE)
{
    void *sum = ARRAY(char, n *element_size(type));
    allreduce_naive(comm, x, sum, n, type, op);
    const Chunk theirs = chunk_of(n, comm->size, PREVIOUS(comm)), mine = chunk_of(n, comm->size, comm->rank);
    memcpy(y, element_at(sum, type, theirs.first),
           (mine.count < theirs.count ? mine.count : theirs.count) * element_size(type));
    array_free(sum);
}

/* Chunks in the order of the ring, not in that of ranks. */
static void
wrong_all_gather_rotated(ALL_GATHER)
{
    void *held = ARRAY(char, n *element_size(type));
    all_gather_naive(comm, x, held, n, type);
    const size_t turn = chunk_of(n, comm->size, NEXT(comm)).first;
    memcpy(y, element_at(held, type, turn), (n - turn) * element_size(type));
    memcpy(element_at(y, type, n - turn), held, turn * element_size(type));
    array_free(held);
}

/* Forgets its own. */
static void
wrong_all_gather_without_own(ALL_GATHER)
{
    void *held = ARRAY(char, n *element_size(type));
    all_gather_naive(comm, x, held, n, type);
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    memset(element_at(held, type, mine.first), 0, mine.count * element_size(type));
    memcpy(y, held, n * element_size(type));
    array_free(held);
}

/* Leaves the root's own chunk out. */
static void
wrong_gather_without_own(GATHER)
{
    void *zeros = ARRAY(char, n *element_size(type));
    gather_naive(comm, comm->rank == root ? zeros : x, y, n, type, root);
    array_free(zeros);
}

/* Everybody gets the first chunk. */
static void
wrong_scatter_first(GATHER)
{
    void *all = ARRAY(char, n *element_size(type));
    if (comm->rank == root)
        memcpy(all, x, n * element_size(type));
    broadcast_naive(comm, all, n, type, root);
    memcpy(y, all, chunk_of(n, comm->size, comm->rank).count * element_size(type));
    array_free(all);
}

static void
wrong_all_to_all_stays(ALL_GATHER)
{
    memcpy(y, x, n * (size_t)comm->size * element_size(type));
}

/* Rows in the order in which they came. */
static void
wrong_all_to_all_in_order_of_steps(ALL_GATHER)
{
    void *held = ARRAY(char, n *(size_t)comm->size *element_size(type));
    all_to_all_naive(comm, x, held, n, type);
    for (int step = 0; step < comm->size; step++)
        memcpy(all_to_all_row(y, n, type, step), all_to_all_row(held, n, type, (comm->rank + step) % comm->size),
               n * element_size(type));
    array_free(held);
}

typedef struct WrongCollective {
    const char *name;
    CollectiveKind kind;
    CollectiveFunction *function;
    int ranks; /* with fewer than these it is right */
    Reduction op;
} WrongCollective;

#define WRONG(function, kind, ranks, op)                                                                               \
    {                                                                                                                  \
#function, COLLECTIVE_##kind, (CollectiveFunction *)function, ranks, REDUCTION_##op                            \
    }
static const WrongCollective wrong_collectives[] = {
    WRONG(wrong_allreduce_at_root_only, ALLREDUCE, 2, SUM),
    WRONG(wrong_allreduce_without_last, ALLREDUCE, 1, SUM),
    WRONG(wrong_allreduce_always_sums, ALLREDUCE, 2, MAX),
    WRONG(wrong_allreduce_changes_input, ALLREDUCE, 2, SUM),
    WRONG(wrong_allreduce_of_output, ALLREDUCE, 1, SUM),
    WRONG(wrong_allreduce_drops_rest, ALLREDUCE, 2, SUM),
    WRONG(wrong_reduce_to_zero, REDUCE, 2, SUM),
    WRONG(wrong_broadcast_from_zero, BROADCAST, 2, SUM),
    WRONG(wrong_broadcast_not_to_last, BROADCAST, 2, SUM),
    WRONG(wrong_reduce_scatter_rotated, REDUCE_SCATTER, 2, SUM),
    WRONG(wrong_all_gather_rotated, ALL_GATHER, 2, SUM),
    WRONG(wrong_all_gather_without_own, ALL_GATHER, 1, SUM),
    WRONG(wrong_gather_without_own, GATHER, 1, SUM),
    WRONG(wrong_scatter_first, SCATTER, 2, SUM),
    WRONG(wrong_all_to_all_stays, ALL_TO_ALL, 2, SUM),
    WRONG(wrong_all_to_all_in_order_of_steps, ALL_TO_ALL, 2, SUM),
};
enum { WRONG_COLLECTIVES = sizeof(wrong_collectives) / sizeof(wrong_collectives[0]) };

#endif
