/* Vectors whose collective is known without computing it, and exactly, whatever the order of the sum: so that an element in the
 * wrong place shows, and == may compare floats. Rank r's element i is (r + 1) (i mod 251 + 1); where ranks multiply it is
 * 2^((r + i) mod 3). Rounds begin i elsewhere, so that an old result is a wrong one.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_TRUTH_H
#define MPI_COLLECTIVES_TRUTH_H

#include "mpi/collectives/collectives.h"
#include <stdint.h>

typedef struct CollectiveCase {
    CollectiveKind kind;
    size_t n; /* as the operation's signature says */
    Element type;
    Reduction op;
    int root;
    bool in_place;  /* ignored by broadcast, which is always, and all_to_all, which never is */
    unsigned round; /* another input for each */
} CollectiveCase;

/* One rank's vectors with guard bytes around them, as collective_run wants them. */
typedef struct CollectiveVectors {
    void *x, *y;
    size_t x_count, y_count; /* elements; 0 where this rank gives or gets nothing (x or y is then NULL) */
    unsigned char *memory;
    size_t bytes;
    bool owned;
} CollectiveVectors;

/* Bytes that this rank's vectors take, guards included. */
size_t collective_vectors_bytes(const CollectiveCase *c, const Comm *comm);

/* In `memory` of that size, aligned to 64 bytes, or in memory of their own if it is NULL. */
CollectiveVectors collective_vectors_create(const CollectiveCase *c, const Comm *comm, void *memory);
void collective_vectors_free(CollectiveVectors *vectors);

/* Writes this rank's input, and into what the call must write what is never right. */
void collective_vectors_fill(const CollectiveCase *c, const Comm *comm, CollectiveVectors *vectors);

/* Number of wrong elements: of the output, of an input that was changed, and guard bytes. *first: the first
 * wrong one of the output; NULL is allowed. */
size_t collective_vectors_wrong(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *vectors,
                                size_t *first);

#endif
