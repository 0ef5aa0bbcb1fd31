/* The queue that owns MPI (mpi/parallel/queue.h): what is done in which order, and by whom.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/queue_case.h"
#include <pthread.h>

enum { JOBS = 50 };

typedef struct Jobs {
    pthread_t thread[JOBS]; /* by which it was done */
    int done[JOBS], count;
} Jobs;

typedef struct Job {
    Jobs *jobs;
    int number;
    double seconds;
} Job;

static void
do_job(void *context)
{
    const Job *job = context;
    pause_for(job->seconds);
    job->jobs->thread[job->jobs->count] = pthread_self();
    job->jobs->done[job->jobs->count++] = job->number;
}

TEST_WITH_COMM(work_is_done_in_order_and_all_of_it_before_the_wait_ends)
{
    Queue *queue = queue_create();
    Job job[JOBS];
    Ticket ticket[JOBS];
    for (int round = 0; round < 5; round++) {
        Jobs jobs = {.done = {0}};
        queue_wait(queue, (Ticket){0}); /* nothing to wait for */
        for (int i = 0; i < JOBS; i++) {
            job[i] = (Job){&jobs, i, 20e-6};
            ticket[i] = queue_call(queue, comm, do_job, &job[i]);
        }
        queue_wait(queue, ticket[JOBS / 2]);
        ck_assert_int_eq(jobs.done[JOBS / 2], JOBS / 2); /* how far the others are, is not known */
        queue_wait(queue, ticket[JOBS - 1]);
        queue_wait(queue, ticket[0]); /* again, and later: it is done */
        ck_assert_int_eq(jobs.count, JOBS);
        for (int i = 0; i < JOBS; i++)
            ck_assert_int_eq(jobs.done[i], i);
    }
    queue_free(queue);
    queue_free(NULL);
}

/* A waiting thread may have carried out the first operation itself; the thread must then go on with the second. */
TEST_WITH_COMM(what_is_behind_the_awaited_one_is_done_too)
{
    enum { ROUNDS = 300, PATIENCE = 20000 };
    Queue *queue = queue_create();
    bool all = true;
    for (int round = 0; round < ROUNDS && all; round++) {
        Jobs jobs = {.count = 0};
        Job job[2] = {{&jobs, 0, 0}, {&jobs, 1, 0}};
        const Ticket first = queue_call(queue, comm, do_job, &job[0]),
                     second = queue_call(queue, comm, do_job, &job[1]);
        queue_wait(queue, first);
        for (int look = 0; !queue_done(queue, second) && look < PATIENCE; look++)
            pause_for(100e-6);
        all = queue_done(queue, second);
        queue_wait(queue, second);
    }
    ck_assert_msg(all_agree(all), "nobody has done the second operation for two seconds");
    queue_free(queue);
}

TEST_WITH_COMM(who_runs_it_himself_wakes_no_thread)
{
    Queue *queue = queue_create();
    Jobs jobs = {.count = 0};
    Job job[3] = {{&jobs, 0, 0}, {&jobs, 1, 0}, {&jobs, 2, 0}};
    for (int i = 0; i < 3; i++)
        queue_run(queue, comm, do_job, &job[i]);
    ck_assert_int_eq(jobs.count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert(jobs.done[i] == i && pthread_equal(jobs.thread[i], pthread_self()));
    ck_assert(comm->yield == NULL); /* nothing to poll for: it blocks in MPI */
    queue_free(queue);
}

/* In its turn all the same: behind what was submitted before. */
TEST_WITH_COMM(running_waits_for_its_turn)
{
    Queue *queue = queue_create();
    Jobs jobs = {.count = 0};
    Job job[3] = {{&jobs, 0, 2e-3}, {&jobs, 1, 2e-3}, {&jobs, 2, 0}};
    const Ticket first = queue_call(queue, comm, do_job, &job[0]);
    queue_call(queue, comm, do_job, &job[1]);
    queue_run(queue, comm, do_job, &job[2]);
    ck_assert(jobs.count == 3 && jobs.done[0] == 0 && jobs.done[1] == 1 && jobs.done[2] == 2 &&
              queue_done(queue, first));
    queue_free(queue);
}

TEST_WITH_COMM(sums_and_broadcasts_come_while_the_caller_does_something_else)
{
    Queue *queue = queue_create();
    const int p = comm->size, r = comm->rank;
    float x[5], y[5];
    bool ok = true;
    for (int round = 0; round < 10; round++) {
        double word = r == p - 1 ? round : -1;
        for (int i = 0; i < 5; i++)
            x[i] = (float)(r + i + round);
        const Ticket sum = queue_allreduce(queue, comm, ring(), x, y, 5, ELEMENT_FLOAT, REDUCTION_SUM);
        const Ticket told = queue_broadcast(queue, comm, ring(), &word, 1, ELEMENT_DOUBLE, p - 1);
        ok = becomes_done(queue, told) && queue_done(queue, sum) && word == round && ok;
        for (int i = 0; i < 5; i++)
            ok = ok && y[i] == (float)(p * (p - 1) / 2 + p * (i + round));
    }
    queue_free(queue);
    ck_assert_all(ok);
}

/* As when the steps of several networks are interleaved: each has a queue, with a thread, for the same communicator. */
TEST_WITH_COMM(queues_may_serve_one_communicator_by_turns)
{
    enum { QUEUES = 3, N = 5000 };
    Queue *queue[QUEUES];
    float *x = ARRAY(float, N);
    bool ok = true;
    for (int q = 0; q < QUEUES; q++)
        queue[q] = queue_create();
    for (int round = 0; round < 30; round++) {
        Queue *mine = queue[round % QUEUES];
        for (int i = 0; i < N; i++)
            x[i] = (float)(comm->rank + i % 7);
        const Ticket sum = queue_allreduce(mine, comm, ring(), x, x, N, ELEMENT_FLOAT, REDUCTION_SUM);
        if (round % 2 == 0)
            ok = becomes_done(mine, sum) && ok;
        queue_wait(mine, sum);
        ok = ok && x[6] == (float)(comm->size * (comm->size - 1) / 2 + 6 * comm->size);
        ring()->all_reduce(comm, x, x, N, ELEMENT_FLOAT, REDUCTION_MAX); /* past the queues, which are idle */
        if (round == 20)
            queue_free(queue[2]), queue[2] = queue_create();
    }
    for (int q = 0; q < QUEUES; q++)
        queue_free(queue[q]);
    array_free(x);
    ck_assert_all(ok);
}

TEST_MAIN_MPI("queue_mpi")
