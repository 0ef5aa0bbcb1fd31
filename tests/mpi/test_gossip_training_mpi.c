/* Trainings without a common gradient, from the first step to the last: accuracy, synchronisation, stopping,
 * resuming. The formulas of a step are in test_gossip_mpi.c.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "tests/mpi/peers_case.h"
#include "tests/nets.h"

static const char *const kinds[] = {"gossip", "local", "easgd"};
enum { KINDS = 3, EVERY = 4, EPOCHS = 30 };

/* ---- the digits ---- */

static void
digits_fixture(Fixture *fixture, const TrainOptions *train)
{
    *fixture = (Fixture){0};
    ck_assert_ok(dataset_open("digits", &fixture->dataset, &error));
    ck_assert(dataset_split(&fixture->dataset, 0, 0.2, 1, &fixture->split, &error));
    for (size_t i = 0; i < fixture->dataset.count * fixture->dataset.features; i++)
        fixture->dataset.x[i] /= 16;
    fixture->net = net_from_text(cpu_backend("best", &error), 3, (Shape){8, 8, 1}, "dense32 relu dense10 softmax");
    fixture_trainer(fixture, train);
}

static double
test_accuracy(const Fixture *fixture)
{
    return fixture_evaluate(fixture, fixture->data.test).accuracy;
}

/* One process with the whole batch, which synchronous training equals. */
TEST(accuracy_reaches_that_of_synchronous_training)
{
    const TrainOptions train = {.epochs = EPOCHS,
                                .batch = 32,
                                .rate = 0.05,
                                .optimizer = OPTIMIZER_MOMENTUM,
                                .optimizer_options = optimizer_defaults(),
                                .seed = 3};
    Fixture serial;
    digits_fixture(&serial, &train);
    fixture_run(&serial);
    const double want = test_accuracy(&serial);
    ck_assert_all(want > 0.95);
    for (int kind = 0; kind < KINDS; kind++) {
        const ParallelOptions options = peer_options(kinds[kind], EVERY);
        Peer peer = {0};
        digits_fixture(&peer.fixture, &train);
        peer_join(&peer, &options);
        fixture_run(&peer.fixture);
        const double got = test_accuracy(&peer.fixture);
        ck_assert_msg(all_agree(got >= want - 0.01), "%s: accuracy %g, not %g", kinds[kind], got, want);
        peer_free(&peer);
    }
    fixture_free(&serial);
}

/* ---- synchronisation ---- */

/* A net with running averages, on the clouds. */
static void
batchnorm_peer(Peer *peer, const TrainOptions *train, const char *kind)
{
    const ParallelOptions options = peer_options(kind, EVERY);
    *peer = (Peer){0};
    fixture_data(&peer->fixture);
    peer->fixture.net = net_from_text(cpu_backend("best", &error), 7, (Shape){1, 1, FIXTURE_FEATURES},
                                      "dense13 batchnorm relu dense3 softmax");
    fixture_trainer(&peer->fixture, train);
    peer_join(peer, &options);
}

/* Weights, running averages, optimiser, history. */
static bool
all_is_as_on_rank_0(const Peer *peer)
{
    const Trainer *trainer = peer->trainer;
    const size_t bytes = peer->n * sizeof(float);
    bool same = same_as_rank_0(peer->x, bytes);
    same &= same_as_rank_0(net_averages(peer->net), net_average_count(peer->net) * sizeof(float));
    for (int s = 0; s < optimizer_state_count(trainer->optimizer); s++)
        same &= same_as_rank_0(optimizer_state(trainer->optimizer, s, NULL), bytes);
    for (uint64_t e = 0; e < trainer->position.epoch; e++) {
        same &= same_as_rank_0(&trainer->history[e].loss, sizeof(double));
        same &= same_as_rank_0(&trainer->history[e].validation, sizeof(double));
    }
    return same & same_as_rank_0(&trainer->position, sizeof(TrainPosition));
}

/* 16 samples to a batch, so that each rank has 2 or more: batch normalisation of one sample learns nothing. */
static TrainOptions
adam(void)
{
    TrainOptions options = fixture_options();
    options.batch = 16;
    return options;
}

