/* allreduce, rung 10: window.
 * Idea      the ranks of a node see each other's memory, so nothing needs to be sent. Three algorithms use it:
 *             small    each rank writes its vector behind a number that says when it is there; all read all of them.
 *             direct   the vectors themselves are in shared memory (window_allocate): rank r reduces chunk r of all of them and
 *                      writes the result into all of them.
 *             staged   the vectors are private: the same through buffers that stay in the caches, segment by segment.
 * Before    a ring whose messages go through the library's buffers moves 11 n (p - 1) / p bytes through each core.
 * Now       direct: 2 n, n read and n written; staged: 5 n - 2 n / p, of which 3 n - 2 n / p in cache (p = 2: 4 n and 2 n); no
 *           alpha but the time that a cache line needs from core to core: one for small, two for the others.
 * Wants     ranks of a node that can share memory. Several nodes: each place reduces its chunk across the nodes by messages.
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "10_window.h"

/* Publishes where my vectors are and reads where the others' are: x[i] and y[i] are their addresses here. False, on all ranks
 * of the node, if any of them is private. No rank returns before all have called. */
static bool
all_shared(NodeWindow *window, const void *x, void *y, size_t bytes, char **x_at, char **y_at)
{
    /* The slots of the last call are free: all ranks have left that call, since all have entered this one. */
    const uint64_t call = ++window->counter[COUNT_CALLS];
    WindowPart *mine = part_of(window, window->rank);
    mine->x = window_find(window, x, bytes);
    mine->y = x == y ? mine->x : window_find(window, y, bytes);
    window_raise(&mine->entered, call);
    bool shared = true;
    for (int i = 0; i < window->ranks; i++) {
        const WindowPart *other = part_of(window, i);
        window_await(window, &other->entered.number, call);
        x_at[i] = window_at(window, i, other->x);
        y_at[i] = window_at(window, i, other->y);
        shared = shared && x_at[i] != NULL && y_at[i] != NULL;
    }
    return shared;
}

bool
allreduce_window_accepts(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)n, (void)type;
    return window_possible(comm, reason);
}

void
allreduce_window(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (n == 0 || comm->size == 1) {
        collective_copy(x, y, n, type);
        return;
    }
    NodeWindow *window = window_of(comm);
    const size_t bytes = n * element_size(type);
    if (window->several_nodes) {
        window_staged(comm, x, y, n, type, op);
        return;
    }
    if (bytes <= WINDOW_SMALL) {
        window_small(window, x, y, n, type, op);
        return;
    }
    char *x_at[WINDOW_RANKS], *y_at[WINDOW_RANKS];
    /* No vectors are in shared memory before window_allocate was called, which is collective. */
    if (window->segments != NULL && all_shared(window, x, y, bytes, x_at, y_at))
        window_direct(window, x_at, y_at, n, type, op);
    else
        window_staged(comm, x, y, n, type, op);
}
