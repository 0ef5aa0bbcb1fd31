/* The gradient of softmax and cross-entropy together. Each alone has an unpleasant derivative (a matrix, and a division by p);
 * in their product nearly everything cancels.
 * SPDX-License-Identifier: MIT */
#include "cpu/softmax/softmax.h"
#include <stddef.h>

/* EXERCISE 02.5  The gradient of the softmax loss (15 min, about 5 lines)
 * The loss of one row is -log p[label] with p = softmax(z), that is log(sum of e^z[c]) - z[label]. Its derivative by z[c] is
 *     p[c] - 1   for c = label,      p[c]   for every other class.
 * Write dz[r][c] = scale times that for all rows r < rows and classes c < classes; the arrays are row-major and dense:
 * element (r, c) of p and of dz is at index r * classes + c. dz does not overlap p.
 */
void
softmax_loss_backward(int rows, int classes, const float *p, const int *labels, float scale, float *dz)
{
    /* BEGIN SOLUTION 02.5 */
    for (size_t r = 0; r < (size_t)rows; r++) {
        for (size_t c = 0; c < (size_t)classes; c++)
            dz[r * classes + c] = scale * p[r * classes + c];
        dz[r * classes + labels[r]] = scale * (p[r * classes + labels[r]] - 1);
    }
    /* END SOLUTION */
}
