/* The cost model against formulas and numbers that others have published, and against itself. Needs no ranks.
 * SPDX-License-Identifier: MIT */
#include "mpi/model/cost.h"
#include "tests/testing.h"

static const char *const allreduces[] = {"naive", "whole_ring",     "tree",        "recursive_doubling",
                                         "ring",  "segmented_ring", "rabenseifner"};

static Cost
cost(const char *operation, const char *rung, int p, int per_node, size_t n, size_t element)
{
    const CostCase what = {
        .operation = operation, .rung = rung, .p = p, .per_node = per_node, .n = n, .element = element};
    Cost result;
    ck_assert_msg(cost_of(&what, &result, NULL), "%s %s is not known", operation, rung);
    return result;
}

static double
milliseconds(const char *rung, int p, int per_node, size_t bytes, const CostParameters *network)
{
    const Cost result = cost("allreduce", rung, p, per_node, bytes, 1);
    return 1e3 * cost_time(&result, network);
}

static bool
near(double got, double want, double relative)
{
    return fabs(got - want) <= relative * fabs(want);
}

/* alpha 10 us, 12.5 GB/s, 100 GB/s reduced; the formulas of Thakur, Rabenseifner and Gropp 2005, table computed from them by
 * hand. The vector of 1024 bytes on 8 ranks; that of ResNet-50's gradients, 25,557,032 floats. */
TEST(times_are_those_of_the_formulas)
{
    static const struct {
        const char *rung;
        double short_8, long_8, long_64, long_1024;
    } rows[] = {
        {"naive", 0.1412, 121.79, 1096.1, 17799},
        {"tree", 0.0605, 52.196, 104.39, 173.99},
        {"recursive_doubling", 0.0303, 27.632, 55.263, 92.105},
        {"rabenseifner", 0.0602, 15.266, 17.227, 17.562},
        {"ring", 0.1402, 15.346, 18.367, 37.822},
    };
    const CostParameters network = cost_parameters_textbook(10e-6, 1 / 12.5e9, 1 / 100e9);
    const size_t gradients = 102228128;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct {
            int p;
            size_t bytes;
            double want;
        } cells[] = {{8, 1024, rows[i].short_8},
                     {8, gradients, rows[i].long_8},
                     {64, gradients, rows[i].long_64},
                     {1024, gradients, rows[i].long_1024}};
        for (int k = 0; k < 4; k++) {
            const double got = milliseconds(rows[i].rung, cells[k].p, 0, cells[k].bytes, &network);
            ck_assert_msg(near(got, cells[k].want, k == 0 ? 1e-3 : 5e-5),
                          "%s of %zu bytes, %d ranks: %.5g ms, not %.5g", rows[i].rung, cells[k].bytes, cells[k].p, got,
                          cells[k].want);
        }
    }
}

/* Lecture 7: 60 million floats in one all-reduce or many, on the same network. */
TEST(many_short_or_few_long)
{
    static const double want[][3] = {
        {6000, 876, 7600}, {600, 120, 796}, {60, 44.1, 116}, {6, 36.5, 47.7}, {1, 35.8, 41.4}};
    const CostParameters network = cost_parameters_textbook(10e-6, 1 / 12.5e9, 1 / 100e9);
    for (size_t i = 0; i < COUNT(want); i++) {
        const size_t bytes = 240000000 / (size_t)want[i][0];
        ck_assert(near(want[i][0] * milliseconds("ring", 8, 0, bytes, &network), want[i][1], 4e-3));
        ck_assert(near(want[i][0] * milliseconds("ring", 64, 0, bytes, &network), want[i][2], 4e-3));
    }
    /* The 161 tensors of ResNet-50, as if of one length: latencies and bytes add up to the same. */
    ck_assert(near(161 * milliseconds("ring", 8, 0, 102228128 / 161, &network), 37.7, 2e-3));
}

