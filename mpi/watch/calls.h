/* The calls of MPI that are watched, by name: WATCH_CALLS(X) is X(Send) X(Ssend) ..
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_CALLS_H
#define MPI_WATCH_CALLS_H

/* clang-format off */
#define WATCH_CALLS(X)                                                                                                 \
    X(Send) X(Ssend) X(Recv) X(Sendrecv) X(Isend) X(Issend) X(Irecv) X(Probe)                                          \
    X(Wait) X(Waitall) X(Waitany) X(Test) X(Testall)                                                                   \
    X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Allgather) X(Allgatherv)    \
    X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Alltoall) X(Alltoallv) X(Scan) X(Exscan)                             \
    X(Comm_dup) X(Comm_split) X(Comm_split_type) X(Comm_create) X(Finalize)
/* clang-format on */

#define WATCH_CALL(name) CALL_##name,
typedef enum WatchCall {
    WATCH_CALLS(WATCH_CALL) CALLS,
    CALL_WINDOW = CALLS /* no call: a flag of mpi/window.h */
} WatchCall;
#undef WATCH_CALL

const char *watch_call_name(WatchCall call); /* "MPI_Send" */

#endif
