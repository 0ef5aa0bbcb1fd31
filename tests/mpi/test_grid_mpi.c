/* The communicators of the grid (mpi/parallel/grid.h): the right ranks in the right order, for all shapes and orders.
 * SPDX-License-Identifier: MIT */
#include "mpi/collectives/collectives.h"
#include "mpi/parallel/grid.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"

static const char *const orders[] = {"dpt", "dtp", "pdt", "ptd", "tdp", "tpd", NULL};

/* Rank i of the axis is the one that stands at i there, and beside us otherwise. */
static bool
has_the_right_ranks(const Grid *grid, const Comm *world, GridAxis axis)
{
    const Comm *line = grid->axis[axis];
    int ranks[16];
    CHECK_MPI(PMPI_Allgather(&world->rank, 1, MPI_INT, ranks, 1, MPI_INT, line->mpi));
    bool ok = line->size == grid->shape.size[axis] && line->rank == grid->place.at[axis];
    for (int i = 0; i < line->size; i++) {
        GridPlace place = grid->place;
        place.at[axis] = i;
        ok = ok && ranks[i] == grid_rank(&grid->shape, grid->order, place);
    }
    return ok;
}

/* Of 2 to the power of each rank: which sum it is says who took part. */
static bool
sums_over_the_right_ranks(const Grid *grid, const Comm *world, GridAxis axis)
{
    int64_t sum = (int64_t)1 << world->rank, want = 0;
    collectives_named("ring", &error)->all_reduce(grid->axis[axis], &sum, &sum, 1, ELEMENT_INT64, REDUCTION_SUM);
    for (int r = 0; r < world->size; r++) {
        GridPlace place = grid_place(&grid->shape, grid->order, r);
        place.at[axis] = grid->place.at[axis];
        if (grid_rank(&grid->shape, grid->order, place) == world->rank)
            want += (int64_t)1 << r;
    }
    return sum == want;
}

TEST(each_axis_has_the_right_ranks_in_the_right_order)
{
    Comm *world = comm_create(MPI_COMM_WORLD, 0);
    bool ok = true;
    for (int pipeline = 1; pipeline <= world->size; pipeline++)
        for (int tensor = 1; tensor <= world->size; tensor++)
            for (size_t o = 0; world->size % (pipeline * tensor) == 0 && o < COUNT(orders); o++) {
                Grid *grid = grid_create(world, (GridShape){.pipeline = pipeline, .tensor = tensor}, orders[o], &error);
                ck_assert_ok(grid);
                for (int axis = 0; axis < GRID_AXES; axis++)
                    ok = has_the_right_ranks(grid, world, (GridAxis)axis) &&
                         sums_over_the_right_ranks(grid, world, (GridAxis)axis) && ok;
                grid_free(grid);
            }
    comm_free(world);
    grid_free(NULL);
    ck_assert_all(ok);
}

TEST(what_is_no_grid_is_refused_on_all_ranks)
{
    static const char *const wrong[] = {"", "dp", "dpp", "dptd", "dpx", "tensor"};
    Comm *world = comm_create(MPI_COMM_WORLD, 0);
    bool ok = grid_create(world, (GridShape){.data = world->size, .tensor = world->size + 1}, NULL, &error) == NULL;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        error.text[0] = '\0';
        ok = ok && grid_create(world, (GridShape){0}, wrong[i], &error) == NULL &&
             strstr(error.text, "expected d, p and t, the outermost first, as in dpt") != NULL;
    }
    comm_free(world);
    ck_assert_all(ok);
}

TEST_MAIN_MPI("grid_mpi")
