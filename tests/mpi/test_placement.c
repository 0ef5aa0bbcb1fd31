/* The cost model where ranks of a node are not consecutive. Needs no ranks. SPDX-License-Identifier: MIT */
#include "mpi/model/cost.h"
#include "tests/testing.h"

/* 800 floats on 4 nodes of 2 consecutive ranks. */
static Cost
in_blocks(const char *rung)
{
    const CostCase what = {.operation = "allreduce", .rung = rung, .p = 8, .per_node = 2, .n = 800, .element = 4};
    Cost cost;
    ck_assert(cost_of(&what, &cost, NULL));
    return cost;
}

/* 8 ranks on 4 nodes, dealt in turn, as mpirun --map-by node does it: rings go node by node and are as on blocks; what exchanges
 * with a rank at a distance finds it on other nodes: 4 apart, where blocks of 2 have 1. */
TEST(ranks_that_are_dealt_to_nodes)
{
    static const int dealt[] = {0, 1, 2, 3, 0, 1, 2, 3};
    CostCase what = {.operation = "allreduce", .p = 8, .n = 800, .element = 4, .node_of = dealt};
    static const char *const same[] = {"ring", "segmented_ring", "whole_ring", "two_dimensional", "hierarchical"};
    for (int i = 0; i < 5; i++) {
        const Cost blocks = in_blocks(same[i]);
        Cost got;
        what.rung = same[i];
        ck_assert(cost_of(&what, &got, NULL));
        ck_assert_double_eq(got.steps_between, blocks.steps_between);
        ck_assert_double_eq(got.bytes_between, blocks.bytes_between);
        ck_assert_double_eq(got.reduced, blocks.reduced);
        ck_assert_int_eq(got.phases, blocks.phases);
        for (int k = 0; k < got.phases; k++) {
            ck_assert_double_eq(got.phase[k].between.pairs, blocks.phase[k].between.pairs);
            ck_assert_double_eq(got.phase[k].within.bytes, blocks.phase[k].within.bytes);
        }
    }
    Cost got;
    what.rung = "recursive_doubling";
    ck_assert(cost_of(&what, &got, NULL));
    ck_assert_double_eq(got.steps, 3);
    ck_assert(got.phase[0].between.bytes > 0 && got.phase[0].within.bytes < 0 && got.phase[0].between.pairs == 2);
    ck_assert(got.phase[got.phases - 1].between.bytes < 0 && got.phase[got.phases - 1].within.bytes > 0);
    const Cost blocks = in_blocks("recursive_doubling");
    ck_assert(blocks.phase[0].between.bytes < 0 && blocks.phase[0].within.bytes > 0);
}

TEST_MAIN("placement")
