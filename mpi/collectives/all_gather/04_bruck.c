/* all_gather, rung 4: Bruck.
 * Idea      everyone counts chunks from its own one. In step k a rank sends all that it has to the rank 2^k before it, and puts
 *           what comes from the rank 2^k after it at the end; the last step sends only what is missing. No rank is special, so
 *           any number of them will do; in the end the vector is rotated so that chunk 0 comes first.
 *
 *               p = 5     0         1         2         3         4
 *               has       0         1         2         3         4          which chunks
 *               step 1    01        12        23        34        40         from the next rank
 *               step 2    0123      1234      2340      3401      4012       from the one 2 after it
 *               step 3    01234     12340     23401     34012     40123      from the one 4 after it, one chunk only
 *
 * Before    ranks that were not a power of two folded, which sent the whole vector once more.
 * Cost      ceil(lg p) alpha + n (p - 1) / p beta, for any p; and the whole vector is copied once.
 * Wants     short chunks, where the copy costs less than messages.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "core/workspace.h"
#include "mpi/collectives/tree.h"

void
all_gather_bruck(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const int p = comm->size, r = comm->rank;
    void *held = workspace(n * element_size(type)); /* chunks r, r + 1, .. */
    collective_copy(x, held, chunk_of(n, p, r).count, type);
    for (int have = 1; have < p; have *= 2) {
        const int more = have < p - have ? have : p - have; /* chunks */
        const int to = (r + p - have) % p, from = (r + have) % p;
        const size_t first = relative_first(comm, n, r, have);
        point_exchange(comm, to, held, relative_first(comm, n, r, more), from, element_at(held, type, first),
                       relative_first(comm, n, r, have + more) - first, type);
    }
    rotate_copy(held, n - chunk_of(n, p, r).first, y, n, type);
}
