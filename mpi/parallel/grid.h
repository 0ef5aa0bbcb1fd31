/* The ranks as a grid: data x pipeline x tensor. This is the one place that knows which rank stands where.
 *
 *     data 0                data 1                 p = 8: data 2, pipeline 2, tensor 2, order "dpt"
 *
 *     tensor  0   1         tensor  0   1          data       ranks with the same partition of the network, other samples
 *            +---+---+             +---+---+       pipeline   ranks with other layers of the same replica, in their order
 *     pipe 0 | 0 | 1 |      pipe 0 | 4 | 5 |       tensor     ranks with other shards of the same layers
 *            +---+---+             +---+---+
 *     pipe 1 | 2 | 3 |      pipe 1 | 6 | 7 |       rank 5's communicators: data {1, 5}, pipeline {5, 7}, tensor {4, 5}
 *            +---+---+             +---+---+
 *
 * The order names the axes by their initials, the outermost first. Neighbouring ranks differ in the innermost: that should be the
 * axis that communicates most and waits for it, tensor, as a node holds neighbouring ranks (Narayanan et al., "Efficient
 * Large-Scale Language Model Training on GPU Clusters", 2021, arXiv:2104.04473, takeaway 1).
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_GRID_H
#define MPI_PARALLEL_GRID_H

#include "core/error.h"
#include <stdbool.h>

struct Comm;

typedef enum GridAxis { GRID_DATA, GRID_PIPELINE, GRID_TENSOR, GRID_AXES } GridAxis;
extern const char *const grid_axis_names[GRID_AXES]; /* "data", "pipeline", "tensor" */

/* Ranks in each direction. */
typedef union GridShape {
    struct {
        int data, pipeline, tensor;
    };
    int size[GRID_AXES];
} GridShape;

/* Where a rank stands: its number in each direction. */
typedef union GridPlace {
    struct {
        int data, pipeline, tensor;
    };
    int at[GRID_AXES];
} GridPlace;

/* Fills in sizes of 0: pipeline and tensor are then 1, data is the rest. False with a sentence if `ranks` ranks are no such
 * grid. */
bool grid_fit(GridShape *shape, int ranks, Error *error);

/* The mapping and back, for a shape without 0 and one of the six orders, NULL being "dpt". */
int grid_rank(const GridShape *shape, const char *order, GridPlace place);
GridPlace grid_place(const GridShape *shape, const char *order, int rank);

typedef struct Grid {
    GridShape shape;
    char order[GRID_AXES + 1];
    GridPlace place; /* of this rank */
    struct Comm
        *axis[GRID_AXES]; /* the ranks that differ from it in this direction alone: rank i is number i of them */
} Grid;

/* Of all ranks of comm, which must call. NULL with a sentence, the same on all of them, for a shape that does not fit or an order
 * that is none. */
Grid *grid_create(const struct Comm *comm, GridShape shape, const char *order, Error *error);

/* All ranks must call. NULL is allowed. */
void grid_free(Grid *grid);

#endif
