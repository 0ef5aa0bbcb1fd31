/* allreduce, rung 7: Rabenseifner's algorithm.
 * Idea      the ring's two halves, with the steps of recursive doubling. Recursive halving: ranks p / 2 apart exchange halves of
 *           the vector, each reduces the half that contains its own chunk; then quarters with ranks p / 4 apart, until each
 *           rank has its chunk alone. Then the same backwards, with finished chunks.
 *
 *               p = 4     0         1         2         3        chunks of the vector that a rank works on
 *                         0123      0123      0123      0123
 *               step 1    01        01        23        23       0 and 2, 1 and 3 exchange halves and reduce
 *               step 2    0         1         2         3        0 and 1, 2 and 3 exchange quarters and reduce
 *               step 3    01        01        23        23       0 and 1, 2 and 3 exchange finished quarters
 *               step 4    0123      0123      0123      0123     0 and 2, 1 and 3 exchange finished halves
 *
 *           Only one rank finishes a chunk, so all have the same bits.
 * Before    the ring's 2 (p - 1) steps; recursive doubling's whole vectors.
 * Cost      2 lg p alpha + 2 n (p - 1) / p beta + n (p - 1) / p gamma where p is a power of two: few messages and few bytes. Else
 *           2 alpha + 2 n beta + n gamma more for pairs (pairs.h).
 * Wants     a power of two. Its partners are far apart, where a ring talks to neighbours only: on a network that matters.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/workspace.h"
#include "pairs.h"

/* Leaves chunk `place` of the result in y, of x and of what the partners send. At each distance a place works on the block of
 * `distance` chunks that contains its own, and its partner on the neighbouring block. */
static void
halve(Comm *comm, int places, const void *x, void *y, void *incoming, size_t n, Element type, Reduction op)
{
    const int place = fold_place(comm->size, comm->rank);
    for (int distance = places / 2; distance > 0; distance /= 2) {
        const int begin = place / distance * distance, their_begin = begin ^ distance;
        const int partner = fold_rank(comm->size, place ^ distance);
        const Chunk keep = chunks_of(n, places, begin, begin + distance);
        const Chunk give = chunks_of(n, places, their_begin, their_begin + distance);
        point_exchange(comm, partner, element_at(x, type, give.first), give.count, partner, incoming, keep.count, type);
        combine(op, type, keep.count, element_at(x, type, keep.first), incoming, element_at(y, type, keep.first));
        x = y;
    }
}

static void
double_up(Comm *comm, int places, void *y, size_t n, Element type)
{
    const int place = fold_place(comm->size, comm->rank);
    for (int distance = 1; distance < places; distance *= 2) {
        const int begin = place / distance * distance, their_begin = begin ^ distance;
        const int partner = fold_rank(comm->size, place ^ distance);
        const Chunk ours = chunks_of(n, places, begin, begin + distance);
        const Chunk theirs = chunks_of(n, places, their_begin, their_begin + distance);
        point_exchange(comm, partner, element_at(y, type, ours.first), ours.count, partner,
                       element_at(y, type, theirs.first), theirs.count, type);
    }
}

void
allreduce_rabenseifner(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const int places = fold_places(comm->size);
    if (places == 1) {
        collective_copy(x, y, n, type);
        return;
    }
    void *incoming = workspace(n * element_size(type));
    if (!pair_joins(comm, &x, y, incoming, n, type, op))
        return;
    halve(comm, places, x, y, incoming, n, type, op);
    double_up(comm, places, y, n, type);
    pair_parts(comm, y, n, type);
}
