/* The queue that owns MPI (mpi/parallel/queue.h): nothing waits for what it does not need. SPDX-License-Identifier: MIT */
#include "tests/mpi/queue_case.h"

enum { LONG = 1 << 20 }; /* floats: far above what any MPI sends without its receiver (rendezvous) */

static void
fill(float *x, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(seed + (int)(i % 251));
}

static bool
holds(const float *x, size_t n, int seed)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        ok = ok && x[i] == (float)(seed + (int)(i % 251));
    return ok;
}

/* Even ranks submit the send first, odd ones the receive; both wait for what they submitted last, or first. */
static bool
exchange(Comm *comm, size_t n, bool in_order)
{
    Queue *queue = queue_create();
    const int p = comm->size, r = comm->rank, next = (r + 1) % p, before = (r + p - 1) % p;
    const size_t bytes = n * sizeof(float);
    float *x = ARRAY(float, n), *y = ARRAY(float, n);
    Ticket ticket[2];
    fill(x, n, r);
    for (int i = 0; i < 2; i++)
        ticket[i] = (i == 0) == (r % 2 == 0) ? queue_send(queue, comm, next, 3, x, bytes)
                                             : queue_receive(queue, comm, before, 3, y, bytes);
    for (int i = 0; i < 2; i++)
        queue_wait(queue, ticket[in_order ? i : 1 - i]);
    const bool ok = holds(y, n, before) && queue_done(queue, ticket[0]) && queue_done(queue, ticket[1]);
    queue_free(queue);
    array_free(x);
    array_free(y);
    return ok;
}

TEST_WITH_COMM(ranks_that_send_and_receive_in_opposite_orders_do_not_wait_for_each_other)
{
    bool ok = true;
    for (size_t n = 0; n <= LONG; n = n == 0 ? 1 : n * 1024)
        ok = exchange(comm, n, true) && exchange(comm, n, false) && ok;
    ck_assert_all(ok);
}

/* All ranks send before any receives, and their messages pass each other: by tag, and of one tag in the order sent. */
TEST_WITH_COMM(messages_come_by_tag_and_in_order)
{
    enum { MESSAGES = 20, TAGS = 3 };
    Queue *queue = queue_create();
    const int p = comm->size, r = comm->rank, next = (r + 1) % p, before = (r + p - 1) % p;
    int sent[MESSAGES], got[MESSAGES];
    Ticket send[MESSAGES], receive[MESSAGES];
    bool ok = true;
    for (int i = 0; i < MESSAGES; i++) {
        sent[i] = 100 * r + i;
        send[i] = queue_send(queue, comm, next, i % TAGS, &sent[i], sizeof(int));
    }
    for (int tag = TAGS - 1; tag >= 0; tag--)
        for (int i = tag; i < MESSAGES; i += TAGS)
            receive[i] = queue_receive(queue, comm, before, tag, &got[i], sizeof(int));
    for (int i = MESSAGES - 1; i >= 0; i--) {
        queue_wait(queue, receive[i]);
        ok = ok && got[i] == 100 * before + i;
        queue_wait(queue, send[i]);
    }
    queue_free(queue);
    ck_assert_all(ok);
}

/* A receive that nobody answers yet stands in front. */
TEST_WITH_COMM(what_cannot_be_received_yet_holds_up_nothing)
{
    Queue *queue = queue_create();
    const int p = comm->size, r = comm->rank, next = (r + 1) % p, before = (r + p - 1) % p;
    float *x = ARRAY(float, LONG), *y = ARRAY(float, LONG), sum = 1;
    int late = 0, sent = r;
    fill(x, LONG, r);
    const Ticket first = queue_receive(queue, comm, before, 0, &late, sizeof(int));
    const Ticket second = queue_receive(queue, comm, before, 1, y, LONG * sizeof(float));
    const Ticket third = queue_allreduce(queue, comm, ring(), &sum, &sum, 1, ELEMENT_FLOAT, REDUCTION_SUM);
    queue_send(queue, comm, next, 1, x, LONG * sizeof(float));
    bool ok = becomes_done(queue, second) && becomes_done(queue, third) && holds(y, LONG, before) && sum == (float)p;
    float fine =
        ok && !queue_done(queue, first); /* and who sends what it waits for does so only when all have looked */
    queue_wait(queue, queue_allreduce(queue, comm, ring(), &fine, &fine, 1, ELEMENT_FLOAT, REDUCTION_MIN));
    queue_wait(queue, queue_send(queue, comm, next, 0, &sent, sizeof(int)));
    queue_wait(queue, first);
    ok = fine == 1 && late == before;
    queue_free(queue);
    array_free(x);
    array_free(y);
    ck_assert_all(ok);
}

