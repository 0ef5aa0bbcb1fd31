/* batch normalisation, rung 2: vector.
 * Idea      read the rows in memory order, and keep sums for each channel: the inner loop runs along the channels, in vectors.
 *           Sum and sum of squares in one pass, for variance = mean of x^2 - mean^2. In float that difference can lose every digit;
 *           in double it loses 1e-16 (mean / deviation)^2 of itself, which floats do not notice. Double is slow, so 16 rows at a
 *           time are summed in float, relative to the first of them, where there is little to lose.
 * Before    three passes over the numbers, four bytes used of each cache line.
 * Now       two: out of cache, 8 bytes an element read and 4 written; backwards 16 and 4. Statistics must be known before the
 *           first y, so one pass cannot do. Threads share blocks of rows (column_sums.h). The next rows are prefetched while
 *           these are added up.
 * Wants     nothing. Rows of fewer channels than a vector has lanes leave some of them idle.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "core/workspace.h"
#include "cpu/norm/column_sums.h"
#include "cpu/norm/norm.h"
#include <math.h>
#include <string.h>

/* Rows. Where their stride is a power of two, a column of them maps to few sets of the L1 cache: two arrays in tiles of 16 and
 * the lines prefetched behind them evict each other (conflict misses). */
enum { TILE = 16, GRADIENT_TILE = 8 };

/* What the passes over rows need; the arrays of channels are read as [channels]. */
typedef struct Pass {
    size_t channels;
    const float *x, *dy;
    const float *center, *scale, *slope, *shift;
    float *out;
} Pass;

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

/* Some lanes of up to TILE rows, in float, relative to the first of them: with a = x - first,
 *     sum x = n first + sum a,    sum x^2 = n first^2 + 2 first sum a + sum a^2
 * Down the columns, so that the sums stay in registers; meanwhile the next tile is prefetched. */
static inline __attribute__((always_inline)) void
add_columns(int lanes, size_t C, size_t rows, const float *x, double *restrict sum)
{
    const Vector top = vector_load_first(x, lanes);
    Vector part = {0}, squares = {0};
    for (size_t r = 1; r <= rows; r++) {
        __builtin_prefetch(x + (r + TILE - 1) * C);
        if (r < rows) {
            const Vector a = vector_load_first(x + r * C, lanes) - top;
            part += a;
            squares += a * a;
        }
    }
    for (int l = 0; l < lanes; l++) {
        const double first = (double)top[l], a = (double)part[l], n = (double)rows;
        sum[l] += n * first + a;
        sum[C + (size_t)l] += first * (n * first + 2 * a) + (double)squares[l];
    }
}

static void
sums_of_x(const void *problem, size_t first, size_t end, float *part, double *sum)
{
    const Pass *p = problem;
    const size_t C = p->channels;
    (void)part;
    for (size_t r = first; r < end; r += TILE) {
        const size_t rows = end - r < TILE ? end - r : TILE;
        size_t c = 0;
        for (; c + VECTOR_LANES <= C; c += VECTOR_LANES)
            add_columns(VECTOR_LANES, C, rows, p->x + r * C + c, sum + c);
        if (c < C)
            add_columns((int)(C - c), C, rows, p->x + r * C + c, sum + c);
    }
}

/* y = (x - center) scale + shift. y may be x, so not restrict: the ends of the arrays are compared at run time. */
static void
normalise_row(size_t C, const float *x, const float *restrict center, const float *restrict scale,
              const float *restrict shift, float *y)
{
    for (size_t c = 0; c < C; c++)
        y[c] = (x[c] - center[c]) * scale[c] + shift[c];
}

static void
normalise(const void *problem, size_t first, size_t end)
{
    const Pass *p = problem;
    const size_t C = p->channels;
    for (size_t r = first; r < end; r++)
        normalise_row(C, p->x + r * C, p->center, p->scale, p->shift, p->out + r * C);
}

/* One channel: the statistics from the sums, and the running averages. */
static void
update_running(float *running, float momentum, double now)
{
    if (running != NULL)
        *running += momentum * ((float)now - *running);
}

