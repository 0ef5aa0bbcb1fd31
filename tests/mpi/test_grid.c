/* Which rank stands where in the grid (mpi/parallel/grid.h), without any ranks. SPDX-License-Identifier: MIT */
#include "mpi/parallel/grid.h"
#include "tests/testing.h"

static const char *const orders[] = {"dpt", "dtp", "pdt", "ptd", "tdp", "tpd", NULL};

typedef void Check(const GridShape *shape, const char *order, int ranks);

/* With all shapes of this number of ranks, in all orders. */
static int
all_shapes(int ranks, Check *check)
{
    int shapes = 0;
    for (int d = 1; d <= ranks; d++)
        for (int p = 1; p <= ranks; p++)
            for (int t = 1; t <= ranks; t++) {
                if (d * p * t != ranks)
                    continue;
                const GridShape shape = {.data = d, .pipeline = p, .tensor = t};
                shapes++;
                for (int o = 0; o < COUNT(orders); o++)
                    check(&shape, orders[o], ranks);
            }
    return shapes;
}

static void
check_bijection(const GridShape *shape, const char *order, int ranks)
{
    int seen[16] = {0};
    for (int d = 0; d < shape->data; d++)
        for (int p = 0; p < shape->pipeline; p++)
            for (int t = 0; t < shape->tensor; t++) {
                const GridPlace place = {.data = d, .pipeline = p, .tensor = t};
                const int rank = grid_rank(shape, order, place);
                ck_assert(rank >= 0 && rank < ranks);
                const GridPlace back = grid_place(shape, order, rank);
                ck_assert(back.data == d && back.pipeline == p && back.tensor == t);
                seen[rank]++;
            }
    for (int r = 0; r < ranks; r++)
        ck_assert_int_eq(seen[r], 1);
}

/* A step along an axis passes as many ranks as the axes inside it have. */
static void
check_strides(const GridShape *shape, const char *order, int ranks)
{
    int stride = ranks;
    for (int i = 0; i < GRID_AXES; i++) {
        const char initial = (order != NULL ? order : "dpt")[i];
        const int axis = (int)(strchr("dpt", initial) - "dpt");
        stride /= shape->size[axis];
        GridPlace place = {.data = 0, .pipeline = 0, .tensor = 0};
        for (place.at[axis] = 0; place.at[axis] < shape->size[axis]; place.at[axis]++)
            ck_assert_int_eq(grid_rank(shape, order, place), place.at[axis] * stride);
    }
}

TEST(every_place_has_one_rank)
{
    static const struct {
        int ranks, shapes;
    } cases[] = {{1, 1}, {2, 3}, {3, 3}, {4, 6}, {7, 3}, {8, 10}, {12, 18}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        ck_assert_int_eq(all_shapes(cases[c].ranks, check_bijection), cases[c].shapes);
        all_shapes(cases[c].ranks, check_strides);
    }
}

/* The drawing in grid.h. */
TEST(the_usual_order_has_tensor_innermost)
{
    const GridShape shape = {.data = 2, .pipeline = 2, .tensor = 2};
    const GridPlace five = grid_place(&shape, NULL, 5);
    ck_assert(five.data == 1 && five.pipeline == 0 && five.tensor == 1);
    ck_assert_int_eq(grid_rank(&shape, "tpd", five), 5); /* 1 * 4 + 0 * 2 + 1 */
    ck_assert_int_eq(grid_rank(&shape, "pdt", five), 3); /* 0 * 4 + 1 * 2 + 1 */
}

TEST(sizes_of_0_are_filled_in)
{
    static const struct {
        int ranks;
        GridShape given, want;
    } cases[] = {
        {1, {{0, 0, 0}}, {{1, 1, 1}}},  {12, {{0, 0, 0}}, {{12, 1, 1}}}, {12, {{0, 3, 0}}, {{4, 3, 1}}},
        {12, {{0, 3, 2}}, {{2, 3, 2}}}, {12, {{0, 3, 4}}, {{1, 3, 4}}},  {12, {{6, 0, 2}}, {{6, 1, 2}}},
        {7, {{0, 7, 1}}, {{1, 7, 1}}},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        GridShape shape = cases[c].given;
        ck_assert_ok(grid_fit(&shape, cases[c].ranks, &error));
        for (int axis = 0; axis < GRID_AXES; axis++)
            ck_assert_int_eq(shape.size[axis], cases[c].want.size[axis]);
    }
}

TEST(shapes_that_do_not_fit_get_a_sentence)
{
    static const struct {
        int ranks;
        GridShape shape;
        const char *sentence;
    } cases[] = {
        {4, {{2, 3, 1}}, "a grid of data 2 x pipeline 3 x tensor 1 has 6 ranks, but there are 4"},
        {12, {{2, 2, 0}}, "a grid of data 2 x pipeline 2 x tensor 1 has 4 ranks, but there are 12"},
        {7, {{0, 2, 2}}, "7 ranks cannot be divided into pipeline 2 x tensor 2: give sizes whose product divides 7"},
        {4, {{0, -1, 1}}, "4 ranks cannot be a grid of pipeline -1: expected 1 to 4, or 0 for what is usual"},
        {4,
         {{1, 1, 2000000000}},
         "4 ranks cannot be a grid of tensor 2000000000: expected 1 to 4, or 0 for what is usual"},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        GridShape shape = cases[c].shape;
        ck_assert(!grid_fit(&shape, cases[c].ranks, &error));
        ck_assert_str_eq(error.text, cases[c].sentence);
    }
}

TEST_MAIN("grid")
