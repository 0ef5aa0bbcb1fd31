/* What checks the rungs of all-reduce must reject each of tests/wrong/allreduce.h. SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"
#include "tests/mpi/collective_case.h"
#include "tests/wrong/allreduce.h"

enum { N = 1021 };

static bool
exact(Comm *comm, const CollectiveRung *rung, bool in_place)
{
    const CollectiveCase c = {.kind = COLLECTIVE_ALLREDUCE, .n = N, .in_place = in_place, .round = 3};
    return case_wrong(&allreduce_ladder, rung, comm, &c) == 0;
}

static bool
accepted(Comm *comm, const CollectiveRung *rung)
{
    const bool out_of_place = exact(comm, rung, false), in_place = exact(comm, rung, true);
    return out_of_place && in_place && same_bits(&allreduce_ladder, rung, comm, N);
}

TEST_WITH_COMM(wrong_rings_are_rejected)
{
    ck_assert_msg(accepted(comm, collective_rung(&allreduce_ladder, "ring")), "the right ring was rejected");
    for (int i = 0; i < WRONG_ALLREDUCES; i++) {
        const WrongAllReduce *wrong = &wrong_allreduces[i];
        const CollectiveRung rung = {.name = wrong->name, .function = (CollectiveFunction *)wrong->function};
        ck_assert_msg(comm->size < wrong->ranks || !accepted(comm, &rung), "\"%s\" was accepted", wrong->name);
    }
}

static CollectiveRung
rung_of(AllReduce *function)
{
    return (CollectiveRung){.name = "wrong", .function = (CollectiveFunction *)function};
}

/* Exact values do not see another order of the sum, and out of place nobody sees what is wrong in place: each of the three checks
 * is needed. */
TEST_WITH_COMM(one_check_is_not_enough)
{
    const CollectiveRung bits = rung_of(wrong_ring_other_bits), place = rung_of(wrong_ring_in_place);
    ck_assert(exact(comm, &bits, false) && exact(comm, &bits, true));
    ck_assert(comm->size < 3 || !same_bits(&allreduce_ladder, &bits, comm, N));
    ck_assert(exact(comm, &place, false) && same_bits(&allreduce_ladder, &place, comm, N));
    ck_assert(!exact(comm, &place, true));
}

TEST_MAIN_MPI("wrong_allreduce_mpi")
