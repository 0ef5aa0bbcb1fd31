/* What a process group does together besides steps: evaluates, writes checkpoints of which each rank holds some tensors, reads its
 * samples from files, and ends together where one rank cannot go on.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "nn/group_file.h"
#include "tests/data/idx_write.h"
#include "tests/mpi/peers_case.h"
#include <math.h>
#include <unistd.h>

static const char *const all_kinds[] = {"data", "gossip", "local", "easgd", "server", "async"};
enum { KINDS = 6 };

static ParallelOptions
options_of(const char *kind)
{
    ParallelOptions options = peer_options(kind, 4);
    options.overlap = "ddp";
    options.servers = 1;
    options.bound = -1;
    return options;
}

/* Servers need a worker. */
static bool
too_few_ranks(const char *kind)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks < parallel_kind(kind)->fewest;
}

/* ---- evaluation ---- */

/* Before the first step all ranks have the weights of rank 0, as one process has; so have they after settling. */
START_TEST(all_ranks_have_the_evaluation_of_one_process)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (too_few_ranks(all_kinds[kind]))
            continue;
        const TrainOptions train = fixture_options();
        const ParallelOptions options = options_of(all_kinds[kind]);
        Peer peer = {0};
        peer_create(&peer, &train, &options);
        for (size_t batch = 1; batch <= 8; batch++) {
            const TrainTeam *team = peer.trainer->team;
            const Evaluation got = fixture_evaluate_training(&peer.fixture, batch);
            peer.trainer->team = NULL;
            const Evaluation want = fixture_evaluate_training(&peer.fixture, batch);
            peer.trainer->team = team;
            ck_assert_all(got.count == want.count && got.correct == want.correct && got.correct > 0);
            ck_assert_all(got.loss == want.loss && got.accuracy == want.accuracy);
            ck_assert_all(peer_same_as_first(&got.loss, sizeof(double)));
        }
        peer_free(&peer);
    }
}
END_TEST

/* ---- files of which each rank holds a part ---- */

enum { TENSORS = 11 };

typedef struct Tensors {
    Tensor tensor[TENSORS];
    char name[TENSORS][16];
    double values[TENSORS][64];
} Tensors;

/* Of several types and sizes, 0 and 1 among them. */
static void
make_tensors(Tensors *t)
{
    for (size_t i = 0; i < TENSORS; i++) {
        const size_t rows = i % 4, columns = i + 1;
        snprintf(t->name[i], sizeof(t->name[i]), "t%zu.weight", i);
        for (size_t k = 0; k < 64; k++)
            t->values[i][k] = (double)(100 * i + k) / 3;
        t->tensor[i] = (Tensor){.name = t->name[i],
                                .type = i < 4 ? TENSOR_F64 : TENSOR_F32,
                                .dimensions = i == 5 ? 0 : 2,
                                .shape = {rows, columns},
                                .data = t->values[i]};
    }
}

static bool
same_file(const char *a, const char *b)
{
    char bytes[2][16384];
    size_t size[2];
    const char *const path[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path[i], "rb");
        size[i] = file ? fread(bytes[i], 1, sizeof(bytes[i]), file) : 0;
        if (file)
            fclose(file);
    }
    return size[0] > 0 && size[0] == size[1] && size[0] < sizeof(bytes[0]) && memcmp(bytes[0], bytes[1], size[0]) == 0;
}

/* Every rank a process group of the same ranks, by any way of training. */
static void
make_peer(Peer *peer)
{
    const TrainOptions train = fixture_options();
    const ParallelOptions options = options_of("data");
    *peer = (Peer){0};
    peer_create(peer, &train, &options);
}

/* In turn; ranges of layers; overlapping ones; all on the last rank. */
enum { PATTERNS = 4 };
static bool
holds_tensor(int pattern, int i, int r, int p)
{
    const int owner = pattern == 0 ? i % p : pattern == 3 ? p - 1 : i * p / TENSORS;
    return r == owner || (pattern == 2 && r == (owner + 1) % p);
}