TEST_WITH_COMM(freeing_waits_for_all_that_was_submitted)
{
    enum { MESSAGES = 8, LENGTH = 20000 };
    const int p = comm->size, r = comm->rank, next = (r + 1) % p, before = (r + p - 1) % p;
    float *x = ARRAY(float, (size_t)MESSAGES *LENGTH), *y = ARRAY(float, (size_t)MESSAGES *LENGTH), sum[MESSAGES];
    bool ok = true;
    fill(x, (size_t)MESSAGES * LENGTH, r);
    for (int round = 0; round < 20; round++) {
        Queue *queue = queue_create();
        memset(y, 0, (size_t)MESSAGES * LENGTH * sizeof(float));
        for (size_t i = 0; i < MESSAGES; i++) {
            queue_send(queue, comm, next, 0, x + i * LENGTH, LENGTH * sizeof(float));
            sum[i] = (float)i;
            queue_allreduce(queue, comm, ring(), &sum[i], &sum[i], 1, ELEMENT_FLOAT, REDUCTION_SUM);
            queue_receive(queue, comm, before, 0, y + i * LENGTH, LENGTH * sizeof(float));
        }
        queue_free(queue);
        ok = ok && holds(y, (size_t)MESSAGES * LENGTH, before);
        for (int i = 0; i < MESSAGES; i++)
            ok = ok && sum[i] == (float)(p * i);
    }
    array_free(x);
    array_free(y);
    ck_assert_all(ok);
}

/* Ranks in rows of two and columns:  0 1     rank r sums over its row and its column, even ones the row first, odd ones the column.
 *                                    2 3     0 waits in its row for 1, which waits in its column for 3, which .. : a ring of ranks
 *                                    4 5     that wait, if a rank did one thing after the other. */
static bool
crossed(Queue *queue, Comm *row, Comm *column, int r, bool messages)
{
    float a = (float)r, b = (float)r, in = -1, out = (float)r;
    Ticket sum[2], message = {0};
    const int other = row->size - 1 - row->rank;
    if (messages && row->size == 2)
        message = queue_receive(queue, row, other, 7, &in, sizeof(in));
    for (int i = 0; i < 2; i++) {
        const bool first = (i == 0) == (r % 3 != 0);
        float *x = first ? &a : &b;
        sum[i] = queue_allreduce(queue, first ? row : column, ring(), x, x, 1, ELEMENT_FLOAT, REDUCTION_SUM);
    }
    queue_wait(queue, sum[1]);
    if (messages && row->size == 2)
        queue_wait(queue, queue_send(queue, row, other, 7, &out, sizeof(out)));
    queue_wait(queue, sum[0]);
    queue_wait(queue, message);
    const int first = r - row->rank;
    float down = 0;
    for (int i = 0; i < column->size; i++)
        down += (float)(r % 2 + 2 * i);
    return a == (float)(row->size == 2 ? 2 * first + 1 : first) && b == down &&
           (!messages || row->size == 1 || in == (float)(first + other));
}

TEST(communicators_do_not_wait_for_each_other)
{
    int r;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    Comm *row = part_of_world(r / 2), *column = part_of_world(r % 2);
    Queue *queue = queue_create();
    bool ok = true;
    for (int round = 0; round < 30; round++)
        ok = crossed(queue, row, column, r, round % 2 == 1) && ok;
    queue_free(queue);
    comm_free(row);
    comm_free(column);
    ck_assert_all(ok);
}

