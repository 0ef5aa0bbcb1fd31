/* Programs that do not come to their end, or not well, for test_watchdog.sh and test_killed.sh.
 *
 *     stuck ring N        every rank sends N floats to the next and only then receives
 *     stuck twice N       the same with messages under way, all of which it waits for
 *     stuck tag           rank 1 waits for a tag that rank 0 does not send
 *     stuck end           rank 0 waits for rank 1, which has ended
 *     stuck barrier       rank 0 waits for a message, the others in a barrier
 *     stuck compute S     rank 0 computes for S seconds, the others wait: all is well
 *     stuck sums S        threads add gradients while rank 0 computes for S seconds: all is well; 0: it takes no part
 *     stuck queue S       each rank waits in a queue for a message of the next, sent after S seconds; 0: never. Beside it lie
 *                         receives that nobody answers and nobody waits for
 *     stuck die HOW       rank 1 dies while the others wait: kill, 1 (exit status), 0
 *     stuck wait          all wait for ever; each says its process's number
 *     stuck window        ranks 0 and 1 reduce in memory that they share, rank 2 waits for a message of rank 0
 *     stuck reduce S RUNG all reduce again and again for S seconds; each says its process's number
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/process.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/parallel/data/reducer.h"
#include "mpi/watch/watch.h"
#include "mpi/window.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int r, p;

static void
ring(int n)
{
    float *x = ARRAY(float, (size_t)n), *y = ARRAY(float, (size_t)n);
    watch_phase("a ring of %d floats", n);
    CHECK_MPI(MPI_Send(x, n, MPI_FLOAT, (r + 1) % p, 7, MPI_COMM_WORLD));
    CHECK_MPI(MPI_Recv(y, n, MPI_FLOAT, (r + p - 1) % p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    array_free(x);
    array_free(y);
}

static void
twice(int n)
{
    float *x = ARRAY(float, (size_t)n), *y = ARRAY(float, (size_t)n);
    MPI_Request requests[2];
    CHECK_MPI(MPI_Isend(x, n, MPI_FLOAT, (r + 1) % p, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_MPI(MPI_Isend(x, n, MPI_FLOAT, (r + 1) % p, 2, MPI_COMM_WORLD, &requests[1]));
    CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int tag = 1; tag <= 2; tag++)
        CHECK_MPI(MPI_Recv(y, n, MPI_FLOAT, (r + p - 1) % p, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    array_free(x);
    array_free(y);
}

/* Rank `to` waits for a message of rank `from` with this tag. */
static void
wait_for_message(int to, int from, int tag)
{
    int number = 0;
    if (r == to)
        CHECK_MPI(MPI_Recv(&number, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void
sums(int seconds)
{
    enum { LENGTH = 5 };
    Error error;
    float gradients[LENGTH] = {0};
    const BucketTensors tensors = {.tensor = &(BucketTensor){0, LENGTH, 0}, .count = 1, .layers = 1};
    const Buckets plan = buckets_whole(&tensors);
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    Queue *queue = queue_create();
    Reducer *reducer = reducer_create(queue, comm, collectives_named("ring", &error), gradients, &tensors, &plan, true);
    if (seconds == 0)
        wait_for_message(0, 1, 0);
    reducer_begin(reducer);
    reducer_ready(reducer, 0, LENGTH);
    if (r == 0)
        sleep((unsigned)seconds);
    reducer_finish(reducer);
    reducer_free(reducer);
    queue_free(queue);
    array_free(plan.bucket);
    comm_free(comm);
}

static void
queue(int seconds)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    Queue *queue = queue_create();
    int in = 0, others[2] = {0};
    queue_receive(queue, comm, r, 1, &others[0], sizeof(int));
    const Ticket next = queue_receive(queue, comm, (r + 1) % p, 2, &in, sizeof(in));
    queue_receive(queue, comm, (r + p - 1) % p, 3, &others[1], sizeof(int));
    if (seconds > 0) {
        sleep((unsigned)seconds); /* computes */
        for (int tag = 1; tag <= 3; tag++)
            queue_send(queue, comm, (r + (tag == 2 ? p - 1 : tag == 3)) % p, tag, &p, sizeof(int));
    }
    queue_wait(queue, next);
    queue_free(queue);
    comm_free(comm);
}

static void
die(const char *how)
{
    if (r == 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (r == 1)
        exit(atoi(how));
    wait_for_message(r, 1, 0);
}

static void
window(void)
{
    float x[1000] = {0};
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    Error error;
    CHECK_THAT(window_possible(comm, &error), "%s", error.text);
    wait_for_message(2, 0, 0);
    allreduce_window(comm, x, x, 1000, ELEMENT_FLOAT, REDUCTION_SUM);
}

static void
say_process(void)
{
    printf("rank %d is process %ld\n", r, (long)getpid());
    fflush(stdout);
}

/* Seconds of calls, not of wall-clock time: a rank that was stopped for a while has them still before it. */
static void
reduce(int seconds, const char *rung)
{
    enum { CALLS = 10, PAUSE = 100000 /* microseconds */ };
    float x[1000] = {0};
    Error error;
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const Collectives *collectives = collectives_named(rung, &error);
    CHECK_THAT(collectives != NULL, "%s", error.text);
    say_process();
    for (int i = 0; i < CALLS * seconds; i++) {
        collectives->all_reduce(comm, x, x, 1000, ELEMENT_FLOAT, REDUCTION_SUM);
        usleep(PAUSE);
    }
    comm_free(comm);
}

static void
run(const char *what, const char *argument, const char *more)
{
    const int number = atoi(argument);
    if (strcmp(what, "ring") == 0)
        ring(number);
    else if (strcmp(what, "twice") == 0)
        twice(number);
    else if (strcmp(what, "tag") == 0) {
        if (r == 0)
            CHECK_MPI(MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
        wait_for_message(1, 0, 4);
    } else if (strcmp(what, "end") == 0)
        wait_for_message(0, 1, 0);
    else if (strcmp(what, "barrier") == 0) {
        wait_for_message(0, 1, 0);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    } else if (strcmp(what, "compute") == 0) {
        if (r == 0)
            sleep((unsigned)number);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    } else if (strcmp(what, "sums") == 0)
        sums(number);
    else if (strcmp(what, "queue") == 0)
        queue(number);
    else if (strcmp(what, "die") == 0)
        die(argument);
    else if (strcmp(what, "window") == 0)
        window();
    else if (strcmp(what, "reduce") == 0)
        reduce(number, more);
    else if (strcmp(what, "wait") == 0) {
        printf("process %ld\n", (long)getpid());
        fflush(stdout);
        wait_for_message(r, (r + 1) % p, 0);
    }
}

int
main(int argc, char **argv)
{
    process_start(&argc, &argv);
    r = process_rank(), p = process_count();
    CHECK_THAT(argc >= 2 && p > 1, "expected: mpirun -n 2 stuck WHAT [ARGUMENT]");
    run(argv[1], argc > 2 ? argv[2] : "0", argc > 3 ? argv[3] : "window");
    process_stop();
    if (r == 0)
        puts("done");
    return 0;
}
