/* allreduce, rung 4: recursive doubling.
 * Idea      neighbours exchange their vectors and both add them up. Then pairs of neighbours do the same with their sums, then
 *           fours: in each step a rank's sum covers twice as many ranks.
 *
 *               p = 4     0       1       2       3
 *               has       a       b       c       d
 *               step 1    ab      ab      cd      cd         0 and 1, 2 and 3 exchange
 *               step 2    abcd    abcd    abcd    abcd       0 and 2, 1 and 3 exchange
 *
 *           Both partners compute the same sum. The lower rank's vector is the first operand in both, so that they also get the
 *           same bits: the minimum of 0 and -0, or the sum of two NaN, depends on the order.
 * Before    the tree went up and down again, with half of the ranks idle in the first step and all but two in the last one up.
 * Cost      lg p (alpha + n beta + n gamma) where p is a power of two, else 2 alpha + 2 n beta + n gamma more for pairs
 *           (pairs.h). The fewest steps that are possible: optimal for a short, latency-bound vector.
 * Wants     a power of two, and a short vector.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/workspace.h"
#include "pairs.h"

void
allreduce_recursive_doubling(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const int p = comm->size, places = fold_places(p), place = fold_place(p, comm->rank);
    void *incoming = workspace(n * element_size(type));
    const void *sum = x; /* x until something has been added to it */
    if (!pair_joins(comm, &sum, y, incoming, n, type, op))
        return;
    for (int distance = 1; distance < places; distance *= 2) {
        const int partner = fold_rank(p, place ^ distance);
        point_exchange(comm, partner, sum, n, partner, incoming, n, type);
        const bool lower = comm->rank < partner;
        combine(op, type, n, lower ? sum : incoming, lower ? incoming : sum, y);
        sum = y;
    }
    collective_copy(sum, y, n, type); /* one rank alone has added nothing */
    pair_parts(comm, y, n, type);
}
