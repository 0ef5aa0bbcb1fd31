/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/grid.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/comm.h"
#include <string.h>

const char *const grid_axis_names[GRID_AXES] = {"data", "pipeline", "tensor"};

static const char usual_order[] = "dpt";

/* ---- the mapping --------------------------------------------------------------------------------------------------------- */

bool
grid_fit(GridShape *shape, int ranks, Error *error)
{
    for (int axis = 0; axis < GRID_AXES; axis++)
        if (shape->size[axis] < 0 || shape->size[axis] > ranks)
            return error_set(error, "%d ranks cannot be a grid of %s %d: expected 1 to %d, or 0 for what is usual",
                             ranks, grid_axis_names[axis], shape->size[axis], ranks);
    shape->pipeline += shape->pipeline == 0;
    shape->tensor += shape->tensor == 0;
    const long long others = (long long)shape->pipeline * shape->tensor;
    if (shape->data == 0 && ranks % others == 0)
        shape->data = (int)(ranks / others);
    if (shape->data == 0)
        return error_set(error,
                         "%d ranks cannot be divided into pipeline %d x tensor %d: give sizes whose product divides %d",
                         ranks, shape->pipeline, shape->tensor, ranks);
    return others * shape->data == ranks ||
           error_set(error, "a grid of data %d x pipeline %d x tensor %d has %lld ranks, but there are %d", shape->data,
                     shape->pipeline, shape->tensor, others * shape->data, ranks);
}

/* The axis whose initial this is; GRID_AXES if there is none. */
static int
axis_of(char initial)
{
    int axis = 0;
    while (axis < GRID_AXES && grid_axis_names[axis][0] != initial)
        axis++;
    return axis;
}

int
grid_rank(const GridShape *shape, const char *order, GridPlace place)
{
    int rank = 0;
    for (int i = 0; i < GRID_AXES; i++) {
        const int axis = axis_of((order != NULL ? order : usual_order)[i]);
        rank = rank * shape->size[axis] + place.at[axis];
    }
    return rank;
}

GridPlace
grid_place(const GridShape *shape, const char *order, int rank)
{
    GridPlace place;
    for (int i = GRID_AXES - 1; i >= 0; i--) {
        const int axis = axis_of((order != NULL ? order : usual_order)[i]);
        place.at[axis] = rank % shape->size[axis];
        rank /= shape->size[axis];
    }
    return place;
}

/* ---- communicators ------------------------------------------------------------------------------------------------------- */

static bool
check_order(const char *order, Error *error)
{
    bool seen[GRID_AXES + 1] = {0};
    for (int i = 0; i < GRID_AXES && order[i] != '\0'; i++)
        seen[axis_of(order[i])] = true;
    return (strlen(order) == GRID_AXES && seen[GRID_DATA] && seen[GRID_PIPELINE] && seen[GRID_TENSOR]) ||
           error_set(error,
                     "there is no order '%s' of the grid's axes: expected d, p and t, the outermost first, as in %s",
                     order, usual_order);
}

/* Those that agree with this rank in the other two directions: they are named by the first of them. */
static Comm *
split(const Grid *grid, const Comm *comm, GridAxis axis)
{
    GridPlace first = grid->place;
    first.at[axis] = 0;
    MPI_Comm part;
    CHECK_MPI(MPI_Comm_split(comm->mpi, grid_rank(&grid->shape, grid->order, first), grid->place.at[axis], &part));
    Comm *line = comm_create(part, 0);
    CHECK_MPI(MPI_Comm_free(&part));
    return line;
}

Grid *
grid_create(const Comm *comm, GridShape shape, const char *order, Error *error)
{
    order = order != NULL ? order : usual_order;
    if (!check_order(order, error) || !grid_fit(&shape, comm->size, error))
        return NULL;
    Grid *grid = ARRAY(Grid, 1);
    grid->shape = shape;
    memcpy(grid->order, order, sizeof(grid->order));
    grid->place = grid_place(&shape, order, comm->rank);
    for (int axis = 0; axis < GRID_AXES; axis++)
        grid->axis[axis] = split(grid, comm, (GridAxis)axis);
    return grid;
}

void
grid_free(Grid *grid)
{
    if (grid == NULL)
        return;
    for (int axis = 0; axis < GRID_AXES; axis++)
        comm_free(grid->axis[axis]);
    array_free(grid);
}
