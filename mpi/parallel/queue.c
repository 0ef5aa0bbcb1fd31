/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/queue.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/pin.h"
#include "mpi/watch/watch.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { LANES_MAX = 16 };

/* One that is submitted and not done yet. */
typedef struct Operation {
    struct Operation *next;
    uint64_t number; /* in its lane */

    /* In the lane of a communicator. */
    QueueWork *work;
    void *context; /* the operation itself for those below */
    Comm *comm;
    const Collectives *collectives;
    const void *from;
    void *to;
    size_t n;
    Element type;
    Reduction op;
    int root;

    /* In the lane of messages: from or to is the buffer, n its bytes, root the other rank. */
    int tag;
    bool begun, done;
    atomic_bool awaited; /* a thread waits for this one */
    Pending pending;
} Operation;

typedef struct Lane {
    Queue *queue;
    Comm *comm; /* NULL: the lane of messages */

    /* Under the lock of the queue. */
    Operation *first, *last; /* in the order submitted */
    uint64_t submitted;
    bool busy;               /* a thread is at work in this lane */
    int waiters;             /* callers of queue_wait */
    bool threaded;           /* it has a thread */
    pthread_cond_t work;     /* the thread has something to do */
    pthread_cond_t finished; /* an operation is done, or the lane is no longer busy */

    uint64_t running;         /* the collective under way */
    _Atomic uint64_t awaited; /* a thread waits for those below this number */
    pthread_t thread;
} Lane;

struct Queue {
    pthread_mutex_t lock; /* of the lanes' lists; held for moments */
    Lane *lane[LANES_MAX];
    int lanes;
    bool leave;
};

/* ---- who calls MPI ------------------------------------------------------------------------------------------------------- */

/* Held by the thread that calls MPI. Global, because there is one MPI in a process. */
static pthread_mutex_t mpi = PTHREAD_MUTEX_INITIALIZER;

/* awaited: the rank has nothing to do but to wait for what is polled now. */
static void
enter_mpi(bool awaited)
{
    CHECK_ZERO(pthread_mutex_lock(&mpi));
    watch_idle(awaited);
}

static void
leave_mpi(void)
{
    watch_idle(false);
    CHECK_ZERO(pthread_mutex_unlock(&mpi));
}

/* Exponential back-off between polls. A sleep costs microseconds of the core, nearly twenty in a virtual machine, so it must
 * become rare; but a long message progresses only when it is polled, and the system's buffers for it are small. */
static long
backoff_nanoseconds(unsigned polls)
{
    enum { FIRST = 20000, DOUBLINGS = 4 }; /* short beside what an all-reduce takes where overlap is worth it */
    return (long)FIRST << (polls < DOUBLINGS ? polls : DOUBLINGS);
}

/* CommYield: other lanes may call MPI, and the rank may compute. */
static void
yield_mpi(void *context, unsigned polls)
{
    Lane *lane = context;
    const struct timespec pause = {0, backoff_nanoseconds(polls)};
    leave_mpi();
    if (lane->running < atomic_load(&lane->awaited))
        sched_yield();
    else
        nanosleep(&pause, NULL);
    enter_mpi(lane->running < atomic_load(&lane->awaited));
}

/* ---- carrying out. The lock is held when these are called, and when they return ---------------------------------------------- */

static bool
is_done(const Lane *lane, uint64_t number)
{
    const Operation *operation = lane->first;
    while (operation != NULL && operation->number != number)
        operation = operation->next;
    return operation == NULL;
}

/* Takes out those that are done. Returns whether there were any. */
static bool
take_out(Lane *lane)
{
    bool any = false;
    Operation *last = NULL;
    for (Operation **at = &lane->first; *at != NULL;) {
        Operation *operation = *at;
        if (!operation->done) {
            last = operation;
            at = &operation->next;
            continue;
        }
        *at = operation->next;
        array_free(operation);
        any = true;
    }
    lane->last = last;
    return any;
}

/* A lane that is waited for and is alone may block in MPI: no other thread is delayed. */
static void
decide_to_block(const Lane *lane)
{
    if (lane->comm != NULL)
        comm_block(lane->comm, lane->queue->lanes == 1 && lane->running < atomic_load(&lane->awaited));
}

/* Without a thread, and alone, a lane blocks in MPI in any case: there is no computation to overlap with. */
static bool
has_to_poll(const Lane *lane)
{
    return lane->threaded || lane->queue->lanes > 1;
}

/* The next collective, to its end. */
static void
run_collective(Lane *lane)
{
    Operation *operation = lane->first;
    lane->running = operation->number;
    decide_to_block(lane);
    CommYield *const yield = has_to_poll(lane) ? yield_mpi : NULL;
    CHECK_ZERO(pthread_mutex_unlock(&lane->queue->lock));
    enter_mpi(operation->number < atomic_load(&lane->awaited));
    comm_poll(lane->comm, yield, lane);
    operation->work(operation->context);
    comm_poll(lane->comm, NULL, NULL); /* for whoever uses it while the queue is idle */
    leave_mpi();
    CHECK_ZERO(pthread_mutex_lock(&lane->queue->lock));
    operation->done = true;
    take_out(lane);
}