/* From the sums over count rows to y of these rows. scale: room for [channels]. */
static void
forward_from_sums(size_t R, Pass *pass, const float *gamma, float epsilon, float momentum, double count,
                  const double *sum, float *running_mean, float *running_variance, float *mean, float *inverse,
                  float *scale)
{
    const size_t C = pass->channels;
    for (size_t c = 0; c < C; c++) {
        const double center = sum[c] / count, difference = sum[C + c] / count - center * center;
        const double variance = difference < 0 ? 0 : difference; /* by rounding; NaN stays */
        mean[c] = (float)center;
        inverse[c] = (float)(1 / sqrt(variance + (double)epsilon));
        scale[c] = gamma[c] * inverse[c];
        update_running(running_mean != NULL ? running_mean + c : NULL, momentum, center);
        update_running(running_variance != NULL ? running_variance + c : NULL, momentum,
                       variance * count / (count > 1 ? count - 1 : 1));
    }
    pass->center = mean;
    pass->scale = scale;
    column_rows(R, C, normalise, pass);
}

void
batch_norm_forward_vector(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float momentum, float *running_mean, float *running_variance, float *y, float *mean,
                          float *inverse)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    if (R == 0)
        return;
    Pass pass = {.channels = C, .x = x, .shift = beta, .out = y};
    double *sum = column_sums(R, C, sums_of_x, &pass);
    void *behind = sum + 2 * C;
    forward_from_sums(R, &pass, gamma, epsilon, momentum, rows, sum, running_mean, running_variance, mean, inverse,
                      behind);
}

void
batch_norm_sums(int rows, int channels, const float *x, double *sum)
{
    const size_t C = (size_t)channels;
    const Pass pass = {.channels = C, .x = x};
    memcpy(sum, column_sums((size_t)rows, C, sums_of_x, &pass), 2 * C * sizeof(double));
}

void
batch_norm_normalise(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                     float momentum, double count, const double *sum, float *running_mean, float *running_variance,
                     float *y, float *mean, float *inverse)
{
    Pass pass = {.channels = (size_t)channels, .x = x, .shift = beta, .out = y};
    if (count > 0)
        forward_from_sums((size_t)rows, &pass, gamma, epsilon, momentum, count, sum, running_mean, running_variance,
                          mean, inverse, workspace(pass.channels * sizeof(float)));
}

