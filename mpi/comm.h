/* A communicator: ranks that work together, and where they are.
 *
 *     Comm         my rank r among p; the ranks of my node, and those at my place in the other nodes
 *     point.h      messages between two of them
 *     window.h     memory that the ranks of a node share
 *     collectives/ what all of them do together
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include "mpi/element.h"
#include <stdatomic.h>
#include <stdbool.h>

/* Called between two polls of one who waits for a message: number 0, 1, .. of this wait. */
typedef void CommYield(void *context, unsigned polls);

/*      node 0        node 1        node 2
 *     0   1   2     3   4   5       6   7      ranks
 *     0   1   2     0   1   2       0   1      node->rank: the place in the node; place 0 is the leader
 *     `---+---------'---+-----------'---+----  across: ranks at the same place, one of each node that has this place
 */
typedef struct Comm {
    MPI_Comm mpi;   /* our own duplicate: our messages never meet those of others */
    int rank, size; /* r, p */

    MPI_Comm messages; /* where messages go, with this tag: mpi, unless that is borrowed */
    int tag;
    int *at; /* borrowed: [p] the ranks there; else NULL, they are the same */

    struct Comm *node, *across;      /* NULL in these two themselves, which know of no nodes */
    int nodes;                       /* how many */
    int node_smallest, node_largest; /* ranks of these */
    int *node_of;                    /* [size] the node of each rank, counted from rank 0's; NULL: there is one */
    int *ring, ring_place;           /* [size] and my place in it, see mpi/ring.h; NULL: the order of ranks */
    struct WindowPool *pool;         /* borrowed: where the window's buffers come from (mpi/window_pool.h) */
    struct NodeWindow *window;       /* of the node, made when it is first needed (mpi/window.h) */
    struct CommModel *model;         /* fitted when it is first needed (mpi/model/fit.h) */

    CommYield *yield; /* see comm_poll; NULL: waits for messages are waits in MPI */
    void *yield_context;
    atomic_bool blocks; /* waits in MPI for the moment all the same */
} Comm;

/* Of the ranks of `mpi`, all of which must call. Ranks that can share memory are a node; ranks_per_node > 0 makes nodes of that
 * number of ranks instead, in the order of ranks, the last maybe smaller: several nodes on one machine, to try things on. */
Comm *comm_create(MPI_Comm mpi, int ranks_per_node);

/* The same with nodes in any arrangement: ranks that give the same number >= 0 are a node. */
Comm *comm_create_on(MPI_Comm mpi, int node);

/* All ranks must call, unless it is borrowed. NULL is allowed. */
void comm_free(Comm *comm);

/* The same without a new communicator of MPI's, each of which costs as much as MPI_Comm_dup. Nothing is sent: each rank calls for
 * itself. Its messages go over one that exists already and has more ranks, told from those of others by their tag. */
typedef struct Borrowed {
    MPI_Comm mpi; /* the library's collectives among these ranks; nothing else is sent on it, and it is not freed */
    MPI_Comm messages; /* ours alone; it must outlive the Comm */
    int tag;           /* the first of COMM_TAGS that are not used otherwise there */
    int rank, size;
    const int *at, *node;    /* [size] the ranks in `messages`; the numbers of their nodes, */
    int nodes;               /* below this. Both are copied */
    struct WindowPool *pool; /* NULL: the ranks share no memory */
} Borrowed;
enum { COMM_TAGS = 3 }; /* the communicator's, its nodes', and those across the nodes */
Comm *comm_borrow(const Borrowed *borrowed);

/* For a thread that communicates while others of its rank compute (mpi/parallel/queue.h). A wait in MPI is a busy-wait: it
 * takes a core from those, and lets no other thread call MPI. With `yield` it polls, and calls that in between. NULL: it waits
 * in MPI, as at first. All ranks must do the same, for it decides what is called of MPI. comm_block turns polling off while the
 * rank has nothing else to do; each rank calls it for itself. */
void comm_poll(Comm *comm, CommYield *yield, void *context);
void comm_block(Comm *comm, bool block);

/* Whether to poll now. */
static inline bool
comm_polls(const Comm *comm)
{
    return comm->yield != NULL && !atomic_load_explicit(&comm->blocks, memory_order_relaxed);
}

#endif