/* 128 nodes of 8, 51,114,064 bytes (ResNet-50 in halves), 5 us and 12 GB/s within a node, 20 us and 12.5 GB/s between. */
TEST(times_on_two_levels)
{
    CostParameters network = cost_parameters_textbook(5e-6, 1 / 12e9, 0);
    network.between = cost_parameters_textbook(20e-6, 1 / 12.5e9, 0).between;
    ck_assert(near(milliseconds("ring", 1024, 8, 51114064, &network), 49.09, 2e-4));
    ck_assert(near(milliseconds("hierarchical_linear", 1024, 8, 51114064, &network), 72.90, 2e-4));
    ck_assert(near(milliseconds("two_dimensional", 1024, 8, 51114064, &network), 13.62, 4e-4));
    /* Our hierarchical one goes up and down trees: 2 lg 8 steps instead of 2 (8 - 1). */
    const double within = 5e-3 + 1e3 * 51114064 / 12e9;
    const double got = milliseconds("hierarchical", 1024, 8, 51114064, &network);
    ck_assert(near(got, 72.897 - 8 * within, 2e-4));
    /* Ranks of a node that have to share one link to the others lose what two dimensions gain. */
    network.between.contention = 1;
    ck_assert(near(milliseconds("two_dimensional", 1024, 8, 51114064, &network), 13.62 + 7 * 1.0143, 1e-3));
}

TEST(steps_of_hierarchies)
{
    ck_assert_double_eq(cost("allreduce", "ring", 1024, 0, 1 << 20, 4).steps, 2046);
    ck_assert_double_eq(cost("allreduce", "hierarchical_rings", 1024, 8, 1 << 20, 4).steps, 282);
    ck_assert_double_eq(cost("allreduce", "hierarchical_rings", 1024, 16, 1 << 20, 4).steps, 186);
    const Cost two = cost("allreduce", "two_dimensional", 1024, 8, 1 << 20, 4);
    ck_assert_double_eq(two.steps, 2 * 7 + 2 * 127);
    ck_assert_double_eq(two.steps_between, 2 * 127);
    ck_assert_double_eq(two.bytes_between, 2 * 127.0 / 128 / 8 * (4 << 20));
}

/* What the counts must be where p divides n and is a power of two: (steps, bytes, bytes reduced, messages and bytes of the
 * busiest) in units of n bytes. */
