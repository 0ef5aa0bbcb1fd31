/* What a perceptron of two inputs has learnt, as numbers and as a picture. SPDX-License-Identifier: MIT */
#ifndef PERCEPTRON_FIGURE_H
#define PERCEPTRON_FIGURE_H

#include "core/error.h"
#include <stddef.h>

/* Samples X[count][2] with labels y[count] of +1/-1 and weights w[3]. */
typedef struct PerceptronFigure {
    const double *X, *w;
    const int *y;
    size_t count;
    const char *input[2];            /* names of the axes: "petal length (cm)" */
    const char *positive, *negative; /* what +1 and -1 are */
} PerceptronFigure;

/* One row a sample: x1, x2, y, prediction, and in every row the weights w0, w1, w2. */
bool perceptron_figure_csv(const PerceptronFigure *figure, const char *path, Error *error);

/* The samples and the line w0 + w1 x1 + w2 x2 = 0 as SVG. */
bool perceptron_figure_svg(const PerceptronFigure *figure, const char *path, Error *error);

#endif
