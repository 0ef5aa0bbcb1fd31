/* The memory planner: what lives together must not overlap, what does not should.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "nn/memory_plan.h"
#include "tests/testing.h"

static bool
spans_collide(const Span *a, const Span *b)
{
    const bool together = a->born <= b->dies && b->born <= a->dies;
    return together && a->size && b->size && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void
check_plan(const Span *spans, int count, size_t total)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += spans[i].size;
        ck_assert_uint_le(spans[i].offset + spans[i].size, total);
        for (int j = 0; j < i; j++)
            ck_assert_msg(!spans_collide(&spans[i], &spans[j]), "spans %d and %d overlap", i, j);
    }
    ck_assert_uint_le(total, sum);
}

TEST(nothing_needs_nothing)
{
    Span one = {5, 0, 0, 99};
    ck_assert_uint_eq(plan_memory(&one, 0), 0);
    ck_assert_uint_eq(plan_memory(&one, 1), 5);
    ck_assert_uint_eq(one.offset, 0);
}

TEST(spans_of_one_moment_stand_side_by_side)
{
    Span spans[] = {{3, 1, 1, 0}, {5, 1, 1, 0}, {2, 0, 9, 0}};
    ck_assert_uint_eq(plan_memory(spans, 3), 10);
    check_plan(spans, 3, 10);
}

TEST(spans_one_after_the_other_share)
{
    Span spans[] = {{7, 0, 1, 0}, {7, 2, 3, 0}, {4, 4, 4, 0}};
    ck_assert_uint_eq(plan_memory(spans, 3), 7);
    check_plan(spans, 3, 7);
}

TEST(ends_of_a_life_are_included)
{
    Span spans[] = {{7, 0, 1, 0}, {7, 1, 2, 0}};
    ck_assert_uint_eq(plan_memory(spans, 2), 14);
    check_plan(spans, 2, 14);
}

/* Only two neighbours of this chain live at one moment. */
TEST(a_chain_takes_two_places)
{
    Span spans[50];
    for (int i = 0; i < 50; i++)
        spans[i] = (Span){16, i, i + 1, 0};
    ck_assert_uint_eq(plan_memory(spans, 50), 32);
    check_plan(spans, 50, 32);
}

TEST(a_gap_is_used)
{
    /* The small one fits between the two large ones only while the middle one is dead. */
    Span spans[] = {{10, 0, 9, 0}, {8, 0, 3, 0}, {6, 0, 9, 0}, {5, 4, 9, 0}};
    ck_assert_uint_eq(plan_memory(spans, 4), 24);
    check_plan(spans, 4, 24);
}

TEST(random_spans_never_collide)
{
    for (uint64_t round = 0; round < 300; round++) {
        Rng rng = rng_create(5, round);
        Span spans[40];
        const int count = (int)rng_below(&rng, 41);
        for (int i = 0; i < count; i++) {
            const int born = (int)rng_below(&rng, 30);
            spans[i] = (Span){rng_below(&rng, 20), born, born + (int)rng_below(&rng, 10), 0};
        }
        check_plan(spans, count, plan_memory(spans, count));
    }
}

TEST_MAIN("plan")
