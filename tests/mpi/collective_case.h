/* Every rung of a ladder of collectives, on every kind of vector. To be called by all ranks; the verdict is every rank's.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_COLLECTIVE_CASE_H
#define TESTS_MPI_COLLECTIVE_CASE_H

#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/rng.h"
#include "mpi/collectives/truth.h"
#include "tests/mpi/all_agree.h"

enum { LONG_VECTOR = 1000003 }; /* a prime: no number of ranks divides it */

/* Wrong elements on all ranks together. */
static inline size_t
sum_of_ranks(Comm *comm, size_t mine)
{
    unsigned long long sum = mine;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm->mpi));
    return (size_t)sum;
}

/* Runs the rung once; wrong elements on all ranks. */
static inline size_t
case_wrong(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, const CollectiveCase *c)
{
    CollectiveVectors v = collective_vectors_create(c, comm, NULL);
    collective_vectors_fill(c, comm, &v);
    collective_run(ladder, rung, comm, v.x, v.y, c->n, c->type, c->op, c->root);
    const size_t wrong = sum_of_ranks(comm, collective_vectors_wrong(c, comm, &v, NULL));
    collective_vectors_free(&v);
    return wrong;
}

static inline void
check_case(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, const CollectiveCase *c)
{
    Error reason;
    if (rung->accepts != NULL && !rung->accepts(comm, c->n, c->type, &reason))
        return;
    const size_t wrong = case_wrong(ladder, rung, comm, c);
    ck_assert_msg(wrong == 0, "%s %s: %zu wrong elements, n = %zu, %s %s, root %d, %s, %d nodes", ladder->name,
                  rung->name, wrong, c->n, element_name(c->type), reduction_name(c->op), c->root,
                  c->in_place ? "in place" : "out of place", comm->nodes);
}

/* Types 0 .. types_of - 1: bytes can be moved, but not reduced. */
static inline int
types_of(CollectiveKind kind)
{
    const bool reduces = kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER;
    return reduces ? ELEMENT_BYTE : ELEMENTS;
}

/* All types and reductions on one short vector, all lengths in float and double, in place and not, every root. */
static inline void
check_rung(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm)
{
    const size_t p = (size_t)comm->size, lengths[] = {0, 1, p - 1, p, p + 1, 3 * p + 2, 1021, LONG_VECTOR};
    unsigned round = 0;
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int l = 0; l < (int)(COUNT(lengths)); l++)
            for (int d = 0; d < 2; d++) {
                const CollectiveCase c = {ladder->kind,  lengths[l],     d ? ELEMENT_DOUBLE : ELEMENT_FLOAT,
                                          REDUCTION_SUM, l % comm->size, in_place,
                                          round++};
                check_case(ladder, rung, comm, &c);
            }
        for (int type = 0; type < types_of(ladder->kind); type++)
            for (int op = 0; op < REDUCTIONS; op++) {
                const CollectiveCase c = {ladder->kind, 101, type, op, op % comm->size, in_place, round++};
                check_case(ladder, rung, comm, &c);
            }
        for (int root = 0; root < comm->size; root++) {
            const CollectiveCase c = {ladder->kind, 57, ELEMENT_FLOAT, REDUCTION_SUM, root, in_place, round++};
            check_case(ladder, rung, comm, &c);
        }
    }
}

/* Messages of at most 1,000 elements, as if vectors were longer than an int can count. */
static inline void
check_many_messages(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm)
{
    const CollectiveCase c = {ladder->kind, 20011, ELEMENT_FLOAT, REDUCTION_SUM, comm->size - 1, false, 3};
    point_set_limit(1000);
    check_case(ladder, rung, comm, &c);
    point_set_limit(0);
}

/* A rung that asks for ranks and messages only runs on several nodes as on one. */
static inline bool
knows_no_nodes(const CollectiveRung *rung)
{
    static const char *const names[] = {"naive", "whole_ring",     "tree",         "recursive_doubling",
                                        "ring",  "segmented_ring", "rabenseifner", "mpi"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(rung->name, names[i]) == 0)
            return true;
    return false;
}

/* Ranks dealt to `nodes` nodes as cards are: 0, 1, .., 0, 1, .. */
static inline Comm *
comm_dealt(int nodes)
{
    int rank;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return comm_create_on(MPI_COMM_WORLD, rank % nodes);
}

/* Every rung, on one node and, unless it is the same there, on several; and on nodes whose ranks are not consecutive. */
static inline void
check_ladder(const CollectiveLadder *ladder)
{
    Comm *dealt = comm_dealt(2);
    for (int i = 0; i < ladder->count; i++)
        check_rung(ladder, &ladder->rungs[i], dealt);
    comm_free(dealt);
    for (int ranks_per_node = 0; ranks_per_node <= 3; ranks_per_node++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, ranks_per_node);
        for (int i = 0; i < ladder->count; i++) {
            if (ranks_per_node > 0 && knows_no_nodes(&ladder->rungs[i]))
                continue;
            check_rung(ladder, &ladder->rungs[i], comm);
            check_many_messages(ladder, &ladder->rungs[i], comm);
        }
        comm_free(comm);
    }
}

/* Sums of random numbers: near the sum in double, and the same bits on all ranks, for an operation that gives all ranks the
 * same vector. */
static inline bool
same_bits(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, size_t n)
{
    float *x = ARRAY(float, n), *y = ARRAY(float, n), *first = ARRAY(float, n);
    double *sum = ARRAY(double, n);
    rng_fill_normal(7, (uint64_t)comm->rank, 0, x, n, 0, 1);
    for (size_t i = 0; i < n; i++)
        sum[i] = x[i];
    collective_run(ladder, rung, comm, x, y, n, ELEMENT_FLOAT, REDUCTION_SUM, 0);
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sum, (int)n, MPI_DOUBLE, MPI_SUM, comm->mpi));
    memcpy(first, y, n * sizeof(float));
    CHECK_MPI(MPI_Bcast(first, (int)n, MPI_FLOAT, 0, comm->mpi));
    size_t wrong = n > 0 && memcmp(first, y, n * sizeof(float)) != 0;
    for (size_t i = 0; i < n; i++)
        wrong += !(y[i] - sum[i] <= 1e-5 * comm->size && sum[i] - y[i] <= 1e-5 * comm->size);
    array_free(x);
    array_free(y);
    array_free(first);
    array_free(sum);
    return sum_of_ranks(comm, wrong) == 0;
}

#endif