START_TEST(parts_of_ranks_make_the_file_of_one_process)
{
    const Metadata metadata[] = {{"key", "text"}, {"other", "text, too"}};
    Tensors tensors;
    Error error = {""};
    Peer peer;
    make_peer(&peer);
    const ProcessGroup group = parallel_group(peer.parallel);
    char alone[DATA_PATH_MAX], together[DATA_PATH_MAX];
    snprintf(alone, sizeof(alone), "%s", testing_path("alone"));
    snprintf(together, sizeof(together), "%s", testing_path("together"));
    make_tensors(&tensors);
    ck_assert_all(peer.r > 0 || safetensors_write(alone, tensors.tensor, TENSORS, metadata, 2, &error));
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        make_tensors(&tensors);
        for (int i = 0; i < TENSORS; i++)
            if (!holds_tensor(pattern, i, peer.r, peer.p))
                tensors.tensor[i].data = NULL;
        ck_assert_all(peer.r > 0 || remove(together) == 0 || pattern == 0);
        ck_assert_all(group_file_write(&group, together, tensors.tensor, TENSORS, metadata, 2, &error));
        ck_assert_msg(all_agree(peer.r > 0 || same_file(alone, together)), "pattern %d", pattern);
    }
    peer_free(&peer);
}
END_TEST

/* All ranks have one sentence, and nobody waits. */
static void
expect_refusal(const ProcessGroup *group, const char *path, const Tensor *tensors, const char *words)
{
    Error error = {""};
    ck_assert_all(!group_file_write(group, path, tensors, TENSORS, NULL, 0, &error));
    ck_assert_msg(all_agree(strstr(error.text, words) != NULL), "\"%s\" is not in: %s", words, error.text);
    ck_assert_all(peer_same_as_first(error.text, sizeof(error.text)));
}

START_TEST(what_rank_0_cannot_write_ends_on_all_ranks)
{
    Tensors tensors;
    Peer peer;
    make_peer(&peer);
    const ProcessGroup group = parallel_group(peer.parallel);
    make_tensors(&tensors);
    for (int i = 0; i < TENSORS; i++)
        if (!holds_tensor(0, i, peer.r, peer.p))
            tensors.tensor[i].data = NULL;
    expect_refusal(&group, "/dev/full", tensors.tensor, "cannot write /dev/full: No space left on device");
    expect_refusal(&group, "/nowhere/file", tensors.tensor, "cannot create /nowhere/file");
    tensors.tensor[4].data = NULL;
    expect_refusal(&group, testing_path("file"), tensors.tensor, "no rank holds tensor \"t4.weight\"");
    ck_assert_all(access(testing_path("file"), F_OK) != 0);
    peer_free(&peer);
}
END_TEST

/* ---- checkpoints ---- */

/* Layer 0 is held by rank 0 and by the last, layer 2 by the last alone: averages and optimiser with their weights. What belongs to no
 * layer is on all ranks. */
static bool
holds(const void *context, const char *name)
{
    const Peer *peer = context;
    const bool last = peer->r == peer->p - 1;
    return strstr(name, "layers.0.") ? last || peer->r == 0 : strstr(name, "layers.2.") ? last : true;
}

START_TEST(a_rank_saves_and_takes_what_it_holds)
{
    Peer peer, other;
    Error error = {""};
    Safetensors file;
    double loss;
    char alone[DATA_PATH_MAX], together[DATA_PATH_MAX];
    snprintf(alone, sizeof(alone), "%s", testing_path("alone.safetensors"));
    snprintf(together, sizeof(together), "%s", testing_path("together.safetensors"));
    make_peer(&peer);
    for (int s = 0; s < 11; s++)
        ck_assert_all(trainer_step(peer.trainer, &loss, &error));
    const TrainTeam *team = peer.trainer->team;
    Checkpoint checkpoint = {.path = alone, .trainer = peer.trainer};
    peer.trainer->team = NULL;
    ck_assert_all(peer.r > 0 || checkpoint_save(&checkpoint, &error));
    peer.trainer->team = team;
    checkpoint.path = together;
    checkpoint.holder = (TensorHolder){holds, &peer};
    ck_assert_all(checkpoint_save(&checkpoint, &error));
    ck_assert_all(peer.r > 0 || same_file(alone, together));

    make_peer(&other);
    float *first = malloc(peer.n * sizeof(float));
    memcpy(first, other.x, peer.n * sizeof(float));
    checkpoint.trainer = other.trainer;
    ck_assert_all(checkpoint_open(together, &file, &error) && checkpoint_restore(&checkpoint, &file, &error));
    ck_assert_all(trainer_steps_done(other.trainer) == 11 &&
                  other.trainer->history[0].loss == peer.trainer->history[0].loss);
    for (int i = 0; i < net_parameter_tensors(other.net); i++) {
        const Parameter *part = net_parameter(other.net, i);
        const float *want = holds(&peer, part->name) ? peer.x : first;
        ck_assert_all(memcmp(other.x + part->first, want + part->first, part->count * sizeof(float)) == 0);
    }
    safetensors_free(&file);
    free(first);
    peer_free(&peer);
    peer_free(&other);
}
END_TEST

