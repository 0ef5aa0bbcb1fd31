/* Communicators that are borrowed: messages over a communicator of more ranks, windows from a pool.
 * SPDX-License-Identifier: MIT */
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/collectives/ladders.h"
#include "mpi/model/fit.h"
#include "mpi/window.h"
#include "mpi/window_pool.h"
#include "tests/mpi/collective_case.h"
#include <unistd.h>

/* What a guest shares with its like. */
typedef struct Lender {
    MPI_Comm messages;
    WindowPool *pool;
    int rank, size, next_tag;
} Lender;

static Lender
lender_create(void)
{
    Lender lender = {.next_tag = 0};
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &lender.messages));
    CHECK_MPI(MPI_Comm_rank(lender.messages, &lender.rank));
    CHECK_MPI(MPI_Comm_size(lender.messages, &lender.size));
    lender.pool = window_pool_create(lender.messages);
    return lender;
}

static void
lender_free(Lender *lender)
{
    window_pool_free(lender->pool);
    CHECK_MPI(MPI_Comm_free(&lender->messages));
}

/* The ranks of mpi, which is not freed before; nodes as comm_create makes them. */
static Comm *
lend(Lender *lender, MPI_Comm mpi, int per_node)
{
    int at[64], node[64], rank[64];
    Borrowed b = {.mpi = mpi, .messages = lender->messages, .tag = lender->next_tag, .at = at, .node = node};
    const int *machine = window_pool_nodes(lender->pool, &b.nodes);
    MPI_Group all, some;
    lender->next_tag += COMM_TAGS;
    b.pool = lender->pool;
    CHECK_MPI(MPI_Comm_rank(mpi, &b.rank));
    CHECK_MPI(MPI_Comm_size(mpi, &b.size));
    ck_assert_int_le(b.size, 64);
    for (int i = 0; i < b.size; i++)
        rank[i] = i;
    CHECK_MPI(MPI_Comm_group(lender->messages, &all));
    CHECK_MPI(MPI_Comm_group(mpi, &some));
    CHECK_MPI(MPI_Group_translate_ranks(some, b.size, rank, all, at));
    CHECK_MPI(MPI_Group_free(&all));
    CHECK_MPI(MPI_Group_free(&some));
    for (int i = 0; i < b.size; i++)
        node[i] = per_node > 0 ? i / per_node : machine[at[i]];
    if (per_node > 0)
        b.nodes = (b.size - 1) / per_node + 1;
    return comm_borrow(&b);
}

/* Backwards, so that no rank is what it was. */
static MPI_Comm
backwards(int color)
{
    int rank;
    MPI_Comm mpi;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &mpi));
    return mpi;
}

static void
free_both(Comm *comm, MPI_Comm mpi)
{
    comm_free(comm);
    CHECK_MPI(MPI_Comm_free(&mpi));
}

TEST(it_is_what_comm_create_makes)
{
    Lender lender = lender_create();
    for (int per_node = 0; per_node <= 3; per_node++) {
        MPI_Comm mpi = backwards(0);
        Comm *got = lend(&lender, mpi, per_node), *want = comm_create(mpi, per_node);
        const bool same = got->rank == want->rank && got->size == want->size && got->nodes == want->nodes &&
                          got->node_smallest == want->node_smallest && got->node_largest == want->node_largest &&
                          got->node->rank == want->node->rank && got->node->size == want->node->size &&
                          got->across->rank == want->across->rank && got->across->size == want->across->size;
        ck_assert_uint_eq(sum_of_ranks(want, !same), 0);
        comm_free(want);
        free_both(got, mpi);
    }
    lender_free(&lender);
}

/* auto measures, which takes long, and then runs another rung. Those that know nodes run on every kind of vector, too. */
static void
check_on(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm)
{
    if (ladder->kind == COLLECTIVE_BARRIER || strcmp(rung->name, "auto") == 0)
        return;
    check_many_messages(ladder, rung, comm);
    if (ladder->kind == COLLECTIVE_ALLREDUCE && !knows_no_nodes(rung))
        check_rung(ladder, rung, comm);
}

TEST(every_rung_is_exact)
{
    Lender lender = lender_create();
    for (int per_node = 0; per_node <= 2; per_node += 2) {
        MPI_Comm mpi = backwards(0);
        Comm *comm = lend(&lender, mpi, per_node);
        for (int l = 0; collective_ladders[l] != NULL; l++)
            for (int i = 0; i < collective_ladders[l]->count; i++)
                check_on(collective_ladders[l], &collective_ladders[l]->rungs[i], comm);
        free_both(comm, mpi);
    }
    lender_free(&lender);
}

static bool
sums_right(Comm *comm, size_t n)
{
    const CollectiveCase c = {COLLECTIVE_ALLREDUCE, n, ELEMENT_INT32, REDUCTION_SUM, 0, false, (unsigned)n};
    CollectiveVectors v = collective_vectors_create(&c, comm, NULL);
    collective_vectors_fill(&c, comm, &v);
    if (window_possible(comm, NULL))
        allreduce_window(comm, v.x, v.y, n, c.type, c.op);
    else
        allreduce_ring(comm, v.x, v.y, n, c.type, c.op);
    const bool right = collective_vectors_wrong(&c, comm, &v, NULL) == 0;
    collective_vectors_free(&v);
    return right;
}