void
batch_norm_infer_vector(int rows, int channels, const float *x, const float *gamma, const float *beta,
                        const float *running_mean, const float *running_variance, float epsilon, float *y)
{
    const size_t C = (size_t)channels;
    float *scale = workspace(C * sizeof(float));
    for (size_t c = 0; c < C; c++)
        scale[c] = gamma[c] / sqrtf(running_variance[c] + epsilon);
    const Pass pass = {.channels = C, .x = x, .center = running_mean, .scale = scale, .shift = beta, .out = y};
    column_rows((size_t)rows, C, normalise, &pass);
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

/* sum of dy, and of dy (x - center), for some lanes of up to GRADIENT_TILE rows, as in add_columns. */
static inline __attribute__((always_inline)) void
add_gradients(int lanes, size_t C, size_t rows, const float *x, const float *dy, const float *center,
              double *restrict sum)
{
    const Vector middle = vector_load_first(center, lanes);
    Vector part = {0}, with_x = {0};
    for (size_t r = 0; r < rows; r++) {
        const Vector d = vector_load_first(dy + r * C, lanes);
        __builtin_prefetch(x + (r + GRADIENT_TILE) * C);
        __builtin_prefetch(dy + (r + GRADIENT_TILE) * C);
        part += d;
        with_x += d * (vector_load_first(x + r * C, lanes) - middle);
    }
    for (int l = 0; l < lanes; l++) {
        sum[l] += (double)part[l];
        sum[C + (size_t)l] += (double)with_x[l];
    }
}

static void
sums_of_dy(const void *problem, size_t first, size_t end, float *part, double *sum)
{
    const Pass *p = problem;
    const size_t C = p->channels;
    (void)part;
    for (size_t r = first; r < end; r += GRADIENT_TILE) {
        const size_t rows = end - r < GRADIENT_TILE ? end - r : GRADIENT_TILE;
        const float *x = p->x + r * C, *dy = p->dy + r * C;
        size_t c = 0;
        for (; c + VECTOR_LANES <= C; c += VECTOR_LANES)
            add_gradients(VECTOR_LANES, C, rows, x + c, dy + c, p->center + c, sum + c);
        if (c < C)
            add_gradients((int)(C - c), C, rows, x + c, dy + c, p->center + c, sum + c);
    }
}

/* dx = scale dy + slope (x - center) + shift */
static void
gradient_row(size_t C, const Pass *p, const float *restrict x, const float *dy, float *dx)
{
    const float *restrict center = p->center, *restrict scale = p->scale, *restrict slope = p->slope;
    const float *restrict shift = p->shift;
    for (size_t c = 0; c < C; c++)
        dx[c] = scale[c] * dy[c] + slope[c] * (x[c] - center[c]) + shift[c];
}

static void
gradient(const void *problem, size_t first, size_t end)
{
    const Pass *p = problem;
    const size_t C = p->channels;
    for (size_t r = first; r < end; r++)
        gradient_row(C, p, p->x + r * C, p->dy + r * C, p->out + r * C);
}

/* dgamma and dbeta of the rows that the sums are over. */
static void
parameters_from_sums(size_t rows, size_t C, const float *inverse, const double *sum, float *dgamma, float *dbeta)
{
    for (size_t c = 0; c < C; c++) {
        dbeta[c] = (float)sum[c];
        dgamma[c] = rows > 0 ? (float)(sum[C + c] * (double)inverse[c]) : 0; /* without rows, inverse may be NaN */
    }
}

/* From the sums over count rows to dx of these rows. room: for 3 [channels]. */
static void
dx_from_sums(size_t R, Pass *pass, const float *gamma, const float *inverse, double count, const double *sum,
             float *room)
{
    const size_t C = pass->channels;
    float *scale = room, *slope = scale + C, *shift = slope + C;
    for (size_t c = 0; c < C; c++) {
        scale[c] = gamma[c] * inverse[c];
        slope[c] = -scale[c] * inverse[c] * (float)(sum[C + c] * (double)inverse[c] / count);
        shift[c] = -scale[c] * (float)(sum[c] / count);
    }
    pass->scale = scale;
    pass->slope = slope;
    pass->shift = shift;
    column_rows(R, C, gradient, pass);
}

void
batch_norm_backward_vector(int rows, int channels, const float *x, const float *dy, const float *gamma,
                           const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    Pass pass = {.channels = C, .x = x, .dy = dy, .center = mean, .out = dx};
    double *sum = column_sums(R, C, sums_of_dy, &pass);
    void *behind = sum + 2 * C;
    parameters_from_sums(R, C, inverse, sum, dgamma, dbeta);
    dx_from_sums(R, &pass, gamma, inverse, rows, sum, behind);
}

void
batch_norm_gradient_sums(int rows, int channels, const float *x, const float *dy, const float *mean,
                         const float *inverse, double *sum, float *dgamma, float *dbeta)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    const Pass pass = {.channels = C, .x = x, .dy = dy, .center = mean};
    memcpy(sum, column_sums(R, C, sums_of_dy, &pass), 2 * C * sizeof(double));
    parameters_from_sums(R, C, inverse, sum, dgamma, dbeta);
}

void
batch_norm_gradient(int rows, int channels, const float *x, const float *dy, const float *gamma, const float *mean,
                    const float *inverse, double count, const double *sum, float *dx)
{
    Pass pass = {.channels = (size_t)channels, .x = x, .dy = dy, .center = mean, .out = dx};
    if (count > 0)
        dx_from_sums((size_t)rows, &pass, gamma, inverse, count, sum, workspace(3 * pass.channels * sizeof(float)));
}
