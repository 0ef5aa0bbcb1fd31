/* MPI_Allreduce with the algorithm said: rows beside which ours stand, where Open MPI lets a program choose.
 *
 * Open MPI's component `tuned` takes what the control variable coll_tuned_allreduce_algorithm holds when a communicator is made, if
 * coll_tuned_use_dynamic_rules was true when MPI started. That one cannot be written later, so process_start() says it in
 * OMPI_MCA_coll_tuned_use_dynamic_rules; with no algorithm forced the library then chooses as it does without.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALLREDUCE_LIBRARY_FORCED_H
#define MPI_COLLECTIVES_ALLREDUCE_LIBRARY_FORCED_H

#include "mpi/collectives/collectives.h"

/* "mpi:linear" .. "mpi:rabenseifner", all of them peers. accepts refuses with the reason where the library cannot be told. */
enum { ALLREDUCE_FORCED = 6 };
extern const CollectiveRung allreduce_forced[ALLREDUCE_FORCED];

/* How Open MPI copies a long message between two ranks of a node, as it decided at its start: "cma" or "xpmem" are one copy, "none"
 * is two, through shared memory. "" where the library does not say. */
const char *library_single_copy(char name[32]);

#endif
