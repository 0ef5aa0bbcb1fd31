/* What `rungs train xor` found: the network's output over the square of its inputs, and how the loss fell.
 * SPDX-License-Identifier: MIT */
#ifndef XOR_FIGURE_H
#define XOR_FIGURE_H

#include "core/error.h"
#include "mlp.h"
#include <stddef.h>

/* The network's output a^L on a grid of XOR_GRID x XOR_GRID points of -0.5 .. 1.5 in both inputs: rows x1, x2, output. */
enum { XOR_GRID = 61 };
bool xor_write_grid(const char *path, Mlp *mlp, Error *error);

/* The same as a figure, with the four samples and the line where the output is 1/2. */
bool xor_draw_boundary(const char *path, Mlp *mlp, Error *error);

/* cost[e] is the mean cost of epoch e + 1. At most a few hundred points are drawn, evenly spread on the logarithmic axis. */
bool xor_draw_loss(const char *path, const double *cost, size_t epochs, Error *error);

#endif
