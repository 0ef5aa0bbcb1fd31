/* Every rung of all-reduce. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "tests/mpi/collective_case.h"

START_TEST(every_rung_is_exact)
{
    check_ladder(&allreduce_ladder);
}
END_TEST

START_TEST(all_ranks_get_the_same_bits)
{
    for (int ranks_per_node = 0; ranks_per_node <= 5; ranks_per_node++) {
        Comm *comm = ranks_per_node <= 3 ? comm_create(MPI_COMM_WORLD, ranks_per_node) : comm_dealt(ranks_per_node - 2);
        for (int i = 0; i < allreduce_ladder.count; i++) {
            const CollectiveRung *rung = &allreduce_ladder.rungs[i];
            ck_assert_msg(rung->peer || same_bits(&allreduce_ladder, rung, comm, 10007),
                          "%s: other bits on other ranks, or not the sum", rung->name);
        }
        comm_free(comm);
    }
}
END_TEST

TEST_MAIN_MPI("allreduce_mpi", every_rung_is_exact, all_ranks_get_the_same_bits)
