/* Ranks that read their samples from files: the bits of samples in memory, and one end for all where one rank cannot read.
 * SPDX-License-Identifier: MIT */
#include "tests/data/idx_write.h"
#include "tests/mpi/group_case.h"
#include <unistd.h>

/* Each rank has files of its own. */
static void
stream_peer(Peer *peer, const char *kind, bool streamed)
{
    const TrainOptions train = fixture_options();
    const ParallelOptions options = options_of(kind);
    char name[64];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof(name), "images%d", rank);
    const char *pair = idx_write_pair(name, IDX_UBYTE, FIXTURE_SAMPLES, 2, 2);
    *peer = (Peer){0};
    Fixture *fixture = &peer->fixture;
    ck_assert_all((streamed ? dataset_open_streamed : dataset_open)(pair, &fixture->dataset, &error));
    ck_assert(dataset_split(&fixture->dataset, 0.2, 0.2, 1, &fixture->split, &error));
    fixture->net = fixture_net("best", 13);
    fixture_trainer(fixture, &train);
    peer_join(peer, &options);
}

TEST(files_and_memory_train_the_same_bits)
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

static bool
last_file_is_cut(const Peer *peer)
{
    char name[64];
    snprintf(name, sizeof(name), "images%d", peer->r);
    return peer->r < peer->p - 1 || truncate(testing_path(name), 20) == 0;
}

/* In a step that is taken together, and in an evaluation, all ranks end with the sentence of the rank that could not. */
TEST(one_rank_that_cannot_read_ends_all)
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
        ck_assert_all(!train_evaluate(peer.net, peer.fixture.data.training, peer.trainer->group, &result, &test));
        const char *const said[] = {step.text, test.text};
        for (int i = 0; i < 2; i++) {
            char rank[32] = "";
            if (peer.p > 1)
                snprintf(rank, sizeof(rank), "rank %d: ", peer.p - 1);
            const bool good = strncmp(said[i], rank, strlen(rank)) == 0 && strstr(said[i], "has become shorter");
            ck_assert_msg(all_agree(good), "%s: %s", kinds[kind], said[i]);
        }
        peer_free(&peer);
    }
}

TEST_MAIN_MPI("stream_mpi")
