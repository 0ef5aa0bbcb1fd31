/* Threads that call MPI's collectives at the same time, each on communicators of its own, some of them short-lived:
 * tests/mpi/test_dropin.sh runs this on the drop-in library. Says "right", "wrong" or "skipped: reason" on rank 0.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 200, LIFE = 20, LENGTH = 1000 };

typedef struct Worker {
    pthread_t thread;
    MPI_Comm mpi;
    int number, wrong;
} Worker;

/* Whole numbers that depend on the thread, so that a message on the wrong communicator shows. */
static int
work_round(MPI_Comm mpi, int number, int round)
{
    int p, r, wrong = 0, x[LENGTH], y[LENGTH];
    const int n = (round * 37) % LENGTH + 1;
    CHECK_MPI(MPI_Comm_size(mpi, &p));
    CHECK_MPI(MPI_Comm_rank(mpi, &r));
    for (int i = 0; i < n; i++)
        x[i] = (r + 1) * (i + 1000 * number + round);
    CHECK_MPI(MPI_Allreduce(x, y, n, MPI_INT, MPI_SUM, mpi));
    for (int i = 0; i < n; i++)
        wrong += y[i] != p * (p + 1) / 2 * (i + 1000 * number + round);
    CHECK_MPI(MPI_Bcast(x, n, MPI_INT, round % p, mpi));
    for (int i = 0; i < n; i++)
        wrong += x[i] != (round % p + 1) * (i + 1000 * number + round);
    CHECK_MPI(MPI_Barrier(mpi));
    return wrong;
}

static void *
work(void *argument)
{
    Worker *worker = argument;
    MPI_Comm mpi = worker->mpi;
    for (int round = 0; round < ROUNDS; round++) {
        worker->wrong += work_round(mpi, worker->number, round);
        if (round % LIFE != 0)
            continue;
        MPI_Comm next;
        CHECK_MPI(MPI_Comm_dup(worker->mpi, &next));
        if (mpi != worker->mpi)
            CHECK_MPI(MPI_Comm_free(&mpi));
        mpi = next;
    }
    CHECK_MPI(MPI_Comm_free(&mpi));
    return NULL;
}

static int
run_threads(void)
{
    Worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (Worker){.number = i};
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].mpi));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_ZERO(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK_ZERO(pthread_join(workers[i].thread, NULL));
        wrong += workers[i].wrong;
        CHECK_MPI(MPI_Comm_free(&workers[i].mpi));
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    int level = 0, rank = 0, wrong = 0;
    CHECK_MPI(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (level == MPI_THREAD_MULTIPLE)
        wrong = run_threads();
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (rank == 0)
        puts(level < MPI_THREAD_MULTIPLE ? "skipped: this MPI library lets one thread call"
             : wrong                     ? "wrong"
                                         : "right");
    CHECK_MPI(MPI_Finalize());
    return wrong > 0;
}
