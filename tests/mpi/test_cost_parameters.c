/* What a message costs that is a part of a longer vector (mpi/model/cost_parameters.h). SPDX-License-Identifier: MIT */
#include "mpi/model/cost.h"
#include "tests/testing.h"

/* A cache holds 100 bytes: those beyond cost 4 each, not 1, and segments of a longer vector do, too. */
TEST(parts_go_at_the_rate_of_the_whole)
{
    const Curve curve = {.pieces = 2,
                         .piece = {{.from = 0, .alpha = 2, .beta = 1}, {.from = 100, .alpha = 2, .beta = 4}}};
    ck_assert_double_eq(curve_part_seconds(&curve, 10, 0), 12);
    ck_assert_double_eq(curve_part_seconds(&curve, 10, 50), 12); /* the latency is not less for a part */
    ck_assert_double_eq(curve_part_seconds(&curve, 10, 400), 1602. / 40);
    ck_assert_double_eq(curve_part_seconds(&curve, 400, 400), 1602);
    ck_assert_double_eq(curve_part_seconds(&curve, 400, 300), 1602);
    /* Two ranks, two messages and a sum of half a vector, which is one part or many. */
    const Link link = {.curve = {curve, curve, curve}};
    const CostParameters network = {.within = link, .between = link, .reduce = curve, .touch = curve};
    const CostCase what = {.operation = "allreduce", .rung = "ring", .p = 2, .n = 100, .element = 4};
    Cost got;
    ck_assert(cost_of(&what, &got, NULL));
    ck_assert_double_eq(got.vector, 400);
    ck_assert_double_eq(cost_time(&got, &network), 3 * 802);
}

TEST_MAIN("network")
