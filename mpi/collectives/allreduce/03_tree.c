/* allreduce, rung 3: tree.
 * Idea      a reduce to rank 0 and a broadcast from it, each along a binomial tree: a rank sends the sum of its complete
 *           subtree up, and forwards the result down.
 *
 *               reduce                                   broadcast
 *               step 1   1 -> 0, 3 -> 2, 5 -> 4          step 4   0 -> 4
 *               step 2   2 -> 0, 6 -> 4                  step 5   0 -> 2, 4 -> 6
 *               step 3   4 -> 0                          step 6   0 -> 1, 2 -> 3, 4 -> 5      (p = 7)
 *
 *           One rank makes the sum and the others copy it, so all have the same bits.
 * Before    p - 1 steps in a ring, 2 (p - 1) in the naive one; now ceil(lg p) up and ceil(lg p) down.
 * Cost      2 ceil(lg p) (alpha + n beta) + ceil(lg p) n gamma. For long vectors that is still the whole vector in every step,
 *           and most ranks are idle in most of them.
 * Wants     nothing.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "mpi/collectives/broadcast/broadcast.h"
#include "mpi/collectives/reduce/reduce.h"

void
allreduce_tree(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    reduce_binomial(comm, x, y, n, type, op, 0);
    broadcast_binomial(comm, y, n, type, 0);
}
