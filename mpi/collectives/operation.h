/* A collective as an operation of the driver that measures all ladders (ladder/ladder.h). Its sizes are lengths, out of place and
 * in place; its rungs are those of the collective and, for all-reduce, the library told which algorithm to use. Ranks agree on
 * every time, and results are compared exactly, element by element.
 *
 *     CollectiveSetting --collective_operation--> Ladder --ladder_measure--> LadderTable
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_OPERATION_H
#define MPI_COLLECTIVES_OPERATION_H

#include "ladder/ladder.h"
#include "mpi/collectives/truth.h"
#include "mpi/model/cost.h"

/* The output beside the input, or in its place: the second number of a size. */
enum { OUT_OF_PLACE, IN_PLACE, PLACES };

typedef struct CollectiveSetting {
    const CollectiveLadder *ladder;
    Comm *comm;
    Element type;
    Reduction op;
    int root;
    bool in_window; /* vectors lie in memory that the node shares */

    /* Bytes/s of one rank while all others do the same: reading from the cache that they share; reading and writing memory.
     * collective_measure_memory fills them in. 0: there is no limit from them. */
    double read, write_read;
} CollectiveSetting;

void collective_measure_memory(CollectiveSetting *setting);

/* One at a time: it and its rungs stand in memory of their own, and keep a copy of the setting. */
const Ladder *collective_operation(const CollectiveSetting *setting);

/* How the ranks of comm agree; one at a time. sleeping: while they wait for one another they leave it the cores. */
const LadderRanks *collective_ranks(const Comm *comm, bool sleeping);

/* Returns when all ranks have called, who sleep meanwhile: whoever waits in a barrier polls all the time, on a core. */
void collective_sleep(const Comm *comm);

/* Some operations know but one place. */
bool collective_has_place(CollectiveKind kind, int place);

/* Elements that fit in `bytes`, rounded down; at least one for each row of all_to_all; 0 of a barrier. */
size_t collective_length(const CollectiveSetting *setting, size_t bytes);

/* Bytes that a rank needs for both places, one after the other. */
size_t collective_memory(const CollectiveSetting *setting, size_t n);

/* What the cost model counts of a rung, with vectors where the setting puts them; rung NULL: any. */
CostCase collective_cost(const CollectiveSetting *setting, const char *rung, size_t n, int place);

/* The root; -1: there is none. */
int collective_root(const CollectiveSetting *setting);

#endif