static void
begin_message(Operation *m)
{
    m->begun = true;
    if (m->to == NULL)
        point_begin_send_tagged(m->comm, m->root, m->tag, m->from, m->n, ELEMENT_BYTE, &m->pending);
    else
        point_begin_receive_tagged(m->comm, m->root, m->tag, m->to, m->n, ELEMENT_BYTE, &m->pending);
}

/* Posts what is new, and polls everything once. What is submitted meanwhile is behind `last`, and not polled yet. */
static void
poll_messages(Lane *lane)
{
    Operation *const last = lane->last;
    Queue *queue = lane->queue;
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
    enter_mpi(false);
    for (Operation *m = lane->first;; m = m->next) {
        if (!m->begun)
            begin_message(m);
        watch_idle(atomic_load(&m->awaited));
        m->done = point_test(&m->pending);
        if (m->done)
            point_wait(&m->pending);
        if (m == last)
            break;
    }
    leave_mpi();
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
}

/* Until something new is submitted, or it is time to poll again. */
static void
backoff(Lane *lane, unsigned polls)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += backoff_nanoseconds(polls);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&lane->work, &lane->queue->lock, &until);
}

/* One step of the lane's work, of which there is some. Returns whether an operation was finished. */
static bool
advance(Lane *lane)
{
    bool finished = true;
    lane->busy = true;
    if (lane->comm != NULL) {
        run_collective(lane);
    } else {
        poll_messages(lane);
        finished = take_out(lane);
    }
    lane->busy = false;
    if (lane->waiters > 0)
        CHECK_ZERO(pthread_cond_broadcast(&lane->finished));
    return finished;
}

/* ---- threads ------------------------------------------------------------------------------------------------------------- */

static void
begin_thread(void)
{
    pin_release();
#if defined(__linux__)
    /* Timer slack: nanoseconds that a sleep may be longer than requested; 50 microseconds by default. */
    prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

/* A thread that waits for messages polls them itself, without back-off. */
static void *
serve(void *context)
{
    Lane *lane = context;
    Queue *queue = lane->queue;
    begin_thread();
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
    for (unsigned polls = 0; !queue->leave;) {
        if (lane->busy || lane->first == NULL || (lane->comm == NULL && lane->waiters > 0))
            CHECK_ZERO(pthread_cond_wait(&lane->work, &queue->lock));
        else if (advance(lane))
            polls = 0;
        else if (lane->waiters == 0)
            backoff(lane, polls++);
    }
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
    return NULL;
}

static Lane *
lane_create(Queue *queue, Comm *comm)
{
    CHECK_THAT(queue->lanes < LANES_MAX, "more than %d communicators in one queue", LANES_MAX - 1);
    Lane *lane = ARRAY(Lane, 1);
    pthread_condattr_t monotonic;
    lane->queue = queue;
    lane->comm = comm;
    CHECK_ZERO(pthread_condattr_init(&monotonic));
    CHECK_ZERO(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC));
    CHECK_ZERO(pthread_cond_init(&lane->work, &monotonic));
    CHECK_ZERO(pthread_cond_init(&lane->finished, NULL));
    CHECK_ZERO(pthread_condattr_destroy(&monotonic));
    queue->lane[queue->lanes++] = lane;
    return lane;
}

static void
lane_free(Lane *lane)
{
    if (lane->threaded) {
        CHECK_ZERO(pthread_cond_signal(&lane->work));
        CHECK_ZERO(pthread_join(lane->thread, NULL));
    }
    pthread_cond_destroy(&lane->work);
    pthread_cond_destroy(&lane->finished);
    array_free(lane);
}

Queue *
queue_create(void)
{
    Queue *queue = ARRAY(Queue, 1);
    CHECK_ZERO(pthread_mutex_init(&queue->lock, NULL));
    return queue;
}

void
queue_free(Queue *queue)
{
    if (queue == NULL)
        return;
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
    for (int i = 0; i < queue->lanes; i++)
        while (queue->lane[i]->first != NULL) {
            const Ticket ticket = {queue->lane[i], queue->lane[i]->first->number};
            CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
            queue_wait(queue, ticket);
            CHECK_ZERO(pthread_mutex_lock(&queue->lock));
        }
    queue->leave = true;
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
    for (int i = 0; i < queue->lanes; i++)
        lane_free(queue->lane[i]);
    pthread_mutex_destroy(&queue->lock);
    array_free(queue);
}

/* ---- submitting ---------------------------------------------------------------------------------------------------------- */

static Lane *
lane_of(Queue *queue, const Comm *comm)
{
    for (int i = 0; i < queue->lanes; i++)
        if (queue->lane[i]->comm == comm)
            return queue->lane[i];
    return NULL;
}

