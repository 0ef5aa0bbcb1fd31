/* What the three algorithms of rung 10 share: the layout of a rank's part of the node's buffers, and how sums are computed.
 * A rank that waits here for another one is seen by the watchdog (mpi/watch/watch.h) after some milliseconds.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALLREDUCE_10_WINDOW_H
#define MPI_COLLECTIVES_ALLREDUCE_10_WINDOW_H

#include "allreduce.h"
#include "mpi/segments.h"
#include "mpi/window.h"

enum { COUNT_SMALL, COUNT_CALLS, COUNT_STEPS }; /* NodeWindow.counter */

/* The number and the vector behind it: one cache line if the vector is short. */
typedef struct SmallSlot {
    _Alignas(WINDOW_LINE) _Atomic uint64_t number;
    char data[WINDOW_SMALL];
} SmallSlot;

/* What one rank writes and the others read. `staged` writes all of `in` but the rank's own chunk, and that chunk of `out`: two
 * segments in all, half of an L2 cache of 1 MB. */
typedef struct WindowPart {
    WindowFlag entered, left, staged, reduced;
    _Alignas(WINDOW_LINE) WindowPlace x, y; /* valid once `entered` says so */
    SmallSlot slot[2];
    _Alignas(WINDOW_LINE) char in[2][WINDOW_SEGMENT], out[2][WINDOW_SEGMENT];
} WindowPart;

_Static_assert(sizeof(WindowPart) <= WINDOW_STAGING, "the buffers of a rank are too small");

static inline WindowPart *
part_of(const NodeWindow *window, int i)
{
    return (WindowPart *)(void *)window->staging->part[i];
}

/* The three algorithms: n > 0, the same algorithm on all ranks. */

/* n elements are at most WINDOW_SMALL bytes; one node, at least two ranks. 10_window_small.c */
void window_small(NodeWindow *window, const void *x, void *y, size_t n, Element type, Reduction op);

/* All ranks' x and y are in the window, at these addresses here; one node. 10_window_direct.c */
void window_direct(NodeWindow *window, char *const *x, char *const *y, size_t n, Element type, Reduction op);

/* Anything. 10_window_staged.c */
void window_staged(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op);

/* Into each of `targets` vectors: the reduction of `sources` vectors in their order. A target may be a source. `streamed`: by
 * non-temporal stores, if the processor has them. 10_window_direct.c */
void window_reduce(const char *const *source, int sources, char *const *target, int targets, size_t n, Element type,
                   Reduction op, bool streamed);

#endif
