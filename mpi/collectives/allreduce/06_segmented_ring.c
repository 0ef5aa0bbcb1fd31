/* allreduce, rung 6: segmented ring.
 * Idea      cut each chunk of the ring into segments. While one is being reduced, the next one comes in and the one before goes
 *           out; and a segment is still in the cache when it is reduced and when it is sent on.
 *
 *               ring             [ receive chunk                 ][ reduce it      ][ send it ..
 *               segmented ring   [ receive 0 ][ receive 1 ][ receive 2 ][ receive 3 ]
 *                                             [ reduce 0 ] [ reduce 1 ] [ reduce 2 ] [ reduce 3 ]
 *                                                          [ send 0   ] [ send 1   ] [ send 2 ..
 *
 *           Segment t is what travels at time t: first all segments of the chunk of step 0, then those of step 1, and so on. What
 *           goes out at time t came in one step, that is `segments` times, before.
 * Before    links were idle while ranks reduced, and a long chunk had been evicted from the cache before it was used.
 * Cost      2 (p - 1) n / p beta for the bytes, n (p - 1) / p gamma overlapped with them as far as the transfer does not occupy
 *           the core, and alpha for each segment.
 * Wants     a long vector: one segment in a chunk is the ring again.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/workspace.h"
#include "mpi/ring.h"
#include "mpi/segments.h"

typedef struct Ring {
    Comm *comm;
    const void *x;
    void *y, *incoming; /* room for two segments: one is reduced while the next comes in */
    size_t n, segment;  /* elements of the vector and of a segment */
    int segments;       /* of a chunk, the last ones maybe empty: the same number for all chunks */
    Element type;
    Reduction op;
} Ring;

/* Why RING_SEGMENT: a segment that has come in, and those of x and y that it is reduced with, stay in an L2 cache of 1 MiB. On two
 * cores of a Zen 5 half as much cost 5 % from 1 to 4 MiB, for more messages, and four times as much 10 % at 64 MiB, for the
 * cache. */
static Ring
ring_of(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const size_t segment = RING_SEGMENT / element_size(type), longest = chunk_of(n, comm->size, 0).count;
    return (Ring){.comm = comm,
                  .x = x,
                  .y = y,
                  .n = n,
                  .segment = segment,
                  .type = type,
                  .op = op,
                  .segments = (int)segments_of(longest, segment),
                  .incoming = workspace(2 * (size_t)RING_SEGMENT)};
}

/* What travels at time t if chunk `first` does in step 0. */
static Chunk
segment_at(const Ring *ring, int first, int t)
{
    const int step = t / ring->segments;
    const Chunk chunk = chunk_of(ring->n, ring->comm->size, ring_rank(ring->comm, first - step));
    const Chunk segment = segment_of(chunk.count, ring->segment, (size_t)(t % ring->segments));
    return (Chunk){chunk.first + segment.first, segment.count};
}

static void *
incoming_at(const Ring *ring, int t)
{
    return element_at(ring->incoming, ring->type, (size_t)(t % 2) * ring->segment);
}

static void
begin_receive(const Ring *ring, bool reduces, Chunk in, int t, Pending *pending)
{
    const int before = ring_rank(ring->comm, ring_place(ring->comm) - 1);
    void *to = reduces ? incoming_at(ring, t) : element_at(ring->y, ring->type, in.first);
    point_begin_receive(ring->comm, before, to, in.count, ring->type, pending);
}

static void
begin_send(const Ring *ring, bool reduces, Chunk out, int t, Pending *pending)
{
    const int next = ring_rank(ring->comm, ring_place(ring->comm) + 1);
    const void *from = reduces && t < ring->segments ? ring->x : ring->y; /* x as it is, then sums */
    point_begin_send(ring->comm, next, element_at(from, ring->type, out.first), out.count, ring->type, pending);
}

/* Chunk `first` goes out in step 0, and the one before it comes in: to be reduced, or to be kept. At most two receives and two
 * sends are under way. */
static void
go_around(const Ring *ring, int first, bool reduces)
{
    const int times = (ring->comm->size - 1) * ring->segments;
    Pending receive[2], send[2];
    begin_receive(ring, reduces, segment_at(ring, first - 1, 0), 0, &receive[0]);
    for (int t = 0; t < times; t++) {
        const Chunk in = segment_at(ring, first - 1, t);
        if (t + 1 < times)
            begin_receive(ring, reduces, segment_at(ring, first - 1, t + 1), t + 1, &receive[(t + 1) % 2]);
        if (t >= 2)
            point_wait(&send[t % 2]);
        begin_send(ring, reduces, segment_at(ring, first, t), t, &send[t % 2]);
        point_wait(&receive[t % 2]);
        if (reduces)
            combine(ring->op, ring->type, in.count, incoming_at(ring, t), element_at(ring->x, ring->type, in.first),
                    element_at(ring->y, ring->type, in.first));
    }
    for (int t = times > 2 ? times - 2 : 0; t < times; t++)
        point_wait(&send[t % 2]);
}

void
allreduce_segmented_ring(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (comm->size == 1) {
        collective_copy(x, y, n, type);
        return;
    }
    const Ring ring = ring_of(comm, x, y, n, type, op);
    go_around(&ring, ring_place(comm) - 1, true); /* reduce-scatter */
    go_around(&ring, ring_place(comm), false);    /* all-gather */
}
