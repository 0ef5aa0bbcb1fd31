/* layer normalisation, rung 2: vector.
 * Idea      a row stays in the first cache while its sum, the squares of its differences and y are computed: memory is read once.
 *           Sums in four vectors, which do not wait for each other. Backwards, one visit to a row does all three gradients.
 * Before    one addition after the other, and the parameters' gradients read everything once more, down the columns.
 * Now       out of cache, 4 bytes an element read and 4 written; backwards 8 and 4. Threads share the rows.
 * Wants     nothing. Rows shorter than a vector are summed one number at a time.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/chunks.h"
#include "cpu/norm/column_sums.h"
#include "cpu/norm/norm.h"
#include <math.h>
#include <string.h>

enum { CHAINS = 4, TILE = 16 /* rows: the parameters' gradients are summed in float over so many, then in double */ };

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

static float
row_sum(size_t n, const float *x)
{
    Vector sum[CHAINS] = {{0}};
    size_t i = 0;
    for (; i + CHAINS * VECTOR_LANES <= n; i += CHAINS * VECTOR_LANES)
        for (size_t k = 0; k < CHAINS; k++)
            sum[k] += vector_load(x + i + k * VECTOR_LANES);
    for (; i + VECTOR_LANES <= n; i += VECTOR_LANES)
        sum[0] += vector_load(x + i);
    float all = vector_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; i++)
        all += x[i];
    return all;
}

static float
row_squares(size_t n, const float *x, float mean)
{
    Vector sum[CHAINS] = {{0}};
    size_t i = 0;
    for (; i + CHAINS * VECTOR_LANES <= n; i += CHAINS * VECTOR_LANES)
        for (size_t k = 0; k < CHAINS; k++) {
            const Vector d = vector_load(x + i + k * VECTOR_LANES) - mean;
            sum[k] += d * d;
        }
    for (; i + VECTOR_LANES <= n; i += VECTOR_LANES) {
        const Vector d = vector_load(x + i) - mean;
        sum[0] += d * d;
    }
    float all = vector_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; i++)
        all += (x[i] - mean) * (x[i] - mean);
    return all;
}

static void
row_forward(size_t n, const float *x, const float *restrict gamma, const float *restrict beta, float epsilon, float *y,
            float *mean, float *inverse)
{
    const float center = row_sum(n, x) / (float)n;
    const float scale = 1 / sqrtf(row_squares(n, x, center) / (float)n + epsilon);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - center) * scale * gamma[i] + beta[i];
    *mean = center;
    *inverse = scale;
}

void
layer_norm_forward_vector(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float *y, float *mean, float *inverse)
{
    const size_t R = channels > 0 ? (size_t)rows : 0, C = (size_t)channels;
#pragma omp parallel for schedule(static) if (R * C >= CHUNKS_MIN)
    for (size_t r = 0; r < R; r++)
        row_forward(C, x + r * C, gamma, beta, epsilon, y + r * C, mean + r, inverse + r);
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

typedef struct Gradients {
    size_t channels;
    const float *x, *dy, *gamma, *mean, *inverse;
    float *dx;
} Gradients;

/* The sums over a row of g = gamma dy and of g (x - center). */
static void
row_sums(size_t n, const float *x, const float *dy, const float *gamma, float center, float *sum, float *with_x)
{
    Vector a[2] = {{0}}, b[2] = {{0}};
    size_t i = 0;
    for (; i + 2 * VECTOR_LANES <= n; i += 2 * VECTOR_LANES)
        for (size_t k = 0; k < 2; k++) {
            const size_t at = i + k * VECTOR_LANES;
            const Vector g = vector_load(gamma + at) * vector_load(dy + at);
            a[k] += g;
            b[k] += g * (vector_load(x + at) - center);
        }
    *sum = vector_sum(a[0] + a[1]);
    *with_x = vector_sum(b[0] + b[1]);
    for (; i < n; i++) {
        *sum += gamma[i] * dy[i];
        *with_x += gamma[i] * dy[i] * (x[i] - center);
    }
}

/* The row's share of dbeta and dgamma. */
static void
row_parameters(size_t n, const float *restrict x, const float *restrict dy, float center, float scale,
               float *restrict dbeta, float *restrict dgamma)
{
    for (size_t i = 0; i < n; i++) {
        dbeta[i] += dy[i];
        dgamma[i] += dy[i] * ((x[i] - center) * scale);
    }
}

/* dx = scale (g - mean of g - xhat (mean of g xhat)) */
static void
row_backward(size_t n, const float *restrict x, const float *dy, const float *restrict gamma, float center, float scale,
             float *dx)
{
    float sum, with_x;
    row_sums(n, x, dy, gamma, center, &sum, &with_x);
    const float mean = sum / (float)n, slope = scale * scale * with_x / (float)n;
    for (size_t i = 0; i < n; i++)
        dx[i] = scale * (gamma[i] * dy[i] - mean - (x[i] - center) * slope);
}

static void
rows_backward(const void *problem, size_t first, size_t end, float *part, double *sum)
{
    const Gradients *p = problem;
    const size_t C = p->channels;
    for (size_t tile = first; tile < end; tile += TILE) {
        memset(part, 0, 2 * C * sizeof *part);
        for (size_t r = tile; r < end && r < tile + TILE; r++) {
            const float *x = p->x + r * C, *dy = p->dy + r * C;
            row_parameters(C, x, dy, p->mean[r], p->inverse[r], part, part + C);
            row_backward(C, x, dy, p->gamma, p->mean[r], p->inverse[r], p->dx + r * C); /* last: dx may be dy */
        }
        for (size_t c = 0; c < 2 * C; c++)
            sum[c] += (double)part[c];
    }
}

void
layer_norm_backward_vector(int rows, int channels, const float *x, const float *dy, const float *gamma,
                           const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const size_t C = (size_t)channels;
    const Gradients gradients = {C, x, dy, gamma, mean, inverse, dx};
    const double *sum = column_sums((size_t)rows, C, rows_backward, &gradients);
    for (size_t c = 0; c < C; c++) {
        dbeta[c] = (float)sum[c];
        dgamma[c] = (float)sum[C + c];
    }
}
