/* reduce_scatter, rung 3: recursive halving.
 * Idea      ranks that are p / 2 apart exchange halves of the vector: each reduces the half that contains its own chunk. Then
 *           ranks p / 4 apart exchange quarters, and so on until each has its chunk alone.
 *
 *               p = 4     0          1          2          3
 *               has       0123       0123       0123       0123      which chunks
 *               step 1    01         01         23         23        0 and 2, 1 and 3 exchange
 *               step 2    0          1          2          3         0 and 1, 2 and 3 exchange
 *
 *           Ranks that are not a power of two fold themselves to one first (mpi/fold.h).
 * Before    p - 1 steps, one after the other.
 * Cost      lg p alpha + n (p - 1) / p (beta + gamma) where p is a power of two. Else lg m steps for m = 2^floor(lg p) and in
 *           addition 2 alpha + (n + n / p) beta + n gamma for folding and unfolding.
 * Wants     a power of two.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "mpi/fold.h"
#include "reduce_scatter.h"

/* Reduces until only the chunks of my place are left: returns the vector that contains them, work or x itself. */
static const void *
halve(Comm *comm, const void *x, void *work, void *incoming, size_t n, Element type, Reduction op)
{
    const int p = comm->size, place = fold_place(p, comm->rank);
    for (int distance = fold_places(p) / 2; distance > 0; distance /= 2) {
        const int begin = place / distance * distance, their_begin = begin ^ distance;
        const int partner = fold_rank(p, place ^ distance);
        const Chunk keep = fold_block(n, p, begin, begin + distance);
        const Chunk give = fold_block(n, p, their_begin, their_begin + distance);
        point_exchange(comm, partner, element_at(x, type, give.first), give.count, partner, incoming, keep.count, type);
        combine(op, type, keep.count, element_at(x, type, keep.first), incoming, element_at(work, type, keep.first));
        x = work;
    }
    return x;
}

void
reduce_scatter_recursive(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const int p = comm->size, r = comm->rank;
    const Chunk mine = chunk_of(n, p, r);
    const bool paired = r < 2 * (p - fold_places(p));
    if (paired && r % 2 != 0) {
        point_send(comm, r - 1, x, n, type);
        point_receive(comm, r - 1, y, mine.count, type);
        return;
    }
    char *work = workspace(2 * n * element_size(type)), *incoming = work + n * element_size(type);
    if (paired) {
        point_receive(comm, r + 1, incoming, n, type);
        combine(op, type, n, x, incoming, work);
    }
    const void *sum = halve(comm, paired ? work : x, work, incoming, n, type, op);
    if (paired) {
        const Chunk theirs = chunk_of(n, p, r + 1);
        point_send(comm, r + 1, element_at(sum, type, theirs.first), theirs.count, type);
    }
    collective_copy(element_at(sum, type, mine.first), y, mine.count, type);
}