/* ---- samples that stay in their files ---- */

/* Each rank has files of its own. */
static void
stream_peer(Peer *peer, const char *kind, bool streamed)
{
    const TrainOptions train = fixture_options();
    const ParallelOptions options = options_of(kind);
    Error error = {""};
    char name[64];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof(name), "images%d", rank);
    const char *pair = idx_write_pair(name, IDX_UBYTE, FIXTURE_SAMPLES, 2, 2);
    *peer = (Peer){0};
    Fixture *fixture = &peer->fixture;
    ck_assert_all((streamed ? dataset_open_streamed : dataset_open)(pair, &fixture->dataset, &error));
    ck_assert(dataset_split(&fixture->dataset, 0.2, 0.2, 1, &fixture->split, &error));
    fixture->net = fixture_net("best", 13, train.batch);
    fixture_trainer(fixture, &train);
    peer_join(peer, &options);
}

START_TEST(files_and_memory_train_the_same_bits)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (too_few_ranks(all_kinds[kind]) ||
            strcmp(all_kinds[kind], "async") == 0) /* no two runs of it are the same */
            continue;
        Peer memory, stream;
        stream_peer(&memory, all_kinds[kind], false);
        stream_peer(&stream, all_kinds[kind], true);
        for (int s = 0; s < 16; s++)
            ck_assert_all(peer_step(&memory) == peer_step(&stream));
        ck_assert_all(memcmp(memory.x, stream.x, memory.n * sizeof(float)) == 0);
        ck_assert_all(memory.trainer->history[1].validation == stream.trainer->history[1].validation);
        peer_free(&memory);
        peer_free(&stream);
    }
}
END_TEST

static bool
last_file_is_cut(const Peer *peer)
{
    char name[64];
    snprintf(name, sizeof(name), "images%d", peer->r);
    return peer->r < peer->p - 1 || truncate(testing_path(name), 20) == 0;
}

/* In a step that is taken together, and in an evaluation, all ranks end with the sentence of the rank that could not. */
START_TEST(one_rank_that_cannot_read_ends_all)
{
    const char *const kinds[] = {"data", "server"};
    for (int kind = 0; kind < 2; kind++) {
        if (too_few_ranks(kinds[kind]))
            continue;
        Peer peer;
        Error step = {""}, test = {""};
        Evaluation result;
        double loss;
        stream_peer(&peer, kinds[kind], true);
        peer_step(&peer);
        ck_assert_all(last_file_is_cut(&peer));
        ck_assert_all(!trainer_step(peer.trainer, &loss, &step));
        ck_assert_all(!train_evaluate(peer.net, peer.fixture.data.training, peer.trainer->team, &result, &test));
        const char *const said[] = {step.text, test.text};
        for (int i = 0; i < 2; i++) {
            char rank[32];
            snprintf(rank, sizeof(rank), peer.p > 1 ? "rank %d: " : "", peer.p - 1);
            const bool good = strncmp(said[i], rank, strlen(rank)) == 0 && strstr(said[i], "has become shorter");
            ck_assert_msg(all_agree(good), "%s: %s", kinds[kind], said[i]);
        }
        peer_free(&peer);
    }
}
END_TEST

TEST_MAIN_MPI("group_mpi", all_ranks_have_the_evaluation_of_one_process, parts_of_ranks_make_the_file_of_one_process,
              what_rank_0_cannot_write_ends_on_all_ranks, a_rank_saves_and_takes_what_it_holds,
              files_and_memory_train_the_same_bits, one_rank_that_cannot_read_ends_all)
