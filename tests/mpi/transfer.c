/* What tests/mpi/test_cluster.sh runs on a cluster:  transfer BYTES TO FROM..  Ranks FROM.. all send BYTES to rank TO at the same
 * time. Prints the host of every rank, the number of nodes that MPI sees, and what rank TO received in a second, and the time of
 * a short message (half of there and back) between TO and the first of FROM: the best of some tries.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/process.h"
#include "mpi/point.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SENDERS = 16, TRIES = 5, SHORT_TRIES = 100 };

typedef struct Plan {
    int to, from[MOST_SENDERS], senders;
    size_t n; /* bytes of each */
} Plan;

static Plan
plan_of(int argc, char **argv)
{
    Plan plan = {.n = strtoull(argv[1], NULL, 10), .to = atoi(argv[2]), .senders = argc - 3};
    for (int i = 0; i < plan.senders; i++)
        plan.from[i] = atoi(argv[i + 3]);
    return plan;
}

static void
print_host(const Comm *comm)
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    CHECK_MPI(MPI_Get_processor_name(name, &length));
    printf("rank %d: place %d of host %s, %d nodes\n", comm->rank, comm->node->rank, name, comm->nodes);
}

/* Seconds that rank `to` waited for x[senders][n]; what others return says nothing. */
static double
transfer(Comm *comm, const Plan *plan, char *x)
{
    CHECK_MPI(MPI_Barrier(comm->mpi));
    const double begin = clock_now();
    Pending pending[MOST_SENDERS];
    for (int i = 0; i < plan->senders; i++) {
        if (comm->rank == plan->from[i])
            point_send(comm, plan->to, x, plan->n, ELEMENT_BYTE);
        if (comm->rank == plan->to)
            point_begin_receive(comm, plan->from[i], x + (size_t)i * plan->n, plan->n, ELEMENT_BYTE, &pending[i]);
    }
    for (int i = 0; i < plan->senders && comm->rank == plan->to; i++)
        point_wait(&pending[i]);
    return clock_now() - begin;
}

/* Half of the time that one byte takes there and back. */
static double
short_message(Comm *comm, const Plan *plan)
{
    char x = 0;
    const double begin = clock_now();
    if (comm->rank == plan->to) {
        point_send(comm, plan->from[0], &x, 1, ELEMENT_BYTE);
        point_receive(comm, plan->from[0], &x, 1, ELEMENT_BYTE);
    } else if (comm->rank == plan->from[0]) {
        point_receive(comm, plan->to, &x, 1, ELEMENT_BYTE);
        point_send(comm, plan->to, &x, 1, ELEMENT_BYTE);
    }
    return (clock_now() - begin) / 2;
}

static void
measure(Comm *comm, const Plan *plan)
{
    double seconds = INFINITY, latency = INFINITY;
    char *x = ARRAY(char, (size_t)plan->senders * plan->n);
    for (int i = 0; i < SHORT_TRIES; i++)
        latency = fmin(latency, short_message(comm, plan));
    for (int i = 0; i < TRIES; i++)
        seconds = fmin(seconds, transfer(comm, plan, x));
    if (comm->rank == plan->to)
        printf("received %.0f Mbit/s; a short message takes %.1f us\n",
               8e-6 * (double)plan->n * plan->senders / seconds, 1e6 * latency);
    array_free(x);
}

int
main(int argc, char **argv)
{
    process_start(&argc, &argv);
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    print_host(comm);
    if (argc > 3 && argc - 3 <= MOST_SENDERS) {
        const Plan plan = plan_of(argc, argv);
        measure(comm, &plan);
    }
    comm_free(comm);
    process_stop();
    return 0;
}
