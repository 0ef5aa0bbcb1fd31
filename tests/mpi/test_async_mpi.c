/* Asynchronous parameter servers: what is pushed is counted, how stale it may be is bounded, and it learns as well.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/server_case.h"

/* With one worker nothing is stale: the training of one process, to the bit. */
TEST(one_worker_is_one_process)
{
    need_workers(1, 1);
    static const char *const layers[] = {MLP, LENET, "conv4k3p1 batchnorm relu max2 dense10 softmax"};
    for (int l = 0; l < 3; l++)
        for (OptimizerKind kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++) {
            const Recipe recipe = {.layers = layers[l], .optimizer = kind, .rate = 0.01, .weight_decay = 0.001};
            Training alone, group;
            training_alone(&alone, recipe);
            training_with_servers(&group, recipe, "async", process_count() - 1, 0);
            const bool done = trainer_run(alone.trainer, NULL, &(Error){""}) == TRAIN_DONE;
            training_run(&group);
            expect_all_ranks_alike(&group);
            const double off = training_difference(&alone, &group);
            expect(done && off == 0, "difference from one process", off, 0);
            const double got = group.trainer->history[1].loss, want = alone.trainer->history[1].loss;
            expect(fabs(got - want) <= 1e-12, "loss of the epoch", got, want);
            training_free(&alone);
            training_free(&group);
        }
}

static void
expect_count(const char *what, int64_t got, int64_t want)
{
    expect(got == want, what, (double)got, (double)want);
}

/* What a rank has counted after `steps` steps. */
static void
expect_counts(const Training *training, int64_t steps, int bound)
{
    const Parallel *parallel = training->parallel;
    const ServerCounts *counts = server_counts(parallel);
    const bool server = parallel->worker < 0;
    const int64_t workers = parallel->workers, n = (int64_t)net_parameter_count(training->net);
    int64_t sum = 0, staler = 0;
    for (int s = 0; s < STALENESS_KEPT; s++) {
        sum += counts->staleness[s];
        staler += s > (workers - 1) * (2 * bound + 1) ? counts->staleness[s] : 0;
    }
    expect_count("pushes", counts->pushes, server ? steps * workers : steps);
    expect_count("pushes in the histogram", sum, server ? steps * workers : 0);
    if (bound >= 0) {
        expect_count("pushes staler than the bound allows", staler, 0);
        expect(counts->most_stale <= (workers - 1) * (2 * bound + 1), "most stale", (double)counts->most_stale,
               (double)((workers - 1) * (2 * bound + 1)));
        expect(counts->most_ahead <= bound, "ahead of the slowest", (double)counts->most_ahead, bound);
    }
    /* Both directions: the weights, and four doubles that go with them. */
    const int servers = ((const ServerOptions *)parallel->options.own)->servers;
    const Chunk part = chunk_of((size_t)n, servers, server ? parallel->comm->rank : 0);
    expect_count("bytes", counts->bytes,
                 server ? steps * workers * (8 * (int64_t)part.count + 32) : steps * (8 * n + 32 * servers));
}

TEST(pushes_are_counted_and_bounded)
{
    need_workers(1, 1);
    for (int servers = 1; servers <= 2 && servers < process_count(); servers++)
        for (int bound = -1; bound <= 3; bound++) {
            Training group;
            training_with_servers(&group, (Recipe){.epochs = 3}, "async", servers, bound);
            training_run(&group);
            expect_all_ranks_alike(&group);
            expect_counts(&group, 15, bound);
            training_free(&group);
        }
}

/* Of a batch of one sample the first worker has all: the others push too, and move nothing. */
TEST(workers_without_samples_move_nothing)
{
    need_workers(1, 1);
    const Recipe recipe = {
        .batch = 1, .samples = 7, .optimizer = OPTIMIZER_MOMENTUM, .rate = 0.01, .weight_decay = 0.1};
    for (int bound = -1; bound <= 0; bound++) {
        Training alone, group;
        training_alone(&alone, recipe);
        training_with_servers(&group, recipe, "async", 1, bound);
        const bool done = trainer_run(alone.trainer, NULL, &(Error){""}) == TRAIN_DONE;
        training_run(&group);
        expect_all_ranks_alike(&group);
        expect_counts(&group, 14, bound);
        const double off = training_difference(&alone, &group);
        expect(done && off == 0, "difference from one process", off, 0);
        training_free(&alone);
        training_free(&group);
    }
}

/* A rank that sleeps in every step: with a bound the others wait for it. Counted in pushes, not in time. */
TEST(nobody_leaves_a_straggler_behind)
{
    need_workers(1, 2);
    for (int bound = -1; bound <= 2; bound++) {
        Training group;
        training_with_servers(&group, (Recipe){0}, "async", 1, bound);
        group.parallel->options.straggler = process_count() - 1;
        group.parallel->options.straggler_seconds = 0.005;
        training_run(&group);
        expect_counts(&group, 10, bound);
        if (process_rank() == 0)
            printf("bound %d: the fastest was %lld ahead of the straggler\n", bound,
                   (long long)server_counts(group.parallel)->most_ahead);
        training_free(&group);
    }
}

static double
accuracy(const char *kind, int bound)
{
    Training group;
    const Recipe recipe = {
        .layers = "dense64 relu dense10 softmax", .rate = 0.3, .epochs = 30, .batch = 32, .samples = 9999};
    training_with_servers(&group, recipe, kind, 1, bound);
    training_run(&group);
    expect_all_ranks_alike(&group);
    Evaluation test;
    expect(train_evaluate(group.net, group.data.test, group.trainer->group, &test, &error), error.text, 0, 1);
    if (process_rank() == 0)
        printf("%s, bound %d: test accuracy %.4f\n", kind, bound, test.accuracy);
    group.parallel->report(group.parallel, stdout);
    training_free(&group);
    return test.accuracy;
}

TEST(stale_gradients_reach_the_same_accuracy)
{
    need_workers(1, 1);
    const double want = accuracy("server", 0), any = accuracy("async", -1), bound = accuracy("async", 1);
    expect(want > 0.94, "accuracy of synchronous training", want, 1);
    /* One side alone: who pushes first decides where it ends, and it often ends above. */
    expect(any >= want - 0.01, "accuracy of asynchronous training", any, want);
    expect(bound >= want - 0.01, "accuracy with a bound", bound, want);
}

TEST_MAIN_MPI("async_mpi")
