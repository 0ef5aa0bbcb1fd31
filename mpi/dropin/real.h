/* Given to the compiler before every file of mpi/ that goes into the drop-in library, but those of this folder: where a rung or a
 * Comm calls one of these routines, it means the MPI library's and not ours (tools/mpi.mk).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_DROPIN_REAL_H
#define MPI_DROPIN_REAL_H

#define MPI_Allreduce            PMPI_Allreduce
#define MPI_Reduce               PMPI_Reduce
#define MPI_Reduce_scatter       PMPI_Reduce_scatter
#define MPI_Reduce_scatter_block PMPI_Reduce_scatter_block
#define MPI_Bcast                PMPI_Bcast
#define MPI_Allgather            PMPI_Allgather
#define MPI_Alltoall             PMPI_Alltoall
#define MPI_Barrier              PMPI_Barrier

#endif
