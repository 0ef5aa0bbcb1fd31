/* D-PSGD, local SGD, EASGD: each step against its formula in double. Whole trainings are in test_gossip_training_mpi.c.
 * SPDX-License-Identifier: MIT */
#include "mpi/watch/watch.h"
#include "tests/mpi/peers_case.h"

static const char *const kinds[] = {"gossip", "local", "easgd"};
enum { KINDS = 3 };

static TrainOptions
plain_sgd(void)
{
    TrainOptions options = fixture_options();
    options.optimizer = OPTIMIZER_SGD;
    options.rate = 0.1;
    return options;
}

/* A step without samples: the gradient is zero, and what is left is what the ranks do to each other. */
static void
step_of_nothing(Peer *peer, uint64_t number)
{
    TrainStep step = {.batch = {.step = number}, .whole = 1, .rate = 0.1};
    peer->parallel->group.learn(peer->parallel->group.context, peer->trainer, &step);
}

/* ---- D-PSGD ---- */

/* cos(2 pi k i / p) on rank i is an eigenvector of the ring's mixing; k = 1 is the slowest. */
TEST(waves_on_the_ring_shrink_as_they_must)
{
    const TrainOptions train = plain_sgd();
    const ParallelOptions options = peer_options("gossip", 1);
    Peer peer = {0};
    peer_create(&peer, &train, &options);
    for (int k = 0; k < peer.p; k++) {
        const double turn = 2 * M_PI * k / peer.p;
        const double factor = peer.p == 1 ? 1 : peer.p == 2 ? 0.5 + 0.5 * cos(turn) : 1.0 / 3 + 2.0 / 3 * cos(turn);
        double *want = malloc(peer.n * sizeof(double));
        for (size_t i = 0; i < peer.n; i++) {
            want[i] = (double)(i % 7 + 1) * cos(turn * peer.r);
            peer.x[i] = (float)want[i];
        }
        bool near = true;
        for (uint64_t s = 0; s < 5; s++) {
            step_of_nothing(&peer, s);
            for (size_t i = 0; i < peer.n; i++)
                want[i] *= factor;
            near &= peer_near(peer.x, want, peer.n, 2e-6);
        }
        free(want);
        ck_assert_msg(all_agree(near), "wave %d of %d ranks: not %g in each step", k, peer.p, factor);
    }
    peer_free(&peer);
}

/* Two messages of weights and two of a number, beside those of the synchronisation. */
TEST(bytes_are_those_that_were_counted)
{
    const TrainOptions train = plain_sgd();
    const ParallelOptions options = peer_options("gossip", 1);
    Peer peer = {0};
    peer_create(&peer, &train, &options);
    const int neighbours = peer.p < 3 ? peer.p - 1 : 2;
    watch_begin();
    for (uint64_t s = 0; s < 3; s++)
        step_of_nothing(&peer, s);
    const WatchCounts counts = watch_end(peer.comm->mpi);
    ck_assert_all(counts.mine.sent == 3 * 2 * neighbours);
    ck_assert_all(counts.mine.sent_bytes == 3 * neighbours * (int64_t)(4 * peer.n + 8));
    ck_assert_all(counts.mine.collectives == 0);
    peer_free(&peer);
}

/* ---- the mean of all weights ---- */

/* mean(x) <- mean(x) - eta mean(g), whatever the ranks do to each other. */
TEST(the_mean_moves_as_sgd_does)
{
    for (int kind = 0; kind < 2; kind++) {
        TrainOptions train = plain_sgd();
        train.optimizer_options.momentum = 0.5;
        train.optimizer = kind == 0 ? OPTIMIZER_SGD : OPTIMIZER_MOMENTUM;
        const ParallelOptions options = peer_options(kinds[kind], 3);
        Peer peer = {0};
        peer_create(&peer, &train, &options);
        double *mean = malloc(peer.n * sizeof(double)), *now = malloc(peer.n * sizeof(double));
        double *velocity = calloc(peer.n, sizeof(double)), *g = malloc(peer.n * sizeof(double));
        peer_sum(&peer, peer.x, mean);
        bool near = true, apart = peer.p == 1;
        for (int s = 0; s < 7; s++) { /* an epoch has 8, and then they synchronise */
            peer_step(&peer);
            peer_sum(&peer, peer.g, g);
            peer_sum(&peer, peer.x, now);
            for (size_t i = 0; i < peer.n; i++) {
                velocity[i] = (kind == 0 ? 0 : 0.5) * velocity[i] + g[i];
                mean[i] -= 0.1 * velocity[i];
                near &= fabs(now[i] - mean[i]) <= 2e-6 * peer.p;
            }
            apart |= !all_agree(same_as_rank_0(peer.x, fixture_bytes(&peer.fixture)));
        }
        free(mean), free(now), free(velocity), free(g);
        ck_assert_all(near);
        ck_assert_all(apart);
        peer_free(&peer);
    }
}

