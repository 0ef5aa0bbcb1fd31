/* See lab_07_reducer.h. The buckets are made here, not by the student's 07.1. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_07_reducer.h"
#include "core/array.h"
#include "core/clock.h"
#include "grade_ranks.h"
#include "lab_07_nets.h"
#include "mpi/parallel/data/reducer.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { BUCKETS = 5, TENSORS = 12, PER_BUCKET_MOST = 4, GRADIENTS_MOST = 1024, CALLS_MOST = 64 };
static const int per_bucket[BUCKETS] = {1, 3, 2, 4, 2};
#define PATIENCE 5.0 /* seconds, on a busy machine, until a thread has been woken */

/* ---- buckets to test with ------------------------------------------------------------------------------------------------ */

typedef struct Rig {
    BucketTensor tensor[TENSORS];
    Bucket bucket[BUCKETS];
    BucketTensors tensors;
    Buckets plan;
    float gradients[GRADIENTS_MOST];
    size_t n;
    Queue *queue;
    Reducer *reducer;
} Rig;

static Rig rig;

static int
bucket_with(int tensor)
{
    int b = 0;
    for (int end = per_bucket[0]; end <= tensor; end += per_bucket[b])
        b++;
    return b;
}

/* Tensors of all lengths, from the end of the array to its beginning; each a layer of its own. */
static void
begin(Comm *comm, const Collectives *collectives, bool overlapped)
{
    rig = (Rig){.tensors = {rig.tensor, TENSORS, TENSORS}, .plan = {rig.bucket, BUCKETS}};
    for (int t = 0; t < TENSORS; t++)
        rig.n += rig.tensor[t].count = 1 + (size_t)(t * 37 % 61);
    size_t left = rig.n;
    for (int t = 0; t < TENSORS; t++) {
        Bucket *bucket = &rig.bucket[bucket_with(t)];
        rig.tensor[t].layer = t;
        bucket->first = rig.tensor[t].first = left -= rig.tensor[t].count;
        bucket->count += rig.tensor[t].count;
        bucket->tensors++;
    }
    rig.queue = queue_create();
    rig.reducer = reducer_create(rig.queue, comm, collectives, rig.gradients, &rig.tensors, &rig.plan, overlapped);
}

static void
end(void)
{
    reducer_free(rig.reducer);
    queue_free(rig.queue);
}

/* A new step: no gradient is there. */
static void
begin_step(void)
{
    for (size_t i = 0; i < rig.n; i++)
        rig.gradients[i] = NAN;
    reducer_begin(rig.reducer);
}

/* Tensors t .. last get their values and are reported together. */
static void
report_tensors(int t, int last, float value)
{
    const size_t first = rig.tensor[last].first, behind = rig.tensor[t].first + rig.tensor[t].count;
    for (size_t i = first; i < behind; i++)
        rig.gradients[i] = value * (float)(i % 251 + 1);
    reducer_ready(rig.reducer, first, behind - first);
}

/* ---- an all-reduce that notes ---------------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    int calls;
    size_t first[CALLS_MOST], count[CALLS_MOST];
    bool early[CALLS_MOST]; /* a gradient was not there */
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
note(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    (void)comm, (void)y, (void)type, (void)op;
    const float *values = x;
    pthread_mutex_lock(&noted.lock);
    const int c = noted.calls < CALLS_MOST ? noted.calls : CALLS_MOST - 1;
    noted.first[c] = (size_t)(values - rig.gradients);
    noted.count[c] = n;
    for (size_t i = 0; i < n; i++)
        noted.early[c] |= isnan(values[i]);
    noted.calls++;
    pthread_mutex_unlock(&noted.lock);
}

static const Collectives notes = {.name = "notes", .all_reduce = note};
static Comm alone = {.size = 1};

static int
calls(void)
{
    pthread_mutex_lock(&noted.lock);
    const int n = noted.calls;
    pthread_mutex_unlock(&noted.lock);
    return n;
}

static void
pause_for(double seconds)
{
    nanosleep(&(struct timespec){0, (long)(seconds * 1e9)}, NULL);
}