/* comm is the lane's: NULL for messages. wake: the lane gets a thread. */
static Ticket
submit(Queue *queue, Comm *comm, Operation *operation, bool wake)
{
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
    Lane *lane = lane_of(queue, comm);
    const bool thread = wake && (lane == NULL || !lane->threaded);
    lane = lane != NULL ? lane : lane_create(queue, comm);
    lane->threaded = lane->threaded || thread;
    operation->number = lane->submitted++;
    if (lane->first == NULL)
        lane->first = operation;
    else
        lane->last->next = operation;
    lane->last = operation;
    if (thread)
        CHECK_ZERO(pthread_create(&lane->thread, NULL, serve, lane));
    else if (wake)
        CHECK_ZERO(pthread_cond_signal(&lane->work));
    const Ticket ticket = {lane, operation->number};
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
    return ticket;
}

static Operation *
operation_of(Operation what)
{
    Operation *operation = ARRAY(Operation, 1);
    *operation = what;
    return operation;
}

/* Tags of point.h without one are 0. */
Ticket
queue_send(Queue *queue, Comm *comm, int to, int tag, const void *buffer, size_t bytes)
{
    const Operation what = {.comm = comm, .root = to, .tag = tag + 1, .from = buffer, .n = bytes};
    return submit(queue, NULL, operation_of(what), true);
}

Ticket
queue_receive(Queue *queue, Comm *comm, int from, int tag, void *buffer, size_t bytes)
{
    static char nothing; /* a receive is told from a send by where it goes to */
    const Operation what = {
        .comm = comm, .root = from, .tag = tag + 1, .to = buffer != NULL ? buffer : &nothing, .n = bytes};
    return submit(queue, NULL, operation_of(what), true);
}

static void
all_reduce(void *context)
{
    const Operation *o = context;
    o->collectives->all_reduce(o->comm, o->from, o->to, o->n, o->type, o->op);
}

static void
broadcast(void *context)
{
    const Operation *o = context;
    o->collectives->broadcast(o->comm, o->to, o->n, o->type, o->root);
}

static Ticket
submit_collective(Queue *queue, Operation what)
{
    Operation *operation = operation_of(what);
    operation->context = operation;
    return submit(queue, what.comm, operation, true);
}

Ticket
queue_allreduce(Queue *queue, Comm *comm, const Collectives *collectives, const void *x, void *y, size_t n,
                Element type, Reduction op)
{
    return submit_collective(queue, (Operation){.work = all_reduce,
                                                .comm = comm,
                                                .collectives = collectives,
                                                .from = x,
                                                .to = y,
                                                .n = n,
                                                .type = type,
                                                .op = op});
}

Ticket
queue_broadcast(Queue *queue, Comm *comm, const Collectives *collectives, void *x, size_t n, Element type, int root)
{
    return submit_collective(
        queue,
        (Operation){
            .work = broadcast, .comm = comm, .collectives = collectives, .to = x, .n = n, .type = type, .root = root});
}

Ticket
queue_call(Queue *queue, Comm *comm, QueueWork *work, void *context)
{
    return submit(queue, comm, operation_of((Operation){.work = work, .context = context}), true);
}

void
queue_run(Queue *queue, Comm *comm, QueueWork *work, void *context)
{
    queue_wait(queue, submit(queue, comm, operation_of((Operation){.work = work, .context = context}), false));
}

/* ---- waiting ------------------------------------------------------------------------------------------------------------- */

bool
queue_done(Queue *queue, Ticket ticket)
{
    if (ticket.lane == NULL)
        return true;
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
    const bool done = is_done(ticket.lane, ticket.number);
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
    return done;
}

/* Notifies the thread at work, and the watchdog. */
static void
await(Lane *lane, uint64_t number)
{
    if (atomic_load(&lane->awaited) <= number)
        atomic_store(&lane->awaited, number + 1);
    if (lane->busy)
        decide_to_block(lane);
    for (Operation *operation = lane->first; operation != NULL; operation = operation->next)
        if (operation->number == number)
            atomic_store(&operation->awaited, true);
    lane->waiters++;
}

void
queue_wait(Queue *queue, Ticket ticket)
{
    Lane *lane = ticket.lane;
    if (lane == NULL)
        return;
    CHECK_ZERO(pthread_mutex_lock(&queue->lock));
    await(lane, ticket.number);
    while (!is_done(lane, ticket.number)) {
        if (lane->busy) {
            CHECK_ZERO(pthread_cond_wait(&lane->finished, &queue->lock));
        } else if (!advance(lane)) {
            CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
            sched_yield();
            CHECK_ZERO(pthread_mutex_lock(&queue->lock));
        }
    }
    lane->waiters--;
    if (lane->waiters > 0)
        CHECK_ZERO(pthread_cond_broadcast(&lane->finished));
    else if (lane->first != NULL)
        CHECK_ZERO(pthread_cond_signal(&lane->work)); /* the thread goes on with the rest */
    CHECK_ZERO(pthread_mutex_unlock(&queue->lock));
}
