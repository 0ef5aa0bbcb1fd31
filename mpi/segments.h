/* A long vector split into segments of one length, the last maybe shorter, that are processed one after the other: messages
 * that an int can count, stages of a pipeline, blocks that fit into a cache.
 *
 *     n = 10, length = 4      0 1 2 3 | 4 5 6 7 | 8 9
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_SEGMENTS_H
#define MPI_SEGMENTS_H

#include "mpi/chunk.h"

/* The segment sizes of rungs, in bytes: what a rung does and what the cost model (mpi/model/) counts for it have the same
 * number. Why it is this one stands in the rung. */
enum {
    RING_SEGMENT = 256 * 1024,  /* collectives/allreduce/06_segmented_ring.c */
    CHAIN_SEGMENT = 64 * 1024,  /* collectives/broadcast/04_chain.c */
    WINDOW_SMALL = 4096,        /* collectives/allreduce/10_window.h: the longest vector of `small`, */
    WINDOW_SEGMENT = 256 * 1024 /* and a segment of `staged` */
};

/* How many; at least one: an empty vector is one empty segment. length > 0. */
static inline size_t
segments_of(size_t n, size_t length)
{
    return n <= length ? 1 : (n - 1) / length + 1;
}

/* Segment i; empty behind the last one. i * length must fit into a size_t. */
static inline Chunk
segment_of(size_t n, size_t length, size_t i)
{
    const size_t first = i * length < n ? i * length : n, rest = n - first;
    return (Chunk){first, rest < length ? rest : length};
}

#endif