TEST(counts_of_every_operation)
{
    static const struct {
        const char *operation, *rung;
        double steps, bytes, reduced, messages, sent, received;
    } rows[] = {
        {"allreduce", "naive", 14, 14, 7, 7, 7, 7},
        {"allreduce", "whole_ring", 7, 7, 7, 7, 7, 7},
        {"allreduce", "tree", 6, 6, 3, 3, 3, 3},
        {"allreduce", "recursive_doubling", 3, 3, 3, 3, 3, 3},
        {"allreduce", "ring", 14, 1.75, 0.875, 14, 1.75, 1.75},
        {"allreduce", "rabenseifner", 6, 1.75, 0.875, 6, 1.75, 1.75},
        {"broadcast", "naive", 7, 7, 0, 7, 7, 1},
        {"broadcast", "binomial", 3, 3, 0, 3, 3, 1},
        {"broadcast", "scatter_all_gather", 10, 1.75, 0, 10, 1.75, 1.375}, /* rank 4 gets a half, then 7 chunks */
        {"reduce", "naive", 7, 7, 7, 1, 1, 7},
        {"reduce", "binomial", 3, 3, 3, 1, 1, 3},
        {"reduce", "scatter_gather", 6, 1.75, 0.875, 4, 1.375, 1.75},
        {"reduce_scatter", "naive", 14, 7.875, 7, 7, 1, 7},
        {"reduce_scatter", "ring", 7, 0.875, 0.875, 7, 0.875, 0.875},
        {"reduce_scatter", "recursive", 3, 0.875, 0.875, 3, 0.875, 0.875},
        {"all_gather", "naive", 14, 7.875, 0, 7, 7, 1},
        {"all_gather", "ring", 7, 0.875, 0, 7, 0.875, 0.875},
        {"all_gather", "recursive", 3, 0.875, 0, 3, 0.875, 0.875},
        {"all_gather", "bruck", 3, 0.875, 0, 3, 0.875, 0.875},
        {"gather", "naive", 7, 0.875, 0, 1, 0.125, 0.875},
        {"gather", "binomial", 3, 0.875, 0, 1, 0.5, 0.875},
        {"scatter", "naive", 7, 0.875, 0, 7, 0.875, 0.125},
        {"scatter", "binomial", 3, 0.875, 0, 3, 0.875, 0.5},
        {"all_to_all", "naive", 13, 13, 0, 7, 7, 7},
        {"all_to_all", "pairwise", 7, 7, 0, 7, 7, 7},
        {"all_to_all", "bruck", 3, 12, 0, 3, 12, 12},
        {"barrier", "central", 14, 0, 0, 7, 0, 0},
        {"barrier", "dissemination", 3, 0, 0, 3, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const Cost got = cost(rows[i].operation, rows[i].rung, 8, 0, 1000, 8);
        const double n = 8000;
        ck_assert_msg(got.steps == rows[i].steps && got.bytes == rows[i].bytes * n &&
                          got.reduced == rows[i].reduced * n,
                      "%s %s: %g steps, %g bytes, %g reduced", rows[i].operation, rows[i].rung, got.steps,
                      got.bytes / n, got.reduced / n);
        ck_assert_msg(got.messages == rows[i].messages && got.sent == rows[i].sent * n &&
                          got.received == rows[i].received * n,
                      "%s %s: %g messages, %g sent, %g received", rows[i].operation, rows[i].rung, got.messages,
                      got.sent / n, got.received / n);
    }
}

/* 7 ranks, 10 elements: chunks of 2 2 2 1 1 1 1. Rank r of the ring never sends chunk r in the first half, nor chunk r + 1 in
 * the second: 20 elements less these two. */
TEST(uneven_chunks_are_counted_exactly)
{
    const CostCase what = {.operation = "allreduce", .rung = "ring", .p = 7, .n = 10, .element = 4};
    Cost result;
    CostRank ranks[7];
    ck_assert(cost_of(&what, &result, ranks));
    static const double sent[7] = {16, 16, 17, 18, 18, 18, 17};
    for (int r = 0; r < 7; r++) {
        ck_assert_double_eq(ranks[r].messages_sent, 12);
        ck_assert_double_eq(ranks[r].messages_received, 12);
        ck_assert_double_eq(ranks[r].bytes_sent, 4 * sent[r]);
        ck_assert_double_eq(ranks[r].bytes_received, 4 * sent[(r + 6) % 7]);
    }
    ck_assert_double_eq(result.sent, 72);
    ck_assert_double_eq(result.bytes, 12 * 8); /* one rank has a chunk of two in every step */
}

/* Three nodes of 3, 3 and 1: no place but the first is on all nodes, the others give their vectors to it. */
TEST(uneven_nodes)
{
    const Cost two = cost("allreduce", "two_dimensional", 7, 3, 300, 4);
    ck_assert_double_eq(two.steps, 2 + 4 + 2);
    ck_assert_double_eq(two.steps_between, 4);
    ck_assert_double_eq(two.reduced, 2 * 1200 + 2 * 400);
    const Cost leaders = cost("allreduce", "hierarchical", 7, 3, 300, 4);
    ck_assert_double_eq(leaders.steps, 2 + 4 + 2);
    ck_assert_double_eq(leaders.bytes_between, 4 * 400);
}

/* No algorithm is below the bounds, for any p and n; bytes sent are bytes received. */
TEST(no_rung_is_below_the_bounds)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13};
    static const size_t lengths[] = {0, 1, 6, 7, 8, 1003};
    for (int i = 0; i < COUNT(allreduces); i++)
        for (int k = 0; k < 8; k++)
            for (int l = 0; l < 6; l++) {
                const CostCase what = {
                    .operation = "allreduce", .rung = allreduces[i], .p = ranks[k], .n = lengths[l], .element = 4};
                Cost got;
                CostRank counts[13];
                ck_assert(cost_of(&what, &got, counts));
                const CostBound bound = cost_allreduce_bound(ranks[k], 4.0 * (double)lengths[l]);
                ck_assert_double_ge(got.steps, bound.steps);
                ck_assert_double_ge(got.bytes, bound.bytes - 1e-9);
                ck_assert_double_ge(got.reduced, bound.reduced - 1e-9);
                double open = 0;
                for (int r = 0; r < ranks[k]; r++)
                    open += counts[r].bytes_sent - counts[r].bytes_received;
                ck_assert_double_eq(open, 0);
            }
}

