/* What tests/mpi/test_cluster.sh runs on a cluster:  transfer BYTES FROM:TO ..
 * All these pairs of ranks move BYTES at the same time. Prints the host of every rank and the number of nodes that MPI sees; then
 * what all pairs moved in a second, and the time of a short message (half of there and back) of the first pair, the best of some.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/process.h"
#include "mpi/point.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PAIRS = 16, TRIES = 5, SHORT_TRIES = 100 };

typedef struct TransferOptions {
    size_t n; /* bytes of each */
    int pairs, from[MOST_PAIRS], to[MOST_PAIRS];
} TransferOptions;

static bool
plan_read(TransferOptions *plan, int argc, char **argv)
{
    plan->n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    plan->pairs = argc - 2;
    if (plan->pairs < 1 || plan->pairs > MOST_PAIRS)
        return false;
    for (int i = 0; i < plan->pairs; i++)
        if (sscanf(argv[i + 2], "%d:%d", &plan->from[i], &plan->to[i]) != 2)
            return false;
    return true;
}

static void
print_host(const Comm *comm)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    CHECK_MPI(MPI_Get_processor_name(name, &length));
    printf("rank %d: place %d of host %s, %d nodes\n", comm->rank, comm->node->rank, name, comm->nodes);
}

/* Seconds until the last rank has what it waits for. x[pairs][n] */
static double
transfer(Comm *comm, const TransferOptions *plan, char *x)
{
    Pending pending[MOST_PAIRS];
    int count = 0;
    CHECK_MPI(MPI_Barrier(comm->mpi));
    const double begin = clock_now();
    for (int i = 0; i < plan->pairs; i++) {
        char *row = x + (size_t)i * plan->n;
        if (comm->rank == plan->from[i])
            point_begin_send(comm, plan->to[i], row, plan->n, ELEMENT_BYTE, &pending[count++]);
        else if (comm->rank == plan->to[i])
            point_begin_receive(comm, plan->from[i], row, plan->n, ELEMENT_BYTE, &pending[count++]);
    }
    while (count > 0)
        point_wait(&pending[--count]);
    double seconds = clock_now() - begin;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
    return seconds;
}

/* Half of the seconds that one byte takes there and back. */
static double
short_message(Comm *comm, int from, int to)
{
    char x = 0;
    const double begin = clock_now();
    if (comm->rank == from) {
        point_send(comm, to, &x, 1, ELEMENT_BYTE);
        point_receive(comm, to, &x, 1, ELEMENT_BYTE);
    } else if (comm->rank == to) {
        point_receive(comm, from, &x, 1, ELEMENT_BYTE);
        point_send(comm, from, &x, 1, ELEMENT_BYTE);
    }
    return (clock_now() - begin) / 2;
}

static void
measure(Comm *comm, const TransferOptions *plan)
{
    double seconds = INFINITY, latency = INFINITY;
    char *x = ARRAY(char, (size_t)plan->pairs * plan->n);
    for (int i = 0; i < SHORT_TRIES; i++)
        latency = fmin(latency, short_message(comm, plan->from[0], plan->to[0]));
    for (int i = 0; i < TRIES; i++)
        seconds = fmin(seconds, transfer(comm, plan, x));
    if (comm->rank == plan->from[0])
        printf("moved %.0f Mbit/s; a short message takes %.1f us\n", 8e-6 * (double)plan->n * plan->pairs / seconds,
               1e6 * latency);
    array_free(x);
}

int
main(int argc, char **argv)
{
    process_start(&argc, &argv);
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    print_host(comm);
    TransferOptions plan;
    if (plan_read(&plan, argc, argv))
        measure(comm, &plan);
    comm_free(comm);
    process_stop();
    return 0;
}
