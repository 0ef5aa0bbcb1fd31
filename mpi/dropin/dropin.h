/* SPDX-License-Identifier: MIT
 *
 * A drop-in for MPI's collectives: build/librungs_mpi.so exports the ten routines below and nothing else. Any C program that was
 * built against the same MPI library runs them on the rungs of this project with
 *
 *     mpirun -n 4 env LD_PRELOAD=build/librungs_mpi.so PROGRAM
 *
 *     program  ->  MPI_Allreduce   here  ->  a rung  ->  MPI_Send, MPI_Recv ..  of the library
 *                                        ->  PMPI_Allreduce                     of the library: what is not taken over
 *
 * That is MPI's profiling interface (MPI 3.1, chapter 14): each routine of the library has a second name with P in front. Fortran
 * programs are not reached: their routines call the P names. Nor are programs that have such routines themselves, as ours do
 * (mpi/watch/).
 *
 * Environment, the same on all ranks (mpirun -x NAME from one machine to others):
 *
 *     RUNGS_ALLREDUCE=ring      that rung; for other words there is a sentence on stderr. Without it: the shared window where all
 *                               ranks are on one node, else one for the length (choice.c)
 *                               RUNGS_REDUCE, RUNGS_BROADCAST, RUNGS_REDUCE_SCATTER, RUNGS_ALL_GATHER, RUNGS_ALL_TO_ALL and
 *                               RUNGS_BARRIER choose for the others; "mpi" is the library's own
 *     RUNGS_RANKS_PER_NODE=2    nodes of two ranks, to try hierarchical rungs on one machine
 *     RUNGS_MPI_VERBOSE=1       says at MPI_Finalize what rank 0 called, on which rungs, and what was left to the library
 *
 * What a call means is MPI's. All ranks must decide alike, and each sees its own arguments alone; so the decision rests on what MPI
 * demands to be equal on all ranks (MPI 3.1, chapter 5):
 *
 *     Allreduce, Reduce,        the same count, type and operation on all ranks: taken over are the types and operations of
 *     Reduce_scatter            mpi/element.h and others that mean the same (MPI_LONG; sums and products of MPI_UNSIGNED).
 *                               Reduce_scatter only where each rank's chunk is that of chunk_of, and none is empty
 *     Bcast, Allgather,         counts and types may differ between ranks as long as the number of bytes is the same (one has a
 *     Alltoall                  vector, one a column of a matrix): every type is taken over, those with gaps packed and
 *                               unpacked
 *     Barrier                   always
 *
 * Left to the library: communicators between groups, of one rank, and with ranks outside MPI_COMM_WORLD; other operations and types
 * in reductions; calls with nothing to do; wrong arguments, which it reports to the program's error handler. What fails within a
 * rung ends all ranks with a sentence. Vectors in the memory of a CUDA device are copied to the host and back (device.h).
 *
 * Integers wrap around, minimum and maximum see the sign of the type, floating-point results are the same bits on all ranks:
 * types.c says where the library's results may be others.
 *
 * Nothing waits that would not wait in the library. Memory that a node's ranks share is allocated once, in MPI_Init; a
 * communicator gets a slot of it if there is one left, else its all-reduces send messages. It becomes ours in the first call in
 * which every rank must wait for all others (Allreduce, Allgather, Alltoall, Barrier, Reduce_scatter): until then Bcast and
 * Reduce are left to the library, but for MPI_COMM_WORLD, which is ours from MPI_Init on. To free one is a matter of each rank
 * alone. Threads may call at the same time on different communicators, as MPI allows.
 *
 * MPI must be started by C's MPI_Init or MPI_Init_thread, and all ranks must have loaded this library: else they end with a
 * sentence. */
#ifndef MPI_DROPIN_DROPIN_H
#define MPI_DROPIN_DROPIN_H

#include <mpi.h>

/* The library is compiled with everything hidden. */
#define DROPIN_EXPORT __attribute__((visibility("default")))

DROPIN_EXPORT int MPI_Init(int *argc, char ***argv);
DROPIN_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
DROPIN_EXPORT int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm);
DROPIN_EXPORT int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                             MPI_Comm comm);
DROPIN_EXPORT int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
                                     MPI_Op op, MPI_Comm comm);
DROPIN_EXPORT int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
                                           MPI_Op op, MPI_Comm comm);
DROPIN_EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
DROPIN_EXPORT int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm comm);
DROPIN_EXPORT int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm);
DROPIN_EXPORT int MPI_Barrier(MPI_Comm comm);

#endif
