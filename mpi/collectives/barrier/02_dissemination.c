/* barrier, rung 2: dissemination.
 * Idea      in step k every rank tells the one 2^k further on in the ring, and hears from the one 2^k before it, that all of
 *           whom it knows have come: of itself, then of two, of four, .. and after ceil(lg p) steps of all.
 *
 *               p = 5     rank 0 knows of    0
 *               step 1    hears from 4       4 0
 *               step 2    hears from 3       2 3 4 0
 *               step 3    hears from 1       all: 1 itself knew of 3 4 0 1
 *
 * Before    rank 0 heard and told p - 1 ranks one after the other.
 * Cost      ceil(lg p) alpha, with any p.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "barrier.h"

void
barrier_dissemination(Comm *comm)
{
    const int p = comm->size, r = comm->rank;
    for (int step = 1; step < p; step *= 2)
        point_exchange(comm, (r + step) % p, NULL, 0, (r + p - step) % p, NULL, 0, ELEMENT_BYTE);
}