/* ---- as a pipeline with data parallelism uses it ----------------------------------------------------------------------------- */

typedef struct Stage {
    Queue *queue;
    Comm *pipeline, *data;
    int s, stages; /* this one, of `stages` */
    float *x, *dx; /* [MICRO][LENGTH] */
    Ticket sent;   /* the last message */
} Stage;

enum { MICRO = 6, LENGTH = 30000 }; /* micro-batches; 120 kB: a rendezvous */

static void
forward(Stage *at, int m)
{
    float *x = at->x + m * LENGTH;
    if (at->s > 0)
        queue_wait(at->queue, queue_receive(at->queue, at->pipeline, at->s - 1, 0, x, LENGTH * sizeof(float)));
    else
        fill(x, LENGTH, m);
    for (int i = 0; i < LENGTH; i++)
        x[i] += 1;
    if (at->s + 1 < at->stages)
        at->sent = queue_send(at->queue, at->pipeline, at->s + 1, 0, x, LENGTH * sizeof(float));
}

static void
backward(Stage *at, int m)
{
    float *dx = at->dx + m * LENGTH;
    if (at->s + 1 < at->stages)
        queue_wait(at->queue, queue_receive(at->queue, at->pipeline, at->s + 1, 1, dx, LENGTH * sizeof(float)));
    else
        memcpy(dx, at->x + m * LENGTH, LENGTH * sizeof(float));
    for (int i = 0; i < LENGTH; i++)
        dx[i] += 1;
    if (at->s > 0)
        at->sent = queue_send(at->queue, at->pipeline, at->s - 1, 1, dx, LENGTH * sizeof(float));
}

/* 1F1B (Narayanan et al., PipeDream-2BW, arXiv:2006.09503): stage s runs stages - 1 - s micro-batches forward, and then one
 * forward, one backward. The sum over the data axis leaves while the last gradients go back through the pipeline. */
static bool
one_forward_one_backward(Stage *at)
{
    const int ahead = at->stages - 1 - at->s < MICRO ? at->stages - 1 - at->s : MICRO;
    float gradient[MICRO];
    Ticket sum[MICRO];
    bool ok = true;
    for (int m = 0; m < ahead; m++)
        forward(at, m);
    for (int m = 0; m < MICRO; m++) {
        if (ahead + m < MICRO)
            forward(at, ahead + m);
        backward(at, m);
        gradient[m] = at->dx[m * LENGTH];
        sum[m] =
            queue_allreduce(at->queue, at->data, ring(), &gradient[m], &gradient[m], 1, ELEMENT_FLOAT, REDUCTION_SUM);
    }
    queue_wait(at->queue, at->sent); /* all others have arrived, or no answer would have come */
    for (int m = MICRO - 1; m >= 0; m--) {
        queue_wait(at->queue, sum[m]);
        ok = ok && holds(at->dx + m * LENGTH, LENGTH, m + 2 * at->stages - at->s);
        ok = ok && gradient[m] == (float)(at->data->size * (m + 2 * at->stages - at->s));
    }
    return ok;
}

TEST(a_pipeline_beside_sums_over_another_axis_comes_to_its_end)
{
    int r, p;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    for (int stages = 1; stages <= p; stages++) {
        if (p % stages != 0)
            continue;
        Stage at = {.queue = queue_create(),
                    .pipeline = part_of_world(r / stages),
                    .data = part_of_world(r % stages),
                    .s = r % stages,
                    .stages = stages,
                    .x = ARRAY(float, (size_t)(MICRO * LENGTH)),
                    .dx = ARRAY(float, (size_t)(MICRO * LENGTH))};
        bool ok = true;
        for (int step = 0; step < 3; step++)
            ok = one_forward_one_backward(&at) && ok;
        queue_free(at.queue);
        comm_free(at.pipeline);
        comm_free(at.data);
        array_free(at.x);
        array_free(at.dx);
        ck_assert_all(ok);
    }
}

TEST_MAIN_MPI("queue_traffic_mpi")
