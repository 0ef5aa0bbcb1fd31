/* What a communicator costs that lives for one all-reduce: MPI_Comm_dup, MPI_Allreduce of 4 bytes, MPI_Comm_free, on the drop-in
 * library (or whatever MPI_Allreduce is) and on the MPI library itself (PMPI_Allreduce), interleaved in one run.
 *
 *     dropin_lives ROUNDS
 *
 * Rank 0 prints the median of both on the slowest rank, in microseconds, and the median of their ratio. Exit status 1 if a sum was
 * wrong.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include <stdio.h>
#include <stdlib.h>

enum { LIVES = 20 }; /* of each in a round */

typedef int AllReduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static double
seconds_of(AllReduce *all_reduce, long *wrong)
{
    int p, one = 1, sum = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
    const double begin = MPI_Wtime();
    for (int i = 0; i < LIVES; i++) {
        MPI_Comm copy;
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
        CHECK_MPI(all_reduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
        CHECK_MPI(MPI_Comm_free(&copy));
        *wrong += sum != p;
    }
    double seconds = (MPI_Wtime() - begin) / LIVES;
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return seconds;
}

static int
ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof(*x), ascending);
    return x[n / 2];
}

int
main(int argc, char **argv)
{
    CHECK_MPI(MPI_Init(&argc, &argv));
    const int rounds = argc > 1 ? atoi(argv[1]) : 101;
    CHECK_THAT(rounds > 0, "usage: dropin_lives ROUNDS");
    double *ours = calloc((size_t)rounds, sizeof(double)), *plain = calloc((size_t)rounds, sizeof(double));
    double *ratio = calloc((size_t)rounds, sizeof(double));
    CHECK_THAT(ours != NULL && plain != NULL && ratio != NULL, "no memory for %d rounds", rounds);
    long wrong = 0;
    int rank;
    for (int i = -1; i < rounds; i++) { /* the first is not counted */
        double first = seconds_of(i % 2 ? MPI_Allreduce : PMPI_Allreduce, &wrong);
        double second = seconds_of(i % 2 ? PMPI_Allreduce : MPI_Allreduce, &wrong);
        if (i < 0)
            continue;
        ours[i] = i % 2 ? first : second;
        plain[i] = i % 2 ? second : first;
        ratio[i] = ours[i] / plain[i];
    }
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 0)
        printf("dup, all-reduce, free: %.1f us, on the library itself %.1f us, %.2f times as long (medians of %d "
               "rounds)\n",
               1e6 * median(ours, rounds), 1e6 * median(plain, rounds), median(ratio, rounds), rounds);
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    free(ours);
    free(plain);
    free(ratio);
    CHECK_MPI(MPI_Finalize());
    return wrong > 0;
}
