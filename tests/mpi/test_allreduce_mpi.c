/* Every rung of all-reduce. SPDX-License-Identifier: MIT */
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/collectives/ladders.h"
#include "mpi/cores.h"
#include "tests/mpi/collective_case.h"

TEST_CALL(every_rung_is_exact, check_ladder(&allreduce_ladder))

TEST(all_ranks_get_the_same_bits)
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

/* Nothing is allocated to find out. A vector whose length alone is beyond any memory, and one that fits everywhere. */
TEST_WITH_COMM(whole_ring_refuses_what_does_not_fit)
{
    Error reason = {""};
    const bool fits = allreduce_whole_ring_accepts(comm, 1000, ELEMENT_FLOAT, &reason);
    const bool huge = allreduce_whole_ring_accepts(comm, (size_t)1 << 48, ELEMENT_FLOAT, &reason);
    ck_assert(fits && !huge);
    ck_assert_ptr_nonnull(strstr(reason.text, "keeps the vectors of all"));
}

/* Ranks, all ranks of the program, cores, those that every rank may use, quota. */
TEST(cores_are_few_where_ranks_must_share_them)
{
    static const struct {
        CoresUse use;
        bool few;
    } cases[] = {
        {{2, 2, 4, 4, 4}, false},  {{5, 5, 4, 4, 99}, true},  {{4, 4, 4, 1, 99}, false}, /* bound, one core each */
        {{2, 2, 4, 4, 1}, true},   {{4, 4, 16, 16, 2}, true},                            /* a container's quota */
        {{2, 8, 4, 4, 99}, true},                                                        /* others beside these two */
        {{2, 8, 2, 1, 99}, false},                                                       /* who are bound elsewhere */
        {{2, 0, 2, 2, 99}, false}, /* the launcher does not tell */
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_msg(cores_are_few(&cases[i].use) == cases[i].few, "case %zu", i);
}

TEST_MAIN_MPI("allreduce_mpi")
