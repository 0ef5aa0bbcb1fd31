/* All-reduces that go wrong as rings do, besides those of tests/wrong/collectives.h. The checkers must reject each of them
 * (tests/mpi/test_wrong_allreduce_mpi.c). They are included, not linked: nobody else may use them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_ALLREDUCE_H
#define TESTS_WRONG_ALLREDUCE_H

#include "core/array.h"
#include "mpi/collectives/allreduce/allreduce.h"

#define ALL_REDUCE_PARAMETERS Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op

/* Puts what comes in last where the chunk beside it belongs. */
static void
wrong_ring_swaps_chunks(ALL_REDUCE_PARAMETERS)
{
    allreduce_ring(comm, x, y, n, type, op);
    const size_t bytes = n / (size_t)comm->size * element_size(type);
    char *first = y, *last = element_at(y, type, chunk_of(n, comm->size, comm->size - 1).first);
    for (size_t i = 0; i < bytes; i++) {
        const char keep = first[i];
        first[i] = last[i];
        last[i] = keep;
    }
}

/* One step too many: a rank's own chunk is added twice. */
static void
wrong_ring_doubles(ALL_REDUCE_PARAMETERS)
{
    const Chunk chunk = chunk_of(n, comm->size, comm->rank);
    char *input = ARRAY(char, n *element_size(type));
    memcpy(input, x, n * element_size(type));
    void *mine = element_at(input, type, chunk.first);
    combine(op, type, chunk.count, mine, mine, mine);
    allreduce_ring(comm, input, y, n, type, op);
    array_free(input);
}

/* Whole vectors go around and are added as they arrive, in another order at each rank: `steps` of them. */
static void
add_as_they_arrive(ALL_REDUCE_PARAMETERS, int steps)
{
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    const size_t bytes = n * element_size(type);
    char *out = ARRAY(char, bytes), *in = ARRAY(char, bytes);
    memcpy(out, x, bytes);
    collective_copy(x, y, n, type);
    for (int step = 0; step < steps; step++) {
        point_exchange(comm, next, out, n, before, in, n, type);
        combine(op, type, n, y, in, y);
        memcpy(out, in, bytes);
    }
    array_free(out);
    array_free(in);
}

/* One step too few: every rank lacks the vector of the one behind it. */
static void
wrong_ring_stops_early(ALL_REDUCE_PARAMETERS)
{
    add_as_they_arrive(comm, x, y, n, type, op, comm->size - 2);
}

/* Whole numbers come out right. Floats are rounded differently on each rank, and networks that should be the same drift apart. */
static void
wrong_ring_other_bits(ALL_REDUCE_PARAMETERS)
{
    add_as_they_arrive(comm, x, y, n, type, op, comm->size - 1);
}

/* Clears the sum before it has read x: right out of place only. */
static void
wrong_ring_in_place(ALL_REDUCE_PARAMETERS)
{
    char *sum = ARRAY(char, n *element_size(type));
    memset(y, 0, n * element_size(type));
    allreduce_ring(comm, x, sum, n, type, op);
    memcpy(y, sum, n * element_size(type));
    array_free(sum);
}

/* Right but for one rank's last bit: no two ranks would notice by themselves. */
static void
wrong_ring_last_bit(ALL_REDUCE_PARAMETERS)
{
    allreduce_ring(comm, x, y, n, type, op);
    if (comm->rank == comm->size - 1)
        *(char *)element_at(y, type, n - 1) ^=
            1; /* the least significant one of a float, on processors that begin with it */
}

typedef struct WrongAllReduce {
    const char *name;
    AllReduce *function;
    int ranks; /* with fewer it is right */
} WrongAllReduce;

static const WrongAllReduce wrong_allreduces[] = {
    {"swaps chunks", wrong_ring_swaps_chunks, 2}, {"doubles", wrong_ring_doubles, 1},
    {"stops early", wrong_ring_stops_early, 2},   {"other bits", wrong_ring_other_bits, 3},
    {"in place", wrong_ring_in_place, 1},         {"last bit", wrong_ring_last_bit, 1},
};
enum { WRONG_ALLREDUCES = sizeof(wrong_allreduces) / sizeof(wrong_allreduces[0]) };

#endif
