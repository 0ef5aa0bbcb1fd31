/* Messages and bytes of every rung, counted on every rank as they are sent, equal those of the cost model (mpi/model/cost.h),
 * exactly, also where chunks are uneven or empty.
 * SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/collectives/ladders.h"
#include "mpi/collectives/truth.h"
#include "mpi/model/fit.h"
#include "mpi/watch/watch.h"
#include "tests/testing.h"

/* The model's root is rank 0. */
static WatchTraffic
counted(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, size_t n)
{
    const CollectiveCase c = {.kind = ladder->kind, .n = n, .round = 1};
    CollectiveVectors v = collective_vectors_create(&c, comm, NULL);
    collective_vectors_fill(&c, comm, &v);
    CHECK_MPI(MPI_Barrier(comm->mpi));
    watch_begin();
    collective_run(ladder, rung, comm, v.x, v.y, n, c.type, c.op, c.root);
    const WatchTraffic mine = watch_end(comm->mpi).mine;
    collective_vectors_free(&v);
    return mine;
}

/* This rank's numbers; the verdict is every rank's. */
static void
check_counts(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, size_t n)
{
    enum { MOST = 64 };
    CostRank ranks[MOST];
    Cost cost;
    const CostCase what = cost_case(comm, ladder->name, rung->name, n, ELEMENT_FLOAT, true);
    if (rung->peer || comm->size > MOST || !cost_of(&what, &cost, ranks))
        return;
    if (rung->accepts != NULL && !rung->accepts(comm, n, ELEMENT_FLOAT, NULL))
        return;
    const WatchTraffic mine = counted(ladder, rung, comm, n);
    const CostRank *want = &ranks[comm->rank];
    const double difference[] = {(double)mine.sent - want->messages_sent, (double)mine.sent_bytes - want->bytes_sent,
                                 (double)mine.received - want->messages_received,
                                 (double)mine.received_bytes - want->bytes_received};
    int other = 0;
    for (int i = 0; i < 4; i++)
        other |= difference[i] != 0;
    int others = other;
    CHECK_MPI(MPI_Allreduce(&other, &others, 1, MPI_INT, MPI_LOR, comm->mpi));
    ck_assert_msg(
        !others,
        "%s %s, n = %zu, %d nodes: rank %d sent %+g messages and %+g bytes, received %+g messages and %+g bytes "
        "more than predicted",
        ladder->name, rung->name, n, comm->nodes, comm->rank, difference[0], difference[1], difference[2],
        difference[3]);
}

static void
check_ladder_counts(const CollectiveLadder *ladder, Comm *comm)
{
    const size_t p = (size_t)comm->size, lengths[] = {0, 1, p - 1, p, p + 1, 1021, 200003};
    for (int i = 0; i < ladder->count; i++)
        for (size_t l = 0; l < COUNT(lengths); l++)
            check_counts(ladder, &ladder->rungs[i], comm, lengths[l]);
    comm_free(comm);
}

/* 4 ranks at 3 a node are 3 and 1, not 2 and 2; 7 at 3 are 3, 3 and 1. */
TEST(all_reduces_send_what_is_predicted)
{
    for (int per_node = 0; per_node <= 3; per_node++)
        check_ladder_counts(&allreduce_ladder, comm_create(MPI_COMM_WORLD, per_node));
}

TEST(other_collectives_send_what_is_predicted)
{
    for (int i = 0; collective_ladders[i] != NULL; i++)
        if (collective_ladders[i]->kind != COLLECTIVE_ALLREDUCE)
            check_ladder_counts(collective_ladders[i], comm_create(MPI_COMM_WORLD, 0));
}

/* Nodes whose ranks are not consecutive: dealt in turn; and all on node 0 but rank 1. */
TEST(so_do_all_where_ranks_are_dealt_to_nodes)
{
    int rank;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    for (int i = 0; collective_ladders[i] != NULL; i++)
        for (int nodes = 1; nodes <= 3; nodes++)
            check_ladder_counts(collective_ladders[i],
                                comm_create_on(MPI_COMM_WORLD, nodes == 1 ? rank == 1 : rank % nodes));
}

/* Every rung of ours is predicted at all, but those that ask or measure first. */
TEST(every_rung_is_predicted)
{
    for (int i = 0; collective_ladders[i] != NULL; i++)
        for (int k = 0; k < collective_ladders[i]->count; k++) {
            const CollectiveRung *rung = &collective_ladders[i]->rungs[k];
            const CostCase what = {.operation = collective_ladders[i]->name,
                                   .rung = rung->name,
                                   .p = 4,
                                   .n = 1000,
                                   .element = sizeof(float)};
            Cost cost;
            ck_assert_msg(rung->peer || strcmp(rung->name, "auto") == 0 || cost_of(&what, &cost, NULL),
                          "%s %s is not predicted", collective_ladders[i]->name, rung->name);
        }
}

TEST_MAIN_MPI("counts_mpi")
