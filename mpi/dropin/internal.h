/* What the files of the drop-in library share, for this folder only.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_DROPIN_INTERNAL_H
#define MPI_DROPIN_INTERNAL_H

#include "mpi/collectives/collectives.h"
#include "mpi/dropin/dropin.h"

/* ---- start.c ---- */

/* What the communicators share. */
typedef struct World {
    MPI_Comm messages; /* of all ranks, ours alone; errors come back */
    MPI_Group group;   /* of MPI_COMM_WORLD */
    int rank, size;    /* there */
    int tags;          /* tags are below this */
    struct WindowPool *pool;
} World;

/* ---- present.c ---- */

/* Ends all ranks with a sentence unless all have loaded this library. */
void present_check(void);

/* ---- communicators.c ---- */

void communicators_start(const World *world);
void communicators_end(void);

/* The Comm of the program's communicator. NULL where the call is left to the library. If there is none yet it is made, but only
 * with all_wait: no rank can leave this call before all have come, and all know that; then to wait for each other here changes
 * nothing. The same on all ranks. */
Comm *dropin_comm(MPI_Comm mpi, bool all_wait);

/* The ranks of a communicator that may be ours, or 0. */
int dropin_size(MPI_Comm mpi);

/* A communicator on which errors come back, and are not the program's; MPI_COMM_NULL before all has begun. */
MPI_Comm dropin_quiet(void);

/* ---- choice.c ---- */

void choice_start(void);   /* reads the environment: before the first call, in one thread */
int choice_nodes(void);    /* RUNGS_RANKS_PER_NODE, or 0 */
int choice_checksum(void); /* of all that was chosen: must be equal on all ranks */
void choice_report(void);  /* RUNGS_MPI_VERBOSE=1: what was called */

/* The rung for n elements; NULL if there is none that accepts them. The same on all ranks if n, in bytes, is. */
const CollectiveRung *dropin_rung(CollectiveKind kind, Comm *comm, size_t n, Element type);

/* Runs it and counts the call, returns MPI_SUCCESS. Nothing is sent where there is nothing to do. */
int dropin_run(CollectiveKind kind, const CollectiveRung *rung, Comm *comm, const void *x, void *y, size_t n,
               Element type, Reduction op, int root);

/* Counts a call that is left to the library, and returns what it returned. */
int dropin_left(CollectiveKind kind, int code);

/* ---- types.c ---- */

/* The element and the reduction that compute what the type and the operation mean; false if there are none. */
bool dropin_reduction(MPI_Datatype datatype, MPI_Op op, Element *type, Reduction *reduction);

/* `count` items of a type as bytes. */
typedef struct Layout {
    MPI_Datatype type;
    int count;
    size_t item, bytes; /* of one, and of all */
    bool plain;         /* contiguous in memory, without gaps */
} Layout;

/* False if no data can be described so: a negative count, no type or one that is not committed. */
bool layout_of(Layout *layout, MPI_Datatype type, int count);

/* False if a plain vector with elements is nowhere. Other types may hold addresses and begin at MPI_BOTTOM. */
bool layout_has(const Layout *layout, const void *buffer);

/* Begin and end of using `blocks` layouts, one behind the other in buffer, as bytes: the buffer itself, or a copy if it has gaps or
 * is on a device. With `read` the bytes are those of the buffer; with `write` the buffer is given them at the end. */
void *layout_open(const Layout *layout, int blocks, const void *buffer, bool read);
void layout_close(const Layout *layout, int blocks, const void *buffer, void *bytes, bool write);

#endif
