/* Rung 10 of allreduce for private vectors: through buffers that all can read, segment by segment, so that the buffers stay in
 * the caches. A pipeline of three stages; two buffers of each kind, for even and odd segments:
 *
 *     step k     gather segment k - 2    stage segment k         reduce segment k - 1
 *                all ranks' out -> y     x -> my in              chunk r of all ranks' in -> my out
 *
 * Several nodes: place j of each node reduces chunk j within its node, then across the nodes with those at its place.
 * SPDX-License-Identifier: MIT */
#include "10_window.h"
#include "mpi/segments.h"

typedef struct Staged {
    Comm *comm;
    NodeWindow *window;
    WindowPart *mine;
    const char *x;
    char *y;
    size_t n, segment; /* elements: of the vector, of a segment */
    Element type;
    Reduction op;
    int owners;     /* the first `owners` places of the node have a chunk */
    uint64_t begin; /* the number of segment 0; segments are counted on from call to call */
} Staged;

static size_t
bytes_of(const Staged *s, size_t elements)
{
    return elements * element_size(s->type);
}

static Chunk
chunk_in(const Staged *s, Chunk segment, int owner)
{
    return owner < s->owners ? chunk_of_lines(segment.count, element_size(s->type), s->owners, owner)
                             : (Chunk){segment.count, 0};
}

static void
stage(const Staged *s, size_t k)
{
    /* The buffer held segment k - 2, which all ranks have reduced: gather has waited for that. */
    const Chunk segment = segment_of(s->n, s->segment, k), own = chunk_in(s, segment, s->window->rank);
    char *in = s->mine->in[(s->begin + k) % 2];
    const char *x = s->x + bytes_of(s, segment.first);
    const size_t end = own.first + own.count; /* my own chunk is reduced from x */
    memcpy(in, x, bytes_of(s, own.first));
    memcpy(in + bytes_of(s, end), x + bytes_of(s, end), bytes_of(s, segment.count - end));
    window_raise(&s->mine->staged, s->begin + k + 1);
}

static void
reduce(const Staged *s, size_t k)
{
    const NodeWindow *window = s->window;
    const Chunk segment = segment_of(s->n, s->segment, k), own = chunk_in(s, segment, window->rank);
    const int slot = (int)((s->begin + k) % 2);
    const char *source[WINDOW_RANKS] = {NULL};
    for (int i = 0; i < window->ranks; i++) {
        const WindowPart *part = part_of(window, i);
        /* A rank that has staged segment k has gathered segment k - 2: the buffer `out` is free, too. */
        window_await(window, &part->staged.number, s->begin + k + 1);
        source[i] =
            i == window->rank ? s->x + bytes_of(s, segment.first + own.first) : part->in[slot] + bytes_of(s, own.first);
    }
    char *out = s->mine->out[slot], *y = s->y + bytes_of(s, segment.first + own.first);
    if (!window->several_nodes) {
        window_reduce(source, window->ranks, (char *[]){out, y}, 2, own.count, s->type, s->op, false);
    } else if (own.count > 0) {
        window_reduce(source, window->ranks, &out, 1, own.count, s->type, s->op, false);
        allreduce_ring(s->comm->across, out, out, own.count, s->type, s->op);
        memcpy(y, out, bytes_of(s, own.count));
    }
    window_raise(&s->mine->reduced, s->begin + k + 1);
}

static void
gather(const Staged *s, size_t k)
{
    const NodeWindow *window = s->window;
    const Chunk segment = segment_of(s->n, s->segment, k);
    for (int i = 0; i < window->ranks; i++) {
        const WindowPart *part = part_of(window, i);
        const Chunk chunk = chunk_in(s, segment, i);
        window_await(window, &part->reduced.number, s->begin + k + 1);
        if (i != window->rank)
            memcpy(s->y + bytes_of(s, segment.first + chunk.first), part->out[(s->begin + k) % 2],
                   bytes_of(s, chunk.count));
    }
}

void
window_staged(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    NodeWindow *window = window_of(comm);
    Staged s = {.comm = comm,
                .window = window,
                .mine = part_of(window, window->rank),
                .x = x,
                .y = y,
                .n = n,
                .segment = WINDOW_SEGMENT / element_size(type),
                .type = type,
                .op = op,
                .owners = window->several_nodes ? comm->node_smallest : window->ranks,
                .begin = window->counter[COUNT_STEPS]};
    const size_t segments = segments_of(n, s.segment);
    for (size_t k = 0; k < segments + 2; k++) {
        if (k >= 2)
            gather(&s, k - 2);
        if (k < segments)
            stage(&s, k);
        if (k >= 1 && k <= segments)
            reduce(&s, k - 1);
    }
    window->counter[COUNT_STEPS] += segments;
}
