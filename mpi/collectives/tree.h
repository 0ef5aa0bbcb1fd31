/* Ranks counted from the root, and the binomial tree on them.
 *
 *         0           p = 7, relative ranks: the root is 0. A rank's lowest bit says where it belongs: its parent is the
 *       / | \         rank without that bit, and its subtree the ranks from itself on; their number is that bit's value.
 *      4  2  1
 *     / \  \          4 = 100b   parent 000b   subtree 4, 5, 6 (7 would be the fourth)
 *    6   5  3         6 = 110b   parent 100b   subtree 6
 *                     5 = 101b   parent 100b   subtree 5
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_TREE_H
#define MPI_COLLECTIVES_TREE_H

#include "mpi/collectives/collectives.h"

static inline int
relative_rank(const Comm *comm, int root)
{
    return (comm->rank - root + comm->size) % comm->size;
}

static inline int
absolute_rank(const Comm *comm, int relative, int root)
{
    return (relative + root) % comm->size;
}

/* The ranks of relative rank v's subtree are v .. v + tree_span - 1. */
static inline int
tree_span(const Comm *comm, int v)
{
    const int bit = v & -v, rest = comm->size - v;
    return v == 0 || bit > rest ? rest : bit;
}

/* v's lowest bit; for the root the first power of two that is not below p. v's parent is v - reach, its children are v + bit for
 * all smaller powers of two, as long as they are below p. */
static inline int
tree_reach(const Comm *comm, int v)
{
    int bit = 1;
    while (bit < comm->size && (v & bit) == 0)
        bit *= 2;
    return bit;
}

/* Where the chunk of relative rank v begins if chunks stand in the order of relative ranks; for v = p: where they end. */
static inline size_t
relative_first(const Comm *comm, size_t n, int root, int v)
{
    const int p = comm->size;
    const size_t before_root = chunk_of(n, p, root).first;
    return root + v < p ? chunk_of(n, p, root + v).first - before_root
                        : n - before_root + chunk_of(n, p, root + v - p).first;
}

/* y = x from element k on, then the first k elements of x. */
static inline void
rotate_copy(const void *x, size_t k, void *y, size_t n, Element type)
{
    collective_copy(element_at(x, type, k), y, n - k, type);
    collective_copy(x, element_at(y, type, n - k), k, type);
}

#endif
