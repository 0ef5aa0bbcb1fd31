/* How many times as fast MPI_Allreduce is on the drop-in library as on the MPI library itself: `make bench-dropin` runs this with
 * LD_PRELOAD=build/librungs_mpi.so, and without, where the answer must be 1.
 *
 *     dropin_times ROUNDS SECONDS BYTES..
 *
 * A foreign program: it knows MPI's names only. MPI_Allreduce is the drop-in's where that is loaded, PMPI_Allreduce always the
 * library's, so both are measured in turn in one run, on the same private vectors of floats, at the same moment. Of each size and
 * place (out, in) at least 3 rounds, at most ROUNDS, for about SECONDS; a round repeats the calls of each until they take a few
 * milliseconds, in turn the one and the other first. Rank 0 prints a line for each round: bytes, place, seconds of one call of
 * MPI_Allreduce and of PMPI_Allreduce on the slowest rank, and how many elements were wrong on all ranks.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIOD = 251, LEAST_ROUNDS = 3, MOST_CALLS = 1 << 20 };
static const double BLOCK = 4e-3; /* seconds of the calls of a round */

typedef int AllReduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
static AllReduce *const routine[2] = {MPI_Allreduce, PMPI_Allreduce};

typedef struct Vectors {
    float *x, *y;
    int n, p, r;
    bool in_place;
} Vectors;

static void
fill(const Vectors *v, float *vector, float factor)
{
    for (int i = 0; i < v->n; i++)
        vector[i] = factor * (float)(i % PERIOD + 1);
}

static void
call(const Vectors *v, AllReduce *all_reduce)
{
    CHECK_MPI(all_reduce(v->in_place ? MPI_IN_PLACE : v->x, v->y, v->n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
}

static long
wrong_elements(const Vectors *v, float factor)
{
    long wrong = 0;
    for (int i = 0; i < v->n; i++)
        wrong += !(v->y[i] == factor * (float)(i % PERIOD + 1));
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    return wrong;
}

/* One call whose result is known exactly, whatever the order of the sum; the output is poisoned before. */
static long
check(const Vectors *v, AllReduce *all_reduce)
{
    fill(v, v->x, (float)(v->r + 1));
    fill(v, v->y, v->in_place ? (float)(v->r + 1) : -1);
    call(v, all_reduce);
    return wrong_elements(v, (float)(v->p * (v->p + 1) / 2));
}

/* Seconds of one call, on the slowest rank. In place a sum of sums would grow without end: there the ranks add zeros. */
static double
time_calls(const Vectors *v, AllReduce *all_reduce, int calls, long *wrong)
{
    *wrong += check(v, all_reduce);
    if (v->in_place)
        fill(v, v->y, 0);
    else
        fill(v, v->y, -1);
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call(v, all_reduce);
    double seconds = (MPI_Wtime() - begin) / calls;
    *wrong += wrong_elements(v, v->in_place ? 0 : (float)(v->p * (v->p + 1) / 2));
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return seconds;
}

/* Calls that take BLOCK seconds, the same on all ranks: the seconds are. */
static int
calls_of(const Vectors *v)
{
    long ignored = 0;
    for (int calls = 1;; calls *= 2)
        for (int i = 0; i < 2; i++)
            if (calls >= MOST_CALLS || time_calls(v, routine[i], calls, &ignored) * calls >= BLOCK)
                return calls;
}

static long
measure(const Vectors *v, int rounds, double limit)
{
    const double begin = MPI_Wtime();
    const int calls = calls_of(v);
    long all_wrong = 0;
    int more = 1;
    for (int round = 0; more; round++) {
        double seconds[2] = {0};
        long wrong = 0;
        for (int i = 0; i < 2; i++) {
            const int which = (round + i) % 2;
            seconds[which] = time_calls(v, routine[which], calls, &wrong);
        }
        if (v->r == 0)
            printf("%zu %s %.4g %.4g %ld\n", sizeof(float) * (size_t)v->n, v->in_place ? "in" : "out", seconds[0],
                   seconds[1], wrong);
        all_wrong += wrong;
        more = round + 1 < LEAST_ROUNDS || (round + 1 < rounds && MPI_Wtime() - begin < limit);
        CHECK_MPI(PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    return all_wrong;
}

int
main(int argc, char **argv)
{
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_THAT(argc > 3, "usage: dropin_times ROUNDS SECONDS BYTES..");
    long wrong = 0;
    for (int i = 3; i < argc; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            Vectors v = {.n = (int)(strtoull(argv[i], NULL, 10) / sizeof(float)), .in_place = in_place};
            CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &v.p));
            CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &v.r));
            v.x = calloc((size_t)v.n + 1, sizeof(float));
            v.y = calloc((size_t)v.n + 1, sizeof(float));
            CHECK_THAT(v.n > 0 && v.x != NULL && v.y != NULL, "%s is no size, or there is no memory for it", argv[i]);
            wrong += measure(&v, atoi(argv[1]), atof(argv[2]));
            free(v.x);
            free(v.y);
        }
    CHECK_MPI(MPI_Finalize());
    return wrong > 0;
}
