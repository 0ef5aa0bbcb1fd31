/* Memory that the ranks of a node share: what one of them writes there, the others read in place, without a message.
 *
 *     window_allocate   vectors in such memory: each rank has a part of its own, and sees those of the others
 *     window_find       the place of a vector in it; window_at: the same place in another rank's part
 *     NodeWindow        flags and buffers that collectives of the node use among themselves (mpi/collectives/allreduce/10_window.c)
 *
 * One rank writes, others read, and a flag says when: a number that only grows, so that nothing needs to be reset. The writer
 * stores it with release after the data, the reader loads it with acquire before the data (C11 7.17.3): then it sees the data.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WINDOW_H
#define MPI_WINDOW_H

#include "core/error.h"
#include "mpi/comm.h"
#include "mpi/shared_memory.h"
#include <stdatomic.h>
#include <stdint.h>

enum {
    WINDOW_LINE = 128,           /* bytes that no two writers may share: processors fetch cache lines of 64 in pairs */
    WINDOW_STAGING = 1280 << 10, /* bytes of each rank's part of the buffers */
    WINDOW_RANKS = 256,          /* of a node, at most */
    WINDOW_COUNTERS = 3
};

typedef struct WindowFlag {
    _Alignas(WINDOW_LINE) _Atomic uint64_t number;
} WindowFlag;

/* Memory that was allocated together. Numbered from 1 in the order of allocation, which is the same on all ranks. */
typedef struct WindowSegment {
    SharedMemory memory; /* none if it is a slot of a pool */
    int slot;            /* then this one (mpi/window_pool.h) */
    uint32_t id;
    size_t *bytes; /* [ranks] of each part */
    char **part;   /* [ranks] their addresses here */
    struct WindowSegment *next;
} WindowSegment;

typedef struct NodeWindow {
    const Comm *comm;                  /* whose window it is */
    int rank, ranks;                   /* the place in it, how many there are */
    unsigned patience;                 /* polls of a flag before the core is yielded */
    bool several_nodes;                /* messages go on between them: while a rank waits, it calls MPI often */
    WindowSegment *staging;            /* the buffers */
    WindowSegment *segments;           /* what window_allocate made, the youngest first */
    uint32_t allocated;                /* how often it was called */
    uint64_t counter[WINDOW_COUNTERS]; /* what flags are set to: the same on all ranks */
} NodeWindow;

/* A part of `bytes` bytes (which may differ from rank to rank, or be 0) that the other ranks of my node can read and write, aligned
 * to a page, zero. All ranks of comm must call. Ends the program where window_possible is false or there is no memory. */
void *window_allocate(Comm *comm, size_t bytes);

/* The same; NULL with a sentence, on all ranks, instead of the end. */
void *window_try_allocate(Comm *comm, size_t bytes, Error *error);

/* All ranks must call, in the same order. NULL is allowed if it is NULL on all. What is left, comm_free frees. It does not
 * wait: the others still see what they have mapped. */
void window_free(Comm *comm, void *mine);

/* Whether the ranks of each node really are on one machine. False with the reason, the same on all ranks. All ranks must make the
 * first call of this or of window_of on a communicator together; it makes the NodeWindow, later calls only look. */
bool window_possible(Comm *comm, Error *reason);

/* The flags and buffers of my node. Ends the program where window_possible is false. */
NodeWindow *window_of(Comm *comm);

/* Of comm_free. */
void window_free_all(Comm *comm);

/* A place in the node's memory. segment 0: it is private. */
typedef struct WindowPlace {
    uint32_t segment;
    size_t offset;
} WindowPlace;

/* The place of these bytes of mine. */
WindowPlace window_find(const NodeWindow *window, const void *mine, size_t bytes);

/* The address here of a place in the part of rank i of the node; NULL if it is private. */
void *window_at(const NodeWindow *window, int i, WindowPlace place);

/* Release: what I wrote before may be read by ranks that read this number, or a higher one, from the flag. */
static inline void
window_raise(WindowFlag *flag, uint64_t number)
{
    atomic_store_explicit(&flag->number, number, memory_order_release); /* pairs with window_await */
}

/* The slow part of window_await. */
void window_wait(const NodeWindow *window, const _Atomic uint64_t *number, uint64_t at_least);

/* Told of waits that are not short: begin names the rank of `messages` that is waited for, or -1. Not told
 * while others of the rank compute (comm_poll). */
typedef struct WindowWatch {
    void (*begin)(MPI_Comm messages, int rank);
    void (*end)(void);
} WindowWatch;
extern const WindowWatch *window_watch; /* NULL: not watched (mpi/watch does) */

/* Returns when the number is reached. What the writer wrote before is then here to be read, and what it had read before may be
 * overwritten. */
static inline void
window_await(const NodeWindow *window, const _Atomic uint64_t *number, uint64_t at_least)
{
    /* Pairs with window_raise. */
    if (atomic_load_explicit(number, memory_order_acquire) < at_least)
        window_wait(window, number, at_least);
}

#endif
