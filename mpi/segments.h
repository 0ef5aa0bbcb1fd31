/* The segment sizes of rungs, in bytes: what a rung does and what the cost model (mpi/model/) counts for it have the same
 * number. Why it is this one stands in the rung.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_SEGMENTS_H
#define MPI_SEGMENTS_H

enum {
    RING_SEGMENT = 256 * 1024, /* collectives/allreduce/06_segmented_ring.c */
    CHAIN_SEGMENT = 64 * 1024, /* collectives/broadcast/04_chain.c */
    WINDOW_SMALL = 4096,       /* collectives/allreduce/10_window.h: the longest vector of `small`, */
    WINDOW_PIECE = 256 * 1024  /* and a segment of `staged` */
};

#endif
