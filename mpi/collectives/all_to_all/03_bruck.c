/* all_to_all, rung 3: Bruck.
 * Idea      a row that has to go d ranks further takes the steps of d's bits: 5 = 101b goes 1 further, then 4. In step k all
 *           rows whose d has bit k go 2^k ranks further together, in one message.
 * Before    p - 1 messages.
 * Cost      ceil(lg p) (alpha + about p / 2 n beta): a row is sent lg p / 2 times on average, and copied each time.
 * Wants     short rows.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "all_to_all.h"
#include "core/workspace.h"

/* The rows of held that go in this step, packed one behind the other: their number. */
static int
pack(const void *held, void *out, int p, int bit, size_t n, Element type)
{
    int rows = 0;
    for (int d = 0; d < p; d++)
        if ((d & bit) != 0)
            collective_copy(all_to_all_row(held, n, type, d), all_to_all_row(out, n, type, rows++), n, type);
    return rows;
}

static void
unpack(const void *in, void *held, int p, int bit, size_t n, Element type)
{
    int rows = 0;
    for (int d = 0; d < p; d++)
        if ((d & bit) != 0)
            collective_copy(all_to_all_row(in, n, type, rows++), all_to_all_row(held, n, type, d), n, type);
}

void
all_to_all_bruck(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const int p = comm->size, r = comm->rank;
    char *held =
        workspace(3 * (size_t)p * n * element_size(type)); /* row d has to go d ranks further than where it began */
    void *out = all_to_all_row(held, n, type, p), *in = all_to_all_row(held, n, type, 2 * p);
    for (int d = 0; d < p; d++)
        collective_copy(all_to_all_row(x, n, type, (r + d) % p), all_to_all_row(held, n, type, d), n, type);
    for (int bit = 1; bit < p; bit *= 2) {
        const size_t count = (size_t)pack(held, out, p, bit, n, type) * n;
        point_exchange(comm, (r + bit) % p, out, count, (r + p - bit) % p, in, count, type);
        unpack(in, held, p, bit, n, type);
    }
    for (int d = 0; d < p; d++) /* what has come d ranks far began d ranks before me */
        collective_copy(all_to_all_row(held, n, type, d), all_to_all_row(y, n, type, (r + p - d) % p), n, type);
}