/* The pool has slots for some of them; all ranks agree for which, and those that are given back are taken again. */
TEST(a_pool_runs_out_and_is_filled_again)
{
    enum { MANY = 40, ROUNDS = 3 };
    Lender lender = lender_create();
    if (lender.size == 1) {
        lender_free(&lender);
        skip_test("one rank shares no memory");
    }
    int windows[ROUNDS] = {0};
    size_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        Comm *comm[MANY];
        for (int i = 0; i < MANY; i++) {
            comm[i] = lend(&lender, MPI_COMM_WORLD, 0);
            windows[round] += window_possible(comm[i], NULL);
            wrong += !sums_right(comm[i], (size_t)(1 + 131 * i));
        }
        for (int i = 0; i < MANY; i++) /* in another order on each rank, and without a word to the others */
            comm_free(comm[(i * 7 + lender.rank) % MANY]);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    Comm *all = lend(&lender, MPI_COMM_WORLD, 0);
    const int nodes = all->nodes;
    wrong = sum_of_ranks(all, wrong);
    comm_free(all);
    lender_free(&lender);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(windows[0], windows[1]);
    ck_assert_int_eq(windows[0], windows[2]);
    ck_assert_msg(nodes > 1 || (windows[0] > 0 && windows[0] < MANY), "%d of %d have a window", windows[0], MANY);
}

/* Two halves at the same time, then other halves: a part is taken by others only when nobody reads it any more. */
TEST(parts_of_a_slot_go_from_one_to_another)
{
    Lender lender = lender_create();
    size_t wrong = 0;
    for (int round = 0; round < 200; round++) {
        MPI_Comm mpi = backwards(round % 2 ? lender.rank % 2 : (lender.rank + round / 2) % lender.size < 2);
        Comm *comm = lend(&lender, mpi, 0);
        wrong += !sums_right(comm, (size_t)(1 + 37 * round % 3000));
        if (round % 7 == lender.rank)
            usleep(200);
        wrong += !sums_right(comm, 2);
        free_both(comm, mpi);
    }
    Comm *all = lend(&lender, MPI_COMM_WORLD, 0);
    wrong = sum_of_ranks(all, wrong);
    comm_free(all);
    lender_free(&lender);
    ck_assert_uint_eq(wrong, 0);
}

/* My part of the window of ranks 0 and `other`; NULL if I am none of them. comm is for comm_free. */
static const void *
part_with(Lender *lender, int other, Comm **comm)
{
    MPI_Comm mpi;
    const bool mine = lender->rank == 0 || lender->rank == other;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : 1 + lender->rank, lender->rank, &mpi));
    *comm = lend(lender, mpi, 0);
    const void *part = mine ? window_of(*comm)->staging->part[0] : NULL;
    CHECK_MPI(MPI_Comm_free(&mpi));
    return part;
}

/* Rank 0 has freed what rank 1 still has: rank 2 must not be given what rank 1 may still read. */
TEST(a_part_is_kept_until_the_last_gives_it_back)
{
    Lender lender = lender_create();
    Comm *all = lend(&lender, MPI_COMM_WORLD, 0), *first, *second, *third;
    if (lender.size < 3 || all->nodes > 1) {
        comm_free(all);
        lender_free(&lender);
        skip_test("there are no three ranks on one machine");
    }
    const void *before = part_with(&lender, 1, &first);
    if (lender.rank == 0)
        comm_free(first);
    const void *beside = part_with(&lender, 2, &second);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* only now rank 1 gives it back */
    if (lender.rank != 0)
        comm_free(first);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const void *after = part_with(&lender, 2, &third);
    const size_t wrong = sum_of_ranks(all, lender.rank == 0 && (before == beside || before != after));
    comm_free(second);
    comm_free(third);
    comm_free(all);
    lender_free(&lender);
    ck_assert_uint_eq(wrong, 0);
}

/* Times that were measured twice are never the same to the last bit. */
TEST(auto_measures_once_for_all_of_one_layout)
{
    Comm *comm[3];
    CostParameters network[3];
    for (int i = 0; i < 3; i++) {
        float x = 1;
        comm[i] = comm_create(i < 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, 0);
        ck_assert_ptr_null(comm[i]->model);
        allreduce_auto(comm[i], &x, &x, 1, ELEMENT_FLOAT, REDUCTION_SUM);
        network[i] = *cost_parameters_of(comm[i]);
        ck_assert(x == (float)comm[i]->size);
    }
    const bool several = comm[0]->size > 1;
    const bool shared = memcmp(&network[0], &network[1], sizeof(CostParameters)) == 0;
    const bool apart = memcmp(&network[0], &network[2], sizeof(CostParameters)) != 0;
    const size_t wrong = sum_of_ranks(comm[0], !shared || (several && !apart));
    for (int i = 0; i < 3; i++)
        comm_free(comm[i]);
    ck_assert_uint_eq(wrong, 0);
}

TEST_MAIN_MPI("borrowed_mpi")
