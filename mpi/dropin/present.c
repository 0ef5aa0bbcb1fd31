/* Whether all ranks have loaded this library: one that has not would call the MPI library's collectives, the others would wait for
 * messages that it never sends.
 *
 * No collective can find that out: a rank that has not loaded us would not take part. So messages are sent, and waited for with
 * a time limit. In round k rank r hears from rank r - 2^k, which has heard from 2^k - 1 before it: after log2 p rounds every
 * rank has heard from all (Hensgen, Finkel and Manber, Int. J. Parallel Program. 17 (1988) 1), and if one is silent, nobody
 * has.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/process.h"
#include "mpi/dropin/internal.h"
#include <stdio.h>
#include <time.h>

/* Tags of MPI_COMM_WORLD, where the program has sent nothing yet. */
enum { TAG_ROUND = 31337, TAG_NAME = 31338 };

/* MPI_Init ends on all ranks at about the same time. */
static const double patience = 6, rest = 1; /* seconds: for the rounds, then to find out who is silent */

static bool
arrives(MPI_Request *requests, int count, double until)
{
    const struct timespec pause = {0, 100000};
    for (;;) {
        int done;
        CHECK_MPI(PMPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE));
        if (done || PMPI_Wtime() > until)
            return done;
        nanosleep(&pause, NULL);
    }
}

static bool
all_are_heard(int rank, int size)
{
    static char out, in; /* if one is silent its message stays under way */
    const double until = PMPI_Wtime() + patience;
    for (int step = 1; step < size; step *= 2) {
        MPI_Request pair[2];
        const int to = (rank + step) % size, from = (rank + size - step) % size;
        CHECK_MPI(PMPI_Irecv(&in, 1, MPI_BYTE, from, TAG_ROUND, MPI_COMM_WORLD, &pair[0]));
        CHECK_MPI(PMPI_Isend(&out, 1, MPI_BYTE, to, TAG_ROUND, MPI_COMM_WORLD, &pair[1]));
        if (!arrives(pair, 2, until))
            return false;
    }
    return true;
}

/* Ranks of which nothing was heard, as words; how many. */
static int
list_silent(const bool *heard, int size, char *words, size_t room)
{
    int silent = 0;
    size_t used = 0;
    words[0] = '\0';
    for (int i = 0; i < size; i++)
        if (!heard[i] && silent++ < 16)
            used += (size_t)snprintf(words + used, room - used, " %d", i);
    if (silent > 16)
        snprintf(words + used, room - used, " ..");
    return silent;
}

/* All that are here tell all. The first of them speaks, and ends the run. */
static _Noreturn void
name_the_silent(int rank, int size)
{
    static char out;
    bool *heard = ARRAY(bool, (size_t)size);
    char *in = ARRAY(char, (size_t)size), words[256];
    MPI_Request *requests = ARRAY(MPI_Request, 2 * (size_t)size);
    for (int i = 0; i < size; i++) {
        requests[2 * i] = requests[2 * i + 1] = MPI_REQUEST_NULL;
        if (i == rank)
            continue;
        CHECK_MPI(PMPI_Irecv(&in[i], 1, MPI_BYTE, i, TAG_NAME, MPI_COMM_WORLD, &requests[2 * i]));
        CHECK_MPI(PMPI_Isend(&out, 1, MPI_BYTE, i, TAG_NAME, MPI_COMM_WORLD, &requests[2 * i + 1]));
    }
    arrives(requests, 2 * size, PMPI_Wtime() + rest);
    bool first = true;
    for (int i = 0; i < size; i++) {
        heard[i] = requests[2 * i] == MPI_REQUEST_NULL;
        if (!heard[i])
            CHECK_MPI(PMPI_Test(&requests[2 * i], &(int){0}, MPI_STATUS_IGNORE));
        heard[i] = requests[2 * i] == MPI_REQUEST_NULL;
        first = first && !(i < rank && heard[i]);
    }
    const int silent = list_silent(heard, size, words, sizeof(words));
    if (first)
        fprintf(stderr,
                "librungs_mpi: %d of %d ranks have not loaded this library, or are not heard after %g seconds:%s; give "
                "all of "
                "them LD_PRELOAD (mpirun -x LD_PRELOAD=FILE), in a place that they can read\n",
                silent, size, patience, words);
    else
        arrives(requests, 2 * size, PMPI_Wtime() + rest);
    process_abort(1);
}

void
present_check(void)
{
    const int rank = process_rank(), size = process_count();
    if (!all_are_heard(rank, size))
        name_the_silent(rank, size);
}
