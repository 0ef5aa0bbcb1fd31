/* What `rungs train perceptron` found, over two inputs: as numbers and as a picture.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PERCEPTRON_FIGURE_H
#define CLI_PERCEPTRON_FIGURE_H

#include "cli/perceptron_samples.h"

/* One row a sample: x1, x2, y, prediction, and in every row the weights w0, w1, w2. samples->n is 2, here and below. */
bool boundary_write(const char *path, const Samples *samples, const double w[3], Error *error);

/* The samples and the line w0 + w1 x1 + w2 x2 = 0 as SVG. data is the name that they were opened by. */
bool boundary_draw(const char *path, const Samples *samples, const char *data, const double w[3], Error *error);

#endif
