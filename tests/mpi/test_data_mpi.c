/* Data-parallel training equals that of one process, whatever is added when. SPDX-License-Identifier: MIT */
#include "tests/mpi/data_case.h"
#include "tests/wrong/data_parallel.h"

static const char *const overlaps[] = {"naive", "fused", "wfbp", "ddp", "greedy", "optimal"};
static const char *const collectives[] = {"ring", "recursive_doubling", "window", "mpi"};
enum { COUNT_OVERLAPS = 6, COUNT_COLLECTIVES = 4 };

/* 10 divides by neither 3, 4 nor 7, and leaves a tenth batch of 7; 3 leaves ranks without samples. */
static const DataCase mlp = {case_mlp, 97, 10, 10}, lenet = {lenet_build, 97, 10, 10}, few = {case_mlp, 31, 3, 11};

/* Small buckets, or these networks would fit in one. */
static ParallelOptions
options_of(const char *overlap, const char *name)
{
    const Collectives *chosen = collectives_named(name, &error);
    ck_assert_ok(chosen);
    static DataOptions own; /* of which parallel_create makes a copy */
    own = (DataOptions){.overlap = overlap, .first_bucket = 1000, .bucket = 4000};
    return (ParallelOptions){.strategy = "data", .own = &own, .collectives = chosen, .straggler = -1};
}

/* What every strategy must fulfil; false on all ranks if it is not on one. */
static bool
equals_serial(const float *got, const float *serial, size_t n, double *difference)
{
    *difference = case_difference(got, serial, n);
    const bool near = all_agree(*difference <= 1e-5), same = all_agree(same_as_rank_0(got, n * sizeof(float)));
    return near && same;
}

/* Every overlap with these collectives: close to one process, and closer to each other. */
static void
check_overlaps(const DataCase *c, const char *const *names, int count)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const size_t n = case_parameters(c);
    float *serial = case_train(c, comm, NULL, NULL), *first = NULL;
    for (int o = 0; o < COUNT_OVERLAPS; o++)
        for (int k = 0; k < count; k++) {
            const ParallelOptions options = options_of(overlaps[o], names[k]);
            float *got = case_train(c, comm, &options, NULL);
            double difference;
            ck_assert_msg(equals_serial(got, serial, n, &difference), "%s, %s, batches of %d: %g from one process",
                          overlaps[o], names[k], c->batch, difference);
            first = first == NULL ? got : first;
            difference = case_difference(got, first, n);
            ck_assert_msg(all_agree(difference <= 1e-6), "%s, %s: %g from the first", overlaps[o], names[k],
                          difference);
            if (got != first)
                array_free(got);
        }
    array_free(first);
    array_free(serial);
    comm_free(comm);
}

TEST_CALL(an_mlp_learns_as_in_one_process, check_overlaps(&mlp, collectives, COUNT_COLLECTIVES))

TEST(lenet_learns_as_in_one_process)
{
    check_overlaps(&lenet, collectives, 1);
    check_overlaps(&lenet, collectives + 2, 1);
}

TEST_CALL(ranks_without_samples_take_part, check_overlaps(&few, collectives, 2))

/* Where each sum is made in an order that does not depend on where the vector begins and ends, the plan changes no bit. */
TEST_WITH_COMM(overlap_changes_no_bit_of_sums_in_one_order)
{
    static const char *const one_order[] = {"naive", "tree", "recursive_doubling", "window"};
    const size_t n = case_parameters(&mlp);
    for (int k = 0; k < 4; k++) {
        float *first = NULL;
        for (int o = 0; o < COUNT_OVERLAPS; o++) {
            const ParallelOptions options = options_of(overlaps[o], one_order[k]);
            float *got = case_train(&mlp, comm, &options, NULL);
            first = first == NULL ? got : first;
            ck_assert_msg(all_agree(memcmp(got, first, n * sizeof(float)) == 0), "%s, %s: other bits than %s",
                          overlaps[o], one_order[k], overlaps[0]);
            if (got != first)
                array_free(got);
        }
        array_free(first);
    }
}

TEST_WITH_COMM(wrong_steps_are_rejected)
{
    const ParallelOptions options = options_of("fused", "ring");
    const size_t n = case_parameters(&mlp);
    float *serial = case_train(&mlp, comm, NULL, NULL), *right = case_train(&mlp, comm, &options, right_step);
    double difference;
    ck_assert_msg(equals_serial(right, serial, n, &difference), "what is right was rejected: %g", difference);
    array_free(right);
    for (int i = 0; i < WRONG_STEPS && comm->size > 1; i++) {
        float *got = case_train(&mlp, comm, &options, wrong_steps[i].learn);
        ck_assert_msg(!equals_serial(got, serial, n, &difference), "\"%s\" was accepted", wrong_steps[i].name);
        array_free(got);
    }
    array_free(serial);
}

/* What happened in a step is in order, and all of the gradient was sent once. */
static bool
timeline_is_whole(const DataTimeline *t, size_t n)
{
    bool ok = t->pass.begin <= t->pass.forward && t->pass.forward <= t->pass.backward &&
              t->pass.backward <= t->pass.end && t->pass.end <= t->wait && t->wait <= t->waited &&
              t->waited <= t->update && t->update <= t->end;
    double before = t->pass.backward;
    size_t left = n, unsent = n;
    for (int l = 0; l < t->layers; l++) {
        left -= t->layer[l].count;
        ok = ok && t->layer[l].first == left && t->layer[l].ready >= before && t->layer[l].ready <= t->pass.end;
        before = t->layer[l].ready;
    }
    before = t->pass.backward;
    for (int b = 0; b < t->buckets; b++) {
        unsent -= t->bucket[b].count;
        ok = ok && t->bucket[b].first == unsent && t->times[b].ready >= before &&
             t->times[b].begin >= t->times[b].ready && t->times[b].end >= t->times[b].begin &&
             t->times[b].end <= t->waited;
        before = t->times[b].ready;
    }
    return ok && left == 0 && unsent == 0;
}

