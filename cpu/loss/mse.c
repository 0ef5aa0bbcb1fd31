/* The squared error, both rungs: each is three lines, and their neighbourhood is the lesson.
 * SPDX-License-Identifier: MIT */
#include "cpu/chunks.h"
#include "cpu/loss/loss.h"

double
mse_loss_naive(size_t n, const float *x, const float *target)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double error = (double)target[i] - x[i];
        sum += error * error;
    }
    return sum / 2;
}

/* One sum is a chain: each addition waits for the one before, and the compiler may not reorder it. LANES sums are LANES
 * independent chains, which is also what a vector register holds. */
double
mse_loss_lanes(size_t n, const float *x, const float *target)
{
    enum { LANES = 16 };
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            const double error = (double)target[i + l] - x[i + l];
            lane[l] += error * error;
        }
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0] / 2 + mse_loss_naive(n - i, x + i, target + i);
}

static void
gradient_part(size_t n, const float *x, const float *target, float scale, float *dx)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = scale * (x[i] - target[i]);
}

void
mse_loss_backward(size_t n, const float *x, const float *target, float scale, float *dx)
{
    IN_CHUNKS(n, first, count, gradient_part(count, x + first, target + first, scale, dx + first));
}
