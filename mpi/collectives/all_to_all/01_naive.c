/* all_to_all, rung 1: naive.
 * Idea      every rank exchanges rows with ranks 0, 1, 2, .. one after the other.
 *
 *               p = 4   step 1   0 and 1
 *                       step 2   0 and 2               1 waits: 2 is with 0
 *                       step 3   0 and 3, 1 and 2
 *                       step 4   1 and 3
 *                       step 5   2 and 3
 *
 * Cost      (2 p - 3) (alpha + n beta): all queue before rank 0, then before rank 1, and so on.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_to_all.h"

void
all_to_all_naive(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    for (int other = 0; other < comm->size; other++) {
        const void *out = all_to_all_row(x, n, type, other);
        void *in = all_to_all_row(y, n, type, other);
        if (other == comm->rank)
            collective_copy(out, in, n, type);
        else
            point_exchange(comm, other, out, n, other, in, n, type);
    }
}
