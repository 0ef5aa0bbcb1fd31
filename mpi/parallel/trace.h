/* One timeline of all ranks: each records its own spans (core/trace.h), rank 0 in a file, the others in memory; in the end rank
 * 0 gathers them all.
 *
 *     Trace *trace = parallel_trace_create(comm, path, &error);   rank 0 alone needs the path
 *     trace_span(trace, "forward", "train", comm->rank, 0, start, end);
 *     parallel_trace_gather(comm, trace);
 *     trace_close(trace, &error);
 *
 * Ranks of one machine read the same clock. Another machine's is compared with rank 0's once, at the beginning; later drift of
 * the clocks, some microseconds a second, is not corrected. All ranks must call each of these.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_TRACE_H
#define MPI_PARALLEL_TRACE_H

#include "core/trace.h"
#include "mpi/comm.h"
#include <stdbool.h>

/* With the names "rank 0", .. and of the lanes: 0 computes, 1 communicates. recording is the same on all ranks: otherwise nothing
 * is recorded. NULL with a sentence where the file of rank 0 cannot be made: on rank 0 only. */
Trace *parallel_trace_create(Comm *comm, bool recording, const char *path, Error *error);

/* What all ranks recorded becomes part of rank 0's trace. */
void parallel_trace_gather(Comm *comm, Trace *trace);

/* Seconds that the clock of rank 0 is ahead of this rank's; 0 on the node of rank 0. It is wrong by at most *bound. */
double parallel_clock_offset(Comm *comm, double *bound);

#endif
