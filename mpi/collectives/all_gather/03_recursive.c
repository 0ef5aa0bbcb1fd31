/* all_gather, rung 3: recursive doubling.
 * Idea      neighbours exchange their chunks, then pairs of neighbours what they have, and so on: what a rank has doubles in
 *           each step.
 *
 *               p = 4     0          1          2          3
 *               has       0          1          2          3         which chunks
 *               step 1    01         01         23         23        0 and 1, 2 and 3 exchange
 *               step 2    0123       0123       0123       0123      0 and 2, 1 and 3 exchange
 *
 *           Ranks that are not a power of two fold themselves to one first (mpi/fold.h).
 * Before    p - 1 steps, one after the other.
 * Cost      lg p alpha + n (p - 1) / p beta where p is a power of two; else in addition 2 alpha + (n + n / p) beta.
 * Wants     a power of two.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "mpi/fold.h"

static void
double_up(Comm *comm, void *y, size_t n, Element type)
{
    const int p = comm->size, place = fold_place(p, comm->rank), places = fold_places(p);
    for (int distance = 1; distance < places; distance *= 2) {
        const int begin = place / distance * distance, their_begin = begin ^ distance;
        const int partner = fold_rank(p, place ^ distance);
        const Chunk ours = fold_block(n, p, begin, begin + distance);
        const Chunk theirs = fold_block(n, p, their_begin, their_begin + distance);
        point_exchange(comm, partner, element_at(y, type, ours.first), ours.count, partner,
                       element_at(y, type, theirs.first), theirs.count, type);
    }
}

void
all_gather_recursive(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const int p = comm->size, r = comm->rank;
    const Chunk mine = chunk_of(n, p, r);
    const bool paired = r < 2 * (p - fold_places(p));
    if (paired && r % 2 != 0) {
        point_send(comm, r - 1, x, mine.count, type);
        point_receive(comm, r - 1, y, n, type);
        return;
    }
    collective_copy(x, element_at(y, type, mine.first), mine.count, type);
    if (paired) {
        const Chunk theirs = chunk_of(n, p, r + 1);
        point_receive(comm, r + 1, element_at(y, type, theirs.first), theirs.count, type);
    }
    double_up(comm, y, n, type);
    if (paired)
        point_send(comm, r + 1, y, n, type);
}
