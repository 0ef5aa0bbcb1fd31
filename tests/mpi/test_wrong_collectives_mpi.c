/* The checkers of collectives must reject each of tests/wrong/collectives.h and tests/wrong/barriers.h.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/barrier_case.h"
#include "tests/mpi/collective_case.h"
#include "tests/wrong/barriers.h"
#include "tests/wrong/collectives.h"

enum { N = 101 };

/* The root is no rank that an algorithm may prefer. */
static CollectiveCase
case_of(CollectiveKind kind, const Comm *comm, Reduction op)
{
    return (CollectiveCase){.kind = kind, .n = N, .op = op, .root = 1 % comm->size, .round = 5};
}

/* ---- right results, spoiled ------------------------------------------------------------------------------------------- */

/* Wrong elements on all ranks after the ladder's first rung has run, and one rank's result has been spoiled. */
static size_t
wrong_if_spoiled(const CollectiveLadder *ladder, Comm *comm, Spoil *spoil)
{
    const CollectiveCase c = case_of(ladder->kind, comm, REDUCTION_SUM);
    CollectiveVectors v = collective_vectors_create(&c, comm, NULL);
    collective_vectors_fill(&c, comm, &v);
    collective_run(ladder, &ladder->rungs[0], comm, v.x, v.y, c.n, c.type, c.op, c.root);
    if (comm->rank == c.root && spoil != NULL)
        spoil(v.y, v.y_count, c.type);
    const size_t wrong = sum_of_ranks(comm, collective_vectors_wrong(&c, comm, &v, NULL));
    collective_vectors_free(&v);
    return wrong;
}

TEST_WITH_COMM(spoiled_results_are_rejected)
{
    for (int i = 0; collective_ladders[i] != NULL; i++) {
        const CollectiveLadder *ladder = collective_ladders[i];
        if (ladder->kind == COLLECTIVE_BARRIER)
            continue;
        ck_assert_uint_eq(wrong_if_spoiled(ladder, comm, NULL), 0);
        for (int s = 0; s < SPOILS; s++)
            ck_assert_msg(wrong_if_spoiled(ladder, comm, spoils[s].function) > 0, "%s: \"%s\" was accepted",
                          ladder->name, spoils[s].name);
    }
}

/* ---- wrong algorithms ------------------------------------------------------------------------------------------------- */

TEST_WITH_COMM(wrong_algorithms_are_rejected)
{
    for (int i = 0; i < WRONG_COLLECTIVES; i++) {
        const WrongCollective *wrong = &wrong_collectives[i];
        if (comm->size < wrong->ranks)
            continue;
        const CollectiveRung rung = {.name = wrong->name, .function = wrong->function};
        const CollectiveCase c = case_of(wrong->kind, comm, wrong->op);
        ck_assert_msg(case_wrong(collective_ladder(wrong->kind), &rung, comm, &c) > 0, "%s was accepted", wrong->name);
    }
}

/* A rank that leaves only when the late one has come sees nothing amiss: on a busy machine once or twice, not always. */
TEST(wrong_barriers_are_caught)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    const bool possible = comm->nodes == 1 && comm->size > 1;
    for (int i = 0; i < WRONG_BARRIERS && possible; i++) {
        size_t early = 0;
        for (int attempt = 0; attempt < 20 && early == 0; attempt++)
            early = left_early(comm, wrong_barriers[i].function);
        ck_assert_msg(early > 0, "the barrier \"%s\" was accepted", wrong_barriers[i].name);
    }
    comm_free(comm);
    if (!possible)
        skip_test("this takes several ranks, with memory in common");
}

TEST_MAIN_MPI("wrong_collectives_mpi")
