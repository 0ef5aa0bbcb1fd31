/* What a process group does together besides steps: evaluates, and writes files of which each rank holds some tensors.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "nn/group_file.h"
#include "tests/mpi/group_case.h"
#include <unistd.h>

/* ---- evaluation ---- */

/* Before the first step all ranks have the weights of rank 0, as one process has; so have they after a synchronisation. */
TEST(all_ranks_have_the_evaluation_of_one_process)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (too_few_ranks(all_kinds[kind]))
            continue;
        const TrainOptions train = fixture_options();
        const ParallelOptions options = options_of(all_kinds[kind]);
        Peer peer = {0};
        peer_create(&peer, &train, &options);
        for (size_t batch = 1; batch <= 8; batch++) {
            const TrainGroup *group = peer.trainer->group;
            const Evaluation got = fixture_evaluate_training(&peer.fixture, batch);
            peer.trainer->group = NULL;
            const Evaluation want = fixture_evaluate_training(&peer.fixture, batch);
            peer.trainer->group = group;
            ck_assert_all(got.count == want.count && got.correct == want.correct && got.correct > 0);
            ck_assert_all(got.loss == want.loss && got.accuracy == want.accuracy);
            ck_assert_all(same_as_rank_0(&got.loss, sizeof(double)));
        }
        peer_free(&peer);
    }
}

/* A source of its own kind: it counts what is loaded from another. */
typedef struct Counting {
    Source source; /* first */
    Source *inner;
    double loads[64]; /* of each batch */
} Counting;

static bool
count_load(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *why)
{
    Counting *counting = (Counting *)source;
    counting->loads[step]++;
    return source_load(counting->inner, epoch, step, first, count, why);
}

TEST(each_batch_is_evaluated_by_one_rank)
{
    static const SourceKind kind = {.name = "counted", .load = count_load};
    const TrainOptions train = fixture_options();
    const ParallelOptions options = options_of("data");
    Peer peer = {0};
    peer_create(&peer, &train, &options);
    Source *inner = peer.fixture.data.training;
    Counting counting = {.source = *inner, .inner = inner};
    counting.source.kind = &kind;
    fixture_evaluate(&peer.fixture, &counting.source);
    const ProcessGroup group = parallel_group(peer.parallel);
    group.sum(group.context, counting.loads, 64);
    for (uint64_t step = 0; step < 64; step++)
        ck_assert_all(counting.loads[step] == (step < inner->steps));
    ck_assert_all(inner->steps == 8);
    peer_free(&peer);
}

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

/* Every rank a process group of the same ranks, by any strategy. */
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

TEST(parts_of_ranks_make_the_file_of_one_process)
{
    const Metadata metadata[] = {{"key", "text"}, {"other", "text, too"}};
    Tensors tensors;
    Peer peer;
    make_peer(&peer);
    const ProcessGroup group = parallel_group(peer.parallel);
    char alone[DATA_PATH_MAX], together[DATA_PATH_MAX];
    snprintf(alone, sizeof(alone), "%s", testing_path("alone"));
    snprintf(together, sizeof(together), "%s", testing_path("together"));
    make_tensors(&tensors);
    ck_assert_all(peer.r > 0 || group_file_write(NULL, alone, tensors.tensor, TENSORS, metadata, 2, &error));
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        make_tensors(&tensors);
        for (int i = 0; i < TENSORS; i++)
            if (!holds_tensor(pattern, i, peer.r, peer.p))
                tensors.tensor[i].data = NULL;
        ck_assert_all(peer.r > 0 || remove(together) == 0 || pattern == 0);
        ck_assert_all(group_file_write(&group, together, tensors.tensor, TENSORS, metadata, 2, &error));
        ck_assert_msg(all_agree(peer.r > 0 || fixture_same_files(alone, together)), "pattern %d", pattern);
    }
    peer_free(&peer);
}

/* All ranks have one sentence, and nobody waits. */
static void
expect_refusal(const ProcessGroup *group, const char *path, const Tensor *tensors, const char *words)
{
    error = (Error){""};
    ck_assert_all(!group_file_write(group, path, tensors, TENSORS, NULL, 0, &error));
    ck_assert_msg(all_agree(strstr(error.text, words) != NULL), "\"%s\" is not in: %s", words, error.text);
    ck_assert_all(same_as_rank_0(error.text, sizeof(error.text)));
}

TEST(what_rank_0_cannot_write_ends_on_all_ranks)
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

/* ---- checkpoints ---- */

/* Layer 0 is held by rank 0 and by the last, layer 2 by the last alone: the optimiser's state with the weights. What belongs to no
 * layer is on all ranks. */
static bool
holds(const void *context, const char *name)
{
    const Peer *peer = context;
    const bool last = peer->r == peer->p - 1;
    return strstr(name, "layers.0.") ? last || peer->r == 0 : strstr(name, "layers.2.") ? last : true;
}

TEST(a_rank_saves_and_takes_what_it_holds)
{
    Peer peer, other;
    Safetensors file;
    double loss;
    char alone[DATA_PATH_MAX], together[DATA_PATH_MAX];
    snprintf(alone, sizeof(alone), "%s", testing_path("alone.safetensors"));
    snprintf(together, sizeof(together), "%s", testing_path("together.safetensors"));
    make_peer(&peer);
    for (int s = 0; s < 11; s++)
        ck_assert_all(trainer_step(peer.trainer, &loss, &error));
    const TrainGroup *group = peer.trainer->group;
    Checkpoint checkpoint = {.path = alone, .trainer = peer.trainer};
    peer.trainer->group = NULL;
    ck_assert_all(peer.r > 0 || checkpoint_save(&checkpoint, &error));
    peer.trainer->group = group;
    checkpoint.path = together;
    checkpoint.holder = (TensorHolder){holds, &peer};
    ck_assert_all(checkpoint_save(&checkpoint, &error));
    ck_assert_all(peer.r > 0 || fixture_same_files(alone, together));

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

TEST_MAIN_MPI("group_mpi")
