/* LAB 02, exercise 02.5. This copy of cpu/softmax/softmax_gradient.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=02       points for each exercise, and the first wrong value
 *     make hint LAB=02.5      the next hint for an exercise
 *     make watch LAB=02       grade again whenever this file is saved
 *     make reset LAB=02       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from cpu/softmax/softmax_gradient.c; change it there. */
/* The gradient of softmax and cross-entropy together. Each alone has an unpleasant derivative (a matrix, and a division by p);
 * in their product nearly everything cancels.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
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
    EXERCISE_NOT_SOLVED("02.5"); /* TODO: about 5 lines */
}
