/* Whether ranks have to share cores: a rank that waits for another one must then yield the core.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_CORES_H
#define MPI_CORES_H

#include <mpi.h>
#include <stdbool.h>

/* On this machine: */
typedef struct CoresUse {
    int ranks;     /* of the communicator */
    int all_ranks; /* of the program, as far as the launcher says; else the same */
    int cores;     /* that the communicator's ranks may run on, all of them together */
    int every_cores; /* that each of them may run on. Fewer than cores: they are bound, and so are others, to other cores */
    int quota;       /* cores' worth of processor time that the control group (a container) grants */
} CoresUse;
bool cores_are_few(const CoresUse *use);

/* All ranks of mpi call; the same on all ranks of a machine. */
bool cores_are_shared(MPI_Comm mpi);

#endif
