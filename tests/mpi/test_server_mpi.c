/* Synchronous parameter servers: one process's training, partitioned. Asynchronous ones: test_async_mpi.c.
 * SPDX-License-Identifier: MIT */
#include "core/units.h"
#include "mpi/watch/watch.h"
#include "nn/checkpoint.h"
#include "tests/mpi/server_case.h"

/* The sentence of a create that must fail, the same on all ranks. */
static void
expect_refusal(const char *kind, int servers, const char *sentence)
{
    Training training;
    training_alone(&training, (Recipe){0});
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const ParallelOptions options = {
        .strategy = kind, .own = &(ServerOptions){.servers = servers}, .collectives = collectives_named("auto", NULL)};
    Parallel *parallel = parallel_create(comm, training.trainer, &options, &error);
    const bool refused = parallel == NULL && training.trainer->group == NULL && strstr(error.text, sentence) != NULL;
    comm_free(comm);
    training_free(&training);
    ck_assert_msg(all_agree(refused), "\"%s\", expected \"%s\"", error.text, sentence);
}

TEST(one_rank_is_too_few)
{
    if (process_count() > 1)
        skip_test("there are more");
    expect_refusal("server", 1, "--parallel server needs at least 2 ranks, but there are 1");
    expect_refusal("async", 1, "--parallel async needs at least 2 ranks, but there are 1");
}

TEST(servers_leave_a_worker)
{
    need_workers(1, 1);
    expect_refusal("server", 0, "0 cannot be parameter servers");
    expect_refusal("server", -1, "-1 cannot be parameter servers");
    expect_refusal("async", process_count(), "it takes at least one, and one worker");
}

/* Within `atol` of one process after all steps, and the same losses. */
static void
expect_serial(Recipe recipe, int servers, double atol)
{
    Training alone, group;
    training_alone(&alone, recipe);
    training_with_servers(&group, recipe, "server", servers, 0);
    const TrainEnd end = trainer_run(alone.trainer, NULL, &(Error){""});
    training_run(&group);
    expect_all_ranks_alike(&group);
    const double off = training_difference(&alone, &group);
    expect(end == TRAIN_DONE && off <= atol, "difference from one process", off, 0);
    for (uint64_t e = 0; e < alone.trainer->position.epoch; e++) {
        const double got = group.trainer->history[e].loss, want = alone.trainer->history[e].loss;
        expect(fabs(got - want) <= 1e-5, "loss of an epoch", got, want);
    }
    training_free(&alone);
    training_free(&group);
}

TEST(ten_steps_are_one_processes)
{
    need_workers(1, 1);
    for (int servers = 1; servers <= 2 && servers < process_count(); servers++) {
        expect_serial((Recipe){.layers = MLP}, servers, 1e-5);
        expect_serial((Recipe){.layers = LENET}, servers, 1e-5);
        expect_serial((Recipe){.layers = MLP, .batch = 3, .samples = 29, .epochs = 1}, servers,
                      1e-5); /* batches of 3 and 2 */
        expect_serial((Recipe){.layers = LENET, .batch = 1, .samples = 10, .epochs = 1}, servers, 1e-5);
    }
}

/* Each part has an optimiser of its own. */
TEST(every_optimizer_can_be_cut)
{
    need_workers(1, 1);
    for (int servers = 1; servers <= 2 && servers < process_count(); servers++) {
        expect_serial((Recipe){.optimizer = OPTIMIZER_MOMENTUM, .rate = 0.05, .weight_decay = 0.01}, servers, 1e-5);
        expect_serial((Recipe){.optimizer = OPTIMIZER_NESTEROV, .rate = 0.05}, servers, 1e-5);
        expect_serial((Recipe){.optimizer = OPTIMIZER_ADAM, .rate = 0.001}, servers, 1e-5);
    }
}

/* Batch normalisation sees the whole batch where there is one worker; servers, which see no sample, get its running averages. */
TEST(servers_get_the_running_averages)
{
    need_workers(1, 1);
    expect_serial((Recipe){.layers = "dense24 batchnorm relu dense10 softmax"}, process_count() - 1, 1e-5);
}

/* From one server to one worker. */
TEST(any_number_of_servers_serves)
{
    need_workers(1, 1);
    for (int servers = 1; servers < process_count(); servers++)
        expect_serial((Recipe){.layers = "max8 dense10 softmax"}, servers, 1e-5);
}

/* Every send waits for its receiver, and every vector goes in many messages: nobody waits in a ring. */
TEST(long_messages_do_not_deadlock)
{
    need_workers(1, 1);
    watch_strict(true);
    point_set_limit(97);
    for (int servers = 1; servers < process_count() && servers <= 3; servers++) {
        expect_serial((Recipe){0}, servers, 1e-5);
        for (int bound = -1; bound <= 1; bound++) {
            Training group;
            training_with_servers(&group, (Recipe){0}, "async", servers, bound);
            training_run(&group);
            expect_all_ranks_alike(&group);
            training_free(&group);
        }
    }
    point_set_limit(0);
    watch_strict(false);
}