TEST(an_epoch_leaves_the_same_bits_on_all_ranks)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const TrainOptions train = adam();
        Peer peer;
        batchnorm_peer(&peer, &train, kinds[kind]);
        for (int e = 0; e < 2; e++) {
            for (int s = 0; s < 3; s++)
                peer_step(&peer);
            ck_assert_all(peer.p == 1 || !all_agree(all_is_as_on_rank_0(&peer)));
            peer_step(&peer); /* 59 samples: the epoch's fourth and last */
            ck_assert_uint_eq(peer.trainer->position.step, 0);
            ck_assert_all(all_is_as_on_rank_0(&peer));
        }
        peer_free(&peer);
    }
}

/* ---- stopping and resuming ---- */

typedef struct Stop {
    volatile sig_atomic_t asked;
    bool mine;
    uint64_t after;
} Stop;

static void
ask_to_stop(void *context, const Trainer *trainer, double loss)
{
    Stop *stop = context;
    (void)loss;
    if (stop->mine && trainer_steps_done(trainer) == stop->after)
        stop->asked = 1;
}

/* The last rank is asked during the second of 16 steps, the others never: all end in one step, soon. Gossip gives
 * notice of p / 2 steps; the others meet after every fourth. */
TEST(one_rank_that_is_asked_ends_all)
{
    for (int kind = 0; kind < KINDS; kind++) {
        TrainOptions train = adam();
        train.batch = 8; /* 8 steps to an epoch */
        Peer peer;
        batchnorm_peer(&peer, &train, kinds[kind]);
        Stop stop = {.mine = peer.r == peer.p - 1, .after = 1};
        const TrainWatch watch = {.context = &stop, .step = ask_to_stop, .stop = &stop.asked};
        const TrainEnd end = trainer_run(peer.trainer, &watch, &error);
        ck_assert_all(end == TRAIN_STOPPED);
        const uint64_t want = kind == 0 ? 2 + (uint64_t)peer.p / 2 : EVERY;
        ck_assert_all(trainer_steps_done(peer.trainer) == want);
        ck_assert_all(all_is_as_on_rank_0(&peer));
        peer_free(&peer);
    }
}

/* Two epochs, a checkpoint, and two more in other processes' place, against four in one go: the same bits. */
TEST(a_resumed_run_ends_with_the_same_bits)
{
    for (int kind = 0; kind < KINDS; kind++) {
        const TrainOptions train = adam();
        const char *path = testing_path(kinds[kind]);
        Peer whole, half;
        Safetensors file;
        batchnorm_peer(&whole, &train, kinds[kind]);
        Checkpoint checkpoint = {.path = path, .trainer = whole.trainer};
        for (int s = 0; s < 8; s++)
            peer_step(&whole);
        ck_assert_all(checkpoint_save(&checkpoint, &error));
        for (int s = 0; s < 8; s++)
            peer_step(&whole);

        batchnorm_peer(&half, &train, kinds[kind]);
        checkpoint.trainer = half.trainer;
        ck_assert_all(checkpoint_open(path, &file, &error) && checkpoint_restore(&checkpoint, &file, &error));
        safetensors_free(&file);
        ck_assert_uint_eq(half.trainer->position.epoch, 2);
        fixture_run(&half.fixture);
        ck_assert_all(memcmp(half.x, whole.x, whole.n * sizeof(float)) == 0);
        ck_assert_all(half.trainer->history[3].loss == whole.trainer->history[3].loss);
        peer_free(&half);
        peer_free(&whole);
    }
}

/* Stopped in the middle of an epoch and gone on from there, an epoch's loss is still the mean over all its samples: with a rate too
 * small to move a weight, that of the training samples. */
TEST(the_loss_of_an_interrupted_epoch_is_whole)
{
    for (int kind = 0; kind < KINDS; kind++) {
        TrainOptions train = fixture_options();
        train.optimizer = OPTIMIZER_SGD;
        train.rate = 1e-30;
        train.epochs = 1;
        const ParallelOptions options = peer_options(kinds[kind], EVERY);
        Peer peer = {0};
        peer_create(&peer, &train, &options);
        const double want = fixture_evaluate_training(&peer.fixture, 8).loss;
        Stop stop = {.mine = peer.r == 0, .after = 1};
        const TrainWatch watch = {.context = &stop, .step = ask_to_stop, .stop = &stop.asked};
        ck_assert_all(trainer_run(peer.trainer, &watch, &error) == TRAIN_STOPPED);
        ck_assert_all(trainer_run(peer.trainer, NULL, &error) == TRAIN_DONE);
        ck_assert_all(fabs(peer.trainer->history[0].loss - want) < 1e-5);
        peer_free(&peer);
    }
}

TEST_MAIN_MPI("gossip_training_mpi")
