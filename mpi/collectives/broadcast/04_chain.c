/* broadcast, rung 4: pipelined chain.
 * Idea      the ranks stand in a chain that begins at the root, and the vector is split into k segments. A rank forwards a
 *           segment while it receives the next one, so that soon all links are busy.
 *
 *               time    1    2    3    4    5          k = 3 segments a b c, p = 4
 *               0 -> 1  a    b    c
 *               1 -> 2       a    b    c
 *               2 -> 3            a    b    c
 *
 * Before    each byte left a rank twice.
 * Cost      (k + p - 2) (alpha + n / k beta): for a long vector about n beta, what a single message takes. The best k is
 *           sqrt((p - 2) n beta / alpha); here a segment has CHAIN_SEGMENT bytes whatever the machine.
 * Wants     a vector of many segments.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "mpi/collectives/tree.h"
#include "mpi/segments.h"

void
broadcast_chain(Comm *comm, void *x, size_t n, Element type, int root)
{
    const int p = comm->size, v = relative_rank(comm, root);
    const int before = absolute_rank(comm, v + p - 1, root), next = absolute_rank(comm, v + 1, root);
    const bool is_first = v == 0, is_last = v == p - 1;
    const size_t length = CHAIN_SEGMENT / element_size(type), segments = segments_of(n, length);
    if (!is_first)
        point_receive(comm, before, x, segment_of(n, length, 0).count, type);
    for (size_t i = 0; i < segments; i++) {
        const bool more = !is_first && i + 1 < segments;
        const Chunk out = segment_of(n, length, i), in = more ? segment_of(n, length, i + 1) : (Chunk){0, 0};
        void *from = element_at(x, type, out.first), *to = element_at(x, type, in.first);
        if (more && !is_last)
            point_exchange(comm, next, from, out.count, before, to, in.count, type);
        else if (more)
            point_receive(comm, before, to, in.count, type);
        else if (!is_last)
            point_send(comm, next, from, out.count, type);
    }
}