TEST(two_runs_have_the_same_bits)
{
    need_workers(1, 1);
    Training one, other;
    training_with_servers(&one, (Recipe){.optimizer = OPTIMIZER_ADAM, .rate = 0.003}, "server", 1, 0);
    training_with_servers(&other, (Recipe){.optimizer = OPTIMIZER_ADAM, .rate = 0.003}, "server", 1, 0);
    training_run(&one);
    training_run(&other);
    const double off = training_difference(&one, &other);
    expect(off == 0, "difference of two runs", off, 0);
    training_free(&one);
    training_free(&other);
}

static volatile sig_atomic_t asked;

static void
ask_after_three(void *context, const Trainer *trainer, double loss)
{
    (void)trainer, (void)loss;
    asked = ++*(int *)context >= 3;
}

/* One rank is asked to stop; all do, after the same step. Goes on from its file as `kind` with other servers, to the end. */
static void
expect_resumed(Recipe recipe, const char *kind, int servers, int servers_then, uint64_t epoch, uint64_t step)
{
    Training first, second;
    int steps = 0;
    asked = 0;
    training_with_servers(&first, recipe, kind, servers, 0);
    const TrainWatch watch = {.context = &steps, .step = ask_after_three, .stop = &asked};
    const bool last = process_rank() == process_count() - 1;
    const TrainEnd end = trainer_run(first.trainer, last ? &watch : NULL, &error);
    const TrainPosition at = first.trainer->position;
    expect(end == TRAIN_STOPPED && at.epoch == epoch && at.step == step, "stopped before step", (double)at.step,
           (double)step);
    expect_all_ranks_alike(&first);
    const Checkpoint saved = {.path = testing_path("servers"), .trainer = first.trainer};
    expect(checkpoint_save(&saved, &error), "saved", 0, 1);

    training_with_servers(&second, recipe, kind, servers_then, 0);
    Safetensors file;
    const Checkpoint here = {.path = saved.path, .trainer = second.trainer};
    expect(checkpoint_open(here.path, &file, &error) && checkpoint_restore(&here, &file, &error), "restored", 0, 1);
    safetensors_free(&file);
    training_run(&second);
    expect_all_ranks_alike(&second);
    training_free(&first);

    training_alone(&first, recipe);
    const bool done = trainer_run(first.trainer, NULL, &error) == TRAIN_DONE;
    const double off = training_difference(&first, &second);
    expect(done && off <= 1e-5, "difference of the resumed run from one process", off, 0);
    training_free(&first);
    training_free(&second);
}

TEST(stopped_and_resumed_it_is_the_same_run)
{
    need_workers(1, 1);
    const int most = process_count() - 1;
    expect_resumed((Recipe){.optimizer = OPTIMIZER_ADAM, .rate = 0.001}, "server", 1, most, 0, 4);
    expect_resumed((Recipe){.optimizer = OPTIMIZER_MOMENTUM, .rate = 0.05}, "server", most, 1, 0, 4);
    expect_resumed((Recipe){.optimizer = OPTIMIZER_MOMENTUM, .rate = 0.05}, "async", most, most, 1, 0); /* one worker */
}

/* The part of one server overflows first: all ranks end with a sentence, at the same step. */
TEST(divergence_ends_all_ranks)
{
    need_workers(1, 1);
    for (int servers = 1; servers < process_count(); servers++) {
        Training group;
        training_with_servers(&group, (Recipe){.rate = 1e30}, "server", servers, 0);
        const TrainEnd end = trainer_run(group.trainer, NULL, &error);
        expect(end == TRAIN_FAILED && strstr(error.text, "became") != NULL, "failed", end, TRAIN_FAILED);
        double step = (double)trainer_steps_done(group.trainer), first = step;
        CHECK_MPI(PMPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
        expect(step == first, "failed in the step of rank 0", step, first);
        training_free(&group);
    }
}

/* A server's bytes go in and out, and so must those that they are compared with. Rank 0 alone speaks. */
TEST(bytes_are_reported_beside_those_of_a_ring)
{
    need_workers(1, 1);
    const int p = process_count(), servers = 1, workers = p - servers;
    Training group;
    training_with_servers(&group, (Recipe){0}, "server", servers, 0);
    training_run(&group);
    char text[800] = "", want[200], all[UNITS_SIZE], server[UNITS_SIZE], ring[UNITS_SIZE];
    FILE *out = tmpfile();
    group.parallel->report(group.parallel, out);
    rewind(out);
    const size_t length = fread(text, 1, sizeof text - 1, out);
    fclose(out);

    const double n = (double)net_parameter_count(group.net) * sizeof(float);
    snprintf(want, sizeof want, "2 x %d worker%s x %s / 1 server is %s\n  a rank of a ring's all-reduce among all %d",
             workers, workers == 1 ? "" : "s", units_bytes(all, n), units_bytes(server, 2 * workers * n), p);
    expect(process_rank() > 0 ? length == 0 : strstr(text, want) != NULL, "characters with the server's bytes",
           (double)length, NAN);
    snprintf(want, sizeof want, "receives and sends %s\n", units_bytes(ring, 4 * n * (p - 1) / p));
    expect(process_rank() > 0 || strstr(text, want) != NULL, "characters with the ring's bytes", (double)length, NAN);
    training_free(&group);
}

TEST_MAIN_MPI("server_mpi")
