/* What the rungs of a collective send, counted, beside what the cost model says. SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_RUNG_COUNTS_H
#define MPI_WATCH_RUNG_COUNTS_H

#include "mpi/collectives/operation.h"
#include "mpi/watch/watch.h"

/* Of one call on n elements. Collective. The vectors are private also where the setting has them in the window, which saves
 * copies, no messages. */
WatchCounts rung_counts(const CollectiveSetting *setting, const CollectiveRung *rung, size_t n, int place);

/* Messages, bytes and steps of the busiest rank, for each size and each of our rungs: a table on rank 0. Collective. The vectors
 * are those of the first table's place; the other sends the same. */
void rung_counts_print(const CollectiveSetting *setting, LadderTable *const *tables, int count, FILE *out);

#endif