/* Batch normalisation has averages, a straggler time, and small buckets something to send early. */
static int
case_normed(Net *net, int x, int classes)
{
    x = net_relu(net, net_batchnorm(net, net_dense(net, x, 31)));
    return net_dense(net, x, classes);
}

TEST_WITH_COMM(a_step_is_seen_and_an_epoch_synchronises_the_averages)
{
    enum { STEPS = 8 };
    const DataCase normed = {case_normed, 80, 10, STEPS};
    for (int o = 0; o < COUNT_OVERLAPS; o++) {
        ParallelOptions options = options_of(overlaps[o], "ring");
        CaseRun *run = case_begin(&normed, comm, &options, NULL);
        const DataTimeline *t = data_timeline(run->parallel);
        const int buckets[] = {6, 1, 3, 2};
        bool whole = true;
        for (int step = 0; step < STEPS; step++) {
            double loss;
            ck_assert_ok(trainer_step(run->trainer, &loss, &error));
            whole = whole && timeline_is_whole(t, net_parameter_count(run->net));
        }
        ck_assert_msg(all_agree(whole), "%s: a step's timeline is not in order", overlaps[o]);
        ck_assert(o >= 4 || t->buckets == buckets[o]);
        ck_assert_str_eq(t->layer[1].name, "layers.1");
        ck_assert_msg(all_agree(same_as_rank_0(net_averages(run->net), net_average_count(run->net) * sizeof(float))),
                      "averages differ");
        case_end(run);
    }
}

TEST_WITH_COMM(an_unknown_overlap_is_refused)
{
    Net *net = case_net(&mlp, CASE_SEED);
    Trainer trainer = {.net = net};
    ParallelOptions options = options_of("wfpb", "ring");
    ck_assert_ptr_null(parallel_create(comm, &trainer, &options, &error));
    ck_assert_str_eq(error.text, "there is no overlap 'wfpb', did you mean wfbp? "
                                 "There are naive, fused, wfbp, ddp, greedy, optimal");
    options = options_of("concurrently", "ring");
    ck_assert_ptr_null(parallel_create(comm, &trainer, &options, &error));
    ck_assert_str_eq(error.text, "there is no overlap 'concurrently', expected one of naive, fused, wfbp, ddp, greedy, "
                                 "optimal");
    net_free(net);
}

/* As a pipeline would: before each step this rank expects a message, and sends one that is long, which is done only after it. */
static float *
train_among_messages(const DataCase *c, Comm *comm, Comm *others, const ParallelOptions *options)
{
    enum { LONG = 1 << 16 };
    CaseRun *run = case_begin(c, comm, options, NULL);
    Queue *queue = run->parallel->queue;
    const int p = comm->size, next = (comm->rank + 1) % p, before = (comm->rank + p - 1) % p;
    const size_t n = net_parameter_count(run->net);
    float *out = ARRAY(float, LONG), *in = ARRAY(float, LONG), *parameters = ARRAY(float, n);
    double sum = 1, word_of_another = 0;
    for (int step = 0; step < c->steps; step++) {
        double loss;
        const Ticket sent = queue_send(queue, others, next, 0, out, LONG * sizeof(float));
        const Ticket late = queue_receive(queue, others, before, 1, &word_of_another, sizeof(double));
        const Ticket added =
            queue_allreduce(queue, others, options->collectives, &sum, &sum, 1, ELEMENT_DOUBLE, REDUCTION_MAX);
        ck_assert_ok(trainer_step(run->trainer, &loss, &error));
        const Ticket word = queue_send(queue, others, next, 1, &sum, sizeof(sum));
        queue_wait(queue, queue_receive(queue, others, before, 0, in, LONG * sizeof(float)));
        queue_wait(queue, sent), queue_wait(queue, late), queue_wait(queue, added), queue_wait(queue, word);
    }
    memcpy(parameters, net_parameters(run->net), n * sizeof(float));
    case_end(run);
    array_free(out);
    array_free(in);
    return parameters;
}

TEST(others_may_communicate_during_a_step)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0), *others = comm_create(MPI_COMM_WORLD, 0);
    const DataCase few_steps = {case_mlp, 97, 10, 3};
    const size_t n = case_parameters(&few_steps);
    for (int o = 0; o < 4; o++)          /* those whose plan does not depend on times */
        for (int k = 0; k < 3; k += 2) { /* ring, window */
            const ParallelOptions options = options_of(overlaps[o], collectives[k]);
            float *want = case_train(&few_steps, comm, &options, NULL);
            float *got = train_among_messages(&few_steps, comm, others, &options);
            ck_assert_msg(all_agree(memcmp(got, want, n * sizeof(float)) == 0), "%s, %s", overlaps[o], collectives[k]);
            array_free(want);
            array_free(got);
        }
    comm_free(comm);
    comm_free(others);
}

TEST_MAIN_MPI("data_mpi")
