/* The wrappers of MPI's beginning and end: whatever is linked with them is watched, and need not know.
 * SPDX-License-Identifier: MIT */
#include "core/environment.h"
#include "core/process.h"
#include "mpi/watch/activity.h"
#include "mpi/watch/group.h"
#include "mpi/watch/watch.h"
#include "mpi/watch/watchdog.h"
#include "mpi/window.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE = 20, STOPPED = 60 }; /* seconds: defaults of RUNGS_WATCHDOG and RUNGS_STOPPED */

/* A wrong word ends all ranks: all of them read it. */
static double
number_of(const char *variable, double unset, const char *expected)
{
    double value = 0;
    if (environment_number(variable, unset, &value))
        return value;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "rungs: %s is \"%s\", expected %s: change it, or unset it\n", variable, getenv(variable),
                expected);
    PMPI_Barrier(MPI_COMM_WORLD); /* or another rank could end the run before the sentence is out */
    process_abort(2);
}

/* A wait in memory that the ranks of a node share is one for the rank that sets the flag. */
static void
begin_in_window(MPI_Comm node, int rank)
{
    const Group *group = group_of(node);
    const WaitKind kind = rank >= 0 ? WAIT_FROM : WAIT_ANY;
    activity_begin((Wait){.call = CALL_WINDOW, .kind = kind, .peer = group_world(group, rank), .group = group->id});
}

static const WindowWatch in_window = {begin_in_window, activity_end};

static void
start(void)
{
    watch_strict(number_of("RUNGS_STRICT", 0, "1 or 0") != 0);
    const double patience = number_of("RUNGS_WATCHDOG", PATIENCE, "seconds, as in RUNGS_WATCHDOG=5, or 0 for none");
    const double stopped = number_of("RUNGS_STOPPED", STOPPED, "seconds, as in RUNGS_STOPPED=300, or 0 for ever");
    if (patience > 0) {
        window_watch = &in_window;
        watchdog_start(patience, stopped);
    }
}

int
MPI_Init(int *argc, char ***argv)
{
    const int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        start();
    return code;
}

int
MPI_Init_thread(int *argc, char ***argv, int wanted, int *level)
{
    const int code = PMPI_Init_thread(argc, argv, wanted, level);
    if (code == MPI_SUCCESS)
        start();
    return code;
}

/* The ranks wait for each other in front of MPI's own end: Open MPI 4.1's launcher may crash when it has to end ranks within it. */
int
MPI_Finalize(void)
{
    activity_begin((Wait){.call = CALL_Finalize, .kind = WAIT_ANY});
    PMPI_Barrier(MPI_COMM_WORLD);
    const int code = PMPI_Finalize();
    watchdog_stop();
    return code;
}
