/* all_to_all, rung 2: pairwise.
 * Idea      in step s every rank sends to the one s after it and receives from the one s before it: all are busy in every
 *           step, and no two ever send to the same one.
 * Before    ranks queued for rank 0, then for rank 1, and so on: nearly twice as many steps.
 * Cost      (p - 1) (alpha + n beta): the fewest bytes that are possible.
 * Wants     long rows: there are p - 1 messages.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_to_all.h"

void
all_to_all_pairwise(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const int p = comm->size, r = comm->rank;
    collective_copy(all_to_all_row(x, n, type, r), all_to_all_row(y, n, type, r), n, type);
    for (int step = 1; step < p; step++) {
        const int to = (r + step) % p, from = (r + p - step) % p;
        point_exchange(comm, to, all_to_all_row(x, n, type, to), n, from, all_to_all_row(y, n, type, from), n, type);
    }
}