TEST(bounds_and_factors)
{
    const CostBound bound = cost_allreduce_bound(5, 1000);
    ck_assert_double_eq(bound.steps, 3);
    ck_assert_double_eq_tol(bound.bytes, 1600, 1e-9);
    ck_assert_double_eq_tol(bound.reduced, 800, 1e-9);
    ck_assert_double_eq(cost_bus_factor("allreduce", 8), 1.75);
    ck_assert_double_eq(cost_bus_factor("all_gather", 8), 0.875);
    ck_assert_double_eq(cost_bus_factor("reduce_scatter", 8), 0.875);
    ck_assert_double_eq(cost_bus_factor("all_to_all", 8), 0.875);
    ck_assert_double_eq(cost_bus_factor("broadcast", 8), 1);
    ck_assert_double_eq(cost_bus_factor("reduce", 8), 1);
}

/* Copied in and out: 11 n (p - 1) / p for the ring; 2 n in a shared window, 4 n (p - 1) / p + n + 2 n / p through buffers. */
TEST(bytes_through_memory)
{
    ck_assert_double_eq(cost("allreduce", "ring", 4, 0, 1 << 20, 4).moved, 11 * 0.75 * (4 << 20));
    CostCase what = {.operation = "allreduce", .rung = "window", .p = 2, .n = 1 << 20, .element = 4, .shared = true};
    Cost got;
    ck_assert(cost_of(&what, &got, NULL));
    ck_assert_double_eq(got.moved, 2.0 * (4 << 20));
    ck_assert_double_eq(got.messages, 0);
    what.shared = false;
    ck_assert(cost_of(&what, &got, NULL));
    ck_assert_double_eq(got.moved, 4.0 * (4 << 20));
}

TEST(what_is_not_known_is_refused)
{
    static const char *const names[][2] = {
        {"allreduce", "circle"}, {"allreduce", "auto"}, {"allreduce", "mpi"}, {"all", "ring"}, {"", ""}};
    for (size_t i = 0; i < COUNT(names); i++) {
        const CostCase what = {.operation = names[i][0], .rung = names[i][1], .p = 2, .n = 1, .element = 4};
        Cost got;
        ck_assert(!cost_of(&what, &got, NULL));
    }
}

/* Two lines of which each is best somewhere: doubling costs 3 (alpha + n beta), the ring 14 alpha + 1.75 n beta. */
TEST(crossovers_stand_where_the_lines_meet)
{
    const CostParameters network = cost_parameters_textbook(10e-6, 1e-9, 0);
    const CostCase what = {.operation = "allreduce", .p = 8, .element = 1};
    static const char *const rungs[] = {"ring", "circle", "recursive_doubling"};
    Crossover found[4];
    ck_assert_int_eq(cost_crossovers(&what, rungs, 3, &network, 1 << 24, found, 4), 2);
    ck_assert_int_eq(found[0].best, 2);
    ck_assert_double_eq(found[0].from, 1);
    ck_assert_int_eq(found[1].best, 0);
    const double meet = 11 * 10e-6 / 1.25e-9;
    ck_assert(found[1].from >= meet && found[1].from <= meet * 1.1);
    double seconds = 0;
    CostCase one = what;
    one.n = 1 << 20;
    ck_assert_int_eq(cost_best(&one, rungs, 3, &network, &seconds), 0);
    ck_assert(near(seconds, 14 * 10e-6 + 1.75 * (1 << 20) * 1e-9, 1e-9));
    ck_assert_int_eq(cost_best(&one, rungs + 1, 1, &network, NULL), -1);
}

TEST_MAIN("cost")