/* The first `want` buckets are on their way, in their order, and no more. */
static void
expect_sent(int want, const char *when, int tensor)
{
    const double start = clock_now();
    while (calls() < want && clock_now() - start < PATIENCE)
        pause_for(0.001);
    pause_for(0.004); /* what is sent too early needs a moment to be seen */
    const int got = calls();
    grade_that(got >= want, "%s tensor %d: bucket %d is complete, and so are all before it, but it was not sent", when,
               tensor, want - 1);
    for (int b = 0; b < got && b < BUCKETS; b++) {
        grade_that(noted.first[b] == rig.bucket[b].first && noted.count[b] == rig.bucket[b].count,
                   "%s tensor %d: all-reduce number %d has %zu gradients from %zu on, want bucket %d, %zu from %zu on",
                   when, tensor, b, noted.count[b], noted.first[b], b, rig.bucket[b].count, rig.bucket[b].first);
        grade_that(!noted.early[b], "%s tensor %d: bucket %d was sent before its gradients were there", when, tensor,
                   b);
    }
    grade_that(got <= want, "%s tensor %d: %d buckets were sent, want %d: bucket %d is not complete yet", when, tensor,
               got, want, want);
}

static void
begin_noting(void)
{
    memset(noted.early, 0, sizeof(noted.early));
    noted.calls = 0;
}

/* Reports the tensors in this order, and looks after each what was sent. */
static void
report_one_by_one(const int order[TENSORS])
{
    int missing[BUCKETS], want = 0;
    memcpy(missing, per_bucket, sizeof(missing));
    begin_noting();
    begin_step();
    for (int i = 0; i < TENSORS; i++) {
        missing[bucket_with(order[i])]--;
        report_tensors(order[i], order[i], 1);
        while (want < BUCKETS && missing[want] == 0)
            want++;
        expect_sent(want, "after", order[i]);
    }
    reducer_finish(rig.reducer);
    expect_sent(BUCKETS, "at the end, after", order[TENSORS - 1]);
}

/* ---- the tests --------------------------------------------------------------------------------------------------------- */

void
lab_07_sent_when_complete(void)
{
    int order[TENSORS];
    for (int t = 0; t < TENSORS; t++)
        order[t] = t;
    begin(&alone, &notes, true);
    report_one_by_one(order);
    report_one_by_one(order); /* the next step begins anew */
    end();
}

void
lab_07_sent_in_order(void)
{
    static const int orders[][TENSORS] = {{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, /* the first bucket is the last */
                                          {4, 5, 1, 2, 3, 10, 11, 0, 9, 6, 8, 7}};
    begin(&alone, &notes, true);
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++)
        report_one_by_one(orders[o]);
    end();
}

/* A layer has several tensors, which come together, and may end one bucket and begin the next. */
void
lab_07_whole_layers(void)
{
    begin(&alone, &notes, true);
    begin_noting();
    begin_step();
    report_tensors(0, 2, 1);
    expect_sent(1, "after tensors 0 to", 2);
    report_tensors(6, 9, 1);
    expect_sent(1, "after tensors 6 to", 9);
    report_tensors(3, 5, 1);
    expect_sent(4, "after tensors 3 to", 5);
    reducer_finish(rig.reducer); /* nobody reported the last two */
    expect_sent(BUCKETS, "at the end, after", 5);
    end();
}

/* In each step tensor t is reported by rank r in turn t * 5 + r + step; whole numbers below 2^24 are added exactly. The last rank
 * does not use tensor 3. */
bool
lab_07_sums(Comm *comm, bool overlapped)
{
    const int p = comm->size, r = comm->rank;
    char wrong[256] = "";
    begin(comm, lab_07_collectives(), overlapped);
    for (int step = 0; step < 3; step++) {
        begin_step();
        for (int i = 0; i < TENSORS; i++) {
            const int t = (i * 5 + r + step) % TENSORS;
            if (t != 3 || r != p - 1)
                report_tensors(t, t, (float)(r + 1));
        }
        reducer_finish(rig.reducer);
        for (int t = 0; t < TENSORS; t++)
            for (size_t i = rig.tensor[t].first; i < rig.tensor[t].first + rig.tensor[t].count; i++) {
                const int all = p * (p + 1) / 2 - (t == 3 ? p : 0);
                const float want = (float)all * (float)(i % 251 + 1);
                if (wrong[0] == '\0' && !(rig.gradients[i] == want))
                    snprintf(wrong, sizeof(wrong), "step %d: gradient %zu, of tensor %d in bucket %d, is %g, want %g",
                             step, i, t, bucket_with(t), (double)rig.gradients[i], (double)want);
            }
    }
    end();
    return grade_agree(comm, wrong);
}

#endif