/* From equal weights, the mean of the ranks' gradients is the gradient of the global batch, uneven slices and empty ones
 * included: 8 samples on 7 ranks, and at the end of an epoch 3. */
TEST(gradients_add_up_to_the_whole_batch)
{
    const TrainOptions train = plain_sgd();
    const ParallelOptions options = peer_options("local", 1);
    Peer peer = {0};
    Fixture serial;
    peer_create(&peer, &train, &options);
    fixture_create(&serial, &train);
    double *g = malloc(peer.n * sizeof(double)), loss, mine = 0;
    for (int s = 0; s < 8; s++) {
        const size_t whole = source_rows(peer.trainer->training, (uint64_t)s);
        size_t first, count;
        memcpy(net_parameters(serial.net), peer.x, fixture_bytes(&serial));
        mine = peer_step(&peer);
        ck_assert(trainer_step(serial.trainer, &loss, &error));
        peer_sum(&peer, peer.g, g);
        for (size_t i = 0; i < peer.n; i++)
            g[i] /= peer.p;
        ck_assert_all(peer_near(net_gradients(serial.net), g, peer.n, 1e-5));
        parallel_part(peer.parallel, whole, &first, &count);
        mine *= (double)count / (double)whole;
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        ck_assert_all(fabs(mine - loss) < 1e-5);
    }
    ck_assert_all(fabs(peer.trainer->history[0].loss - serial.trainer->history[0].loss) < 1e-5);
    free(g);
    peer_free(&peer);
    fixture_free(&serial);
}

/* ---- local SGD ---- */

/* A mean in every step of plain SGD or momentum is synchronous data parallelism, which is one process with the whole batch. */
TEST(a_mean_in_every_step_is_serial)
{
    for (int kind = OPTIMIZER_SGD; kind <= OPTIMIZER_NESTEROV; kind++) {
        TrainOptions train = plain_sgd();
        train.optimizer = (OptimizerKind)kind;
        train.rate = 0.02;
        const ParallelOptions options = peer_options("local", 1);
        Peer peer = {0};
        Fixture serial;
        peer_create(&peer, &train, &options);
        fixture_create(&serial, &train);
        double loss;
        for (int s = 0; s < 10; s++) {
            peer_step(&peer);
            ck_assert(trainer_step(serial.trainer, &loss, &error));
        }
        bool near = true;
        for (size_t i = 0; i < peer.n; i++)
            near &= fabsf(peer.x[i] - net_parameters(serial.net)[i]) <= 1e-5f;
        ck_assert_all(near);
        peer_free(&peer);
        fixture_free(&serial);
    }
}

TEST(ranks_meet_when_they_should)
{
    const TrainOptions train = plain_sgd();
    const ParallelOptions options = peer_options("local", 3);
    Peer peer = {0};
    peer_create(&peer, &train, &options);
    for (int s = 1; s <= 8; s++) {
        peer_step(&peer);
        const bool same = all_agree(same_as_rank_0(peer.x, fixture_bytes(&peer.fixture)));
        ck_assert_all(same == (peer.p == 1 || s % 3 == 0 || s == 8));
    }
    peer_free(&peer);
}

/* ---- EASGD ---- */

/* x_i -= eta g_i + alpha (x_i - c), c += alpha sum (x_i - c), every second step; at the end of the epoch one pull more, and all are
 * at the centre. */
