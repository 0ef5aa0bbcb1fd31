/* This process among its ranks.
 * SPDX-License-Identifier: MIT */
#include "core/process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Global, because there is exactly one MPI in a process. */
static int my_rank = 0, rank_count = 1;

int
process_rank(void)
{
    return my_rank;
}

int
process_count(void)
{
    return rank_count;
}

/* Output is flushed, but no exit handlers run: other threads may be anywhere, and the status must be the one requested. */
static _Noreturn void
leave(int status)
{
    fflush(stdout);
    fflush(stderr);
    _exit(status);
}

#ifdef HAVE_MPI
#include "core/checked_mpi.h"

/* Without a launcher MPI_Init would start a daemon, take a tenth of a second, and find one rank: not worth it. */
static bool
started_by_launcher(void)
{
    static const char *const variables[] = {
        "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK", "MV2_COMM_WORLD_SIZE", "MPI_LOCALNRANKS",
    };
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (getenv(variables[i]))
            return true;
    return false;
}

static bool
mpi_is_running(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

/* One thread at a time calls MPI (serialized): OpenMP threads compute, the master communicates, or the threads of a queue, one
 * at a time, while it computes (mpi/parallel/queue.h). Open MPI chooses its algorithms as ever; that `rungs bench` may name one
 * (library_forced.h), it must be told now. */
static void
start(int *argc, char ***argv)
{
    int level = 0;
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
    CHECK_MPI(MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &my_rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &rank_count));
    CHECK_THAT(level >= MPI_THREAD_SERIALIZED, "this MPI library cannot be used by a program with threads");
}

void
process_start(int *argc, char ***argv)
{
    if (started_by_launcher() && !mpi_is_running())
        start(argc, argv);
}

void
process_start_alone(void)
{
    if (!mpi_is_running())
        start(NULL, NULL);
}

void
process_stop(void)
{
    if (mpi_is_running())
        CHECK_MPI(MPI_Finalize());
}

void
process_abort(int status)
{
    fflush(stdout);
    fflush(stderr);
    if (mpi_is_running())
        MPI_Abort(MPI_COMM_WORLD, status);
    leave(status);
}

#else

void
process_start(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

void
process_start_alone(void)
{
}

void
process_stop(void)
{
}

void
process_abort(int status)
{
    leave(status);
}

#endif
