/* Every rung of every ladder but all-reduce's, which has a test of its own.
 * SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "tests/mpi/barrier_case.h"
#include "tests/mpi/collective_case.h"

/* check_ladder for rungs that do not ask where ranks are: on one kind of nodes only. */
static void
check_flat_ladder(const CollectiveLadder *ladder)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    for (int i = 0; i < ladder->count; i++) {
        check_rung(ladder, &ladder->rungs[i], comm);
        check_many_messages(ladder, &ladder->rungs[i], comm);
    }
    comm_free(comm);
}

TEST_CALL(every_rung_of_reduce_is_exact, check_flat_ladder(&reduce_ladder))
TEST_CALL(every_rung_of_broadcast_is_exact, check_flat_ladder(&broadcast_ladder))
TEST_CALL(every_rung_of_reduce_scatter_is_exact, check_flat_ladder(&reduce_scatter_ladder))
TEST_CALL(every_rung_of_all_gather_is_exact, check_flat_ladder(&all_gather_ladder))
TEST_CALL(every_rung_of_gather_is_exact, check_flat_ladder(&gather_ladder))
TEST_CALL(every_rung_of_scatter_is_exact, check_flat_ladder(&scatter_ladder))
TEST_CALL(every_rung_of_all_to_all_is_exact, check_flat_ladder(&all_to_all_ladder))

/* Each rank in turn comes late: nobody may leave before it has come. */
TEST_WITH_COMM(nobody_leaves_a_barrier_early)
{
    if (comm->nodes > 1) {
        comm_free(comm);
        skip_test("the ranks have no memory in common");
    }
    for (int i = 0; i < barrier_ladder.count; i++) {
        const size_t early = left_early(comm, (Barrier *)barrier_ladder.rungs[i].function);
        ck_assert_msg(early == 0, "barrier %s: ranks left early %zu times", barrier_ladder.rungs[i].name, early);
    }
}

/* Elements of all sizes, bytes too, across the borders of the chain's segments. */
TEST_WITH_COMM(a_chain_of_segments_of_every_length)
{
    const CollectiveRung *chain = collective_rung(&broadcast_ladder, "chain");
    for (int type = 0; type < ELEMENTS; type++)
        for (size_t segments = 1; segments <= 3; segments++)
            for (size_t more = 0; more <= 2; more++) {
                const size_t n = segments * 65536 / element_size(type) + more - 1;
                const CollectiveCase c = {.kind = COLLECTIVE_BROADCAST, .n = n, .type = type, .root = comm->size / 2};
                check_case(&broadcast_ladder, chain, comm, &c);
            }
}

/* What MPI's int cannot count is refused, nothing else. */
TEST_WITH_COMM(the_library_refuses_what_an_int_cannot_count)
{
    const CollectiveKind kinds[] = {COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_ALL_GATHER, COLLECTIVE_GATHER,
                                    COLLECTIVE_SCATTER, COLLECTIVE_ALL_TO_ALL};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const CollectiveRung *mpi = collective_rung(collective_ladder(kinds[i]), "mpi");
        Error reason;
        ck_assert(mpi->accepts(comm, 0x7fffffff, ELEMENT_FLOAT, &reason));
        ck_assert(!mpi->accepts(comm, 0x80000000, ELEMENT_FLOAT, &reason));
        ck_assert_ptr_nonnull(strstr(reason.text, "2147483648"));
    }
}

TEST_MAIN_MPI("collectives_mpi")