TEST(springs_pull_as_in_the_paper)
{
    for (int given = 0; given <= 1; given++) {
        const TrainOptions train = plain_sgd();
        ParallelOptions options = peer_options("easgd", 2);
        Peer peer = {0};
        options.own = &(PeerOptions){.every = 2, .elasticity = given ? 0.1 : 0};
        peer_create(&peer, &train, &options);
        const double alpha = given ? 0.1 : 0.9 / peer.p;
        double *x = malloc(peer.n * sizeof(double)), *c = malloc(peer.n * sizeof(double));
        double *sum = malloc(peer.n * sizeof(double));
        for (size_t i = 0; i < peer.n; i++)
            x[i] = c[i] = (double)peer.x[i];
        for (int s = 1; s <= 8; s++) {
            peer_step(&peer);
            const bool last = s == 8;
            for (int pulls = (s % 2 == 0) + last, k = 0; k < pulls || k == 0; k++) {
                for (size_t i = 0; i < peer.n; i++)
                    sum[i] = x[i] - c[i];
                CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, sum, (int)peer.n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
                for (size_t i = 0; i < peer.n; i++) {
                    x[i] -= (k < pulls ? alpha * (x[i] - c[i]) : 0) + (k == 0 ? 0.1 * (double)peer.g[i] : 0);
                    c[i] += k < pulls ? alpha * sum[i] : 0;
                }
            }
            ck_assert_all(peer_near(peer.x, last ? c : x, peer.n, 1e-5));
        }
        free(x), free(c), free(sum);
        peer_free(&peer);
    }
}

/* ---- what people see, and what is refused ---- */

TEST(the_distance_to_the_mean_is_reported)
{
    const TrainOptions train = plain_sgd();
    const ParallelOptions options = peer_options("gossip", 1);
    Peer peer = {0};
    peer_create(&peer, &train, &options);
    step_of_nothing(&peer, 0);
    for (size_t i = 0; i < peer.n; i++)
        peer.x[i] = i < 2 ? (float)(10 * i + 10) : 0; /* (10, 20, 0, ..) but for the third, which is the rank */
    peer.x[2] = (float)peer.r;
    peer.parallel->group.synchronise(peer.parallel->group.context, peer.trainer);
    double distance = 0, mean = (peer.p - 1) / 2.0;
    for (int i = 0; i < peer.p; i++)
        distance += fabs(i - mean) / peer.p;
    ck_assert_all(fabsf(peer.x[2] - (float)mean) < 1e-6f && peer.x[1] == 20);

    char text[400] = "", want[100];
    FILE *out = tmpfile();
    peer.parallel->report(peer.parallel, out);
    rewind(out);
    const size_t length = fread(text, 1, sizeof text - 1, out);
    fclose(out);
    snprintf(want, sizeof want, "were %.3g from their mean, %.3g %% of its length", distance,
             100 * distance / sqrt(500 + mean * mean));
    ck_assert_all(peer.r > 0 ? length == 0 : strstr(text, want) != NULL && strstr(text, "all-reduce") != NULL);
    peer_free(&peer);
}

static void
expect_refusal(const char *kind, int every, double elasticity, const char *want)
{
    const TrainOptions train = plain_sgd();
    ParallelOptions options = peer_options(kind, every);
    options.own = &(PeerOptions){.every = every, .elasticity = elasticity};
    Fixture fixture;
    fixture_create(&fixture, &train);
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    Parallel *parallel = parallel_create(comm, fixture.trainer, &options, &error);
    ck_assert_msg(all_agree(parallel == NULL && strstr(error.text, want) != NULL),
                  "%s, every %d, elasticity %g: \"%s\"", kind, every, elasticity, error.text);
    ck_assert_ptr_null(fixture.trainer->group);
    comm_free(comm);
    fixture_free(&fixture);
}

TEST(what_cannot_work_is_refused)
{
    int p;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    for (int kind = 1; kind < KINDS; kind++) {
        expect_refusal(kinds[kind], 0, 0.01, "every 0 steps");
        expect_refusal(kinds[kind], -4, 0.01, "every -4 steps");
    }
    expect_refusal("easgd", 1, -0.1, "elasticity is -0.1");
    expect_refusal("easgd", 1, NAN, "elasticity is nan");
    expect_refusal("easgd", 1, 2.0 / (p + 1), "below 2 / (ranks + 1)");
}

TEST_MAIN_MPI("gossip_mpi")
