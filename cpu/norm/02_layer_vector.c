/* layer normalisation, rung 2: vector.
 * Idea      a block of rows stays in the L1 cache while their sums, the squares of their differences and y are computed: memory
 *           is read once. Sums are kept by lanes, and those of all rows are reduced at once (vector_sums). Backwards, the
 *           second visit goes down the columns of the block, along which the parameters' gradients are sums, too.
 * Before    one addition after the other, and the parameters' gradients read everything once more, down the columns.
 * Now       out of cache, 4 bytes an element read and 4 written; backwards 8 and 4. Threads share the rows.
 * Wants     nothing. The last vector of a row may have idle lanes: rows shorter than a vector are that alone.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/chunks.h"
#include "cpu/norm/column_sums.h"
#include "cpu/norm/norm.h"
#include <math.h>
#include <string.h>

enum {
    L = VECTOR_LANES,
    ROWS = 8,             /* of a block, at most: the number that vector_sums takes */
    FORWARD_BLOCK = 512,  /* floats of a block of more than one row */
    BACKWARD_BLOCK = 256, /* the same: there are two arrays to read */
    AHEAD = 2048,         /* floats: prefetch distance */
    TILE = 16             /* rows: the parameters' gradients are summed in float over a tile, then in double */
};

static size_t
rows_of_block(size_t floats, size_t channels)
{
    const size_t fit = floats / (channels > 0 ? channels : 1);
    return fit < 1 ? 1 : fit < ROWS ? fit : ROWS;
}

/* How many lanes the vector from element i of n on has. */
static inline int
lanes_from(size_t i, size_t n)
{
    return n - i < L ? (int)(n - i) : L;
}

/* Element r is the sum of the lanes of row r; a single row is faster alone than by the reduction of eight. */
static inline Octet
sums_of(size_t rows, const Vector lanes[ROWS])
{
    return rows > 1 ? vector_sums(lanes) : (Octet){vector_sum(lanes[0])};
}

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

typedef struct Forward {
    size_t channels;
    const float *x, *gamma, *beta;
    float epsilon, *y, *mean, *inverse;
    VectorMask last; /* -1 in the lanes that a row's last vector has */
} Forward;

/* A row's sum by lanes. */
static Vector
row_sum(size_t n, const float *x)
{
    Vector sum[2] = {{0}};
    size_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        sum[0] += vector_load(x + i);
        sum[1] += vector_load(x + i + L);
    }
    for (; i < n; i += L)
        sum[0] += vector_load_first(x + i, lanes_from(i, n));
    return sum[0] + sum[1];
}

/* The same of (x - center)^2. */
static Vector
row_squares(size_t n, const float *x, float center, VectorMask last)
{
    Vector sum[2] = {{0}};
    size_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        const Vector a = vector_load(x + i) - center, b = vector_load(x + i + L) - center;
        sum[0] += a * a;
        sum[1] += b * b;
    }
    for (; i < n; i += L) {
        const Vector a = vector_load_first(x + i, lanes_from(i, n)) - center, square = a * a;
        sum[0] += i + L <= n ? square : (Vector)((VectorMask)square & last);
    }
    return sum[0] + sum[1];
}

/* y = (x - center) scale gamma + beta, for some of a row's lanes. */
static inline __attribute__((always_inline)) void
normalise(int lanes, const float *x, float center, float scale, const float *gamma, const float *beta, float *y)
{
    const Vector xhat = (vector_load_first(x, lanes) - center) * scale;
    vector_store_first(y, xhat * vector_load_first(gamma, lanes) + vector_load_first(beta, lanes), lanes);
}

static void
row_forward(const Forward *p, const float *x, float center, float scale, float *y)
{
    const size_t n = p->channels;
    size_t i = 0;
    for (; i + L <= n; i += L) {
        __builtin_prefetch(x + i + AHEAD);
        __builtin_prefetch(y + i + AHEAD, 1);
        normalise(L, x + i, center, scale, p->gamma + i, p->beta + i, y + i);
    }
    if (i < n)
        normalise((int)(n - i), x + i, center, scale, p->gamma + i, p->beta + i, y + i);
}

/* At most ROWS rows. */
static void
block_forward(const Forward *p, size_t first, size_t rows)
{
    const size_t n = p->channels;
    const float *x = p->x + first * n;
    Vector lanes[ROWS] = {{0}};
    float center[ROWS], scale[ROWS];
    for (size_t r = 0; r < rows; r++)
        lanes[r] = row_sum(n, x + r * n);
    octet_store(center, sums_of(rows, lanes) / (float)n);
    for (size_t r = 0; r < rows; r++)
        lanes[r] = row_squares(n, x + r * n, center[r], p->last);
    octet_store(scale, sums_of(rows, lanes));
    for (size_t r = 0; r < ROWS; r++)
        scale[r] = 1 / sqrtf(scale[r] / (float)n + p->epsilon);
    for (size_t r = 0; r < rows; r++) {
        row_forward(p, x + r * n, center[r], scale[r], p->y + (first + r) * n);
        p->mean[first + r] = center[r];
        p->inverse[first + r] = scale[r];
    }
}

void
layer_norm_forward_vector(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float *y, float *mean, float *inverse)
{
    const size_t R = channels > 0 ? (size_t)rows : 0, C = (size_t)channels, block = rows_of_block(FORWARD_BLOCK, C);
    Forward forward = {C, x, gamma, beta, epsilon, y, mean, inverse, {0}};
    for (size_t l = 0; l < L; l++)
        forward.last[l] = C > 0 && l <= (C - 1) % L ? -1 : 0;
#pragma omp parallel for schedule(static) if (R * C >= CHUNKS_MIN)
    for (size_t r = 0; r < R; r += block)
        block_forward(&forward, r, R - r < block ? R - r : block);
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

typedef struct Gradients {
    size_t channels;
    const float *x, *dy, *gamma, *mean, *inverse;
    float *dx;
} Gradients;

/* The sums over a row of g = gamma dy and of g (x - center), by lanes. */
static void
row_sums(size_t n, const float *x, const float *dy, const float *gamma, float center, Vector *sum, Vector *with_x)
{
    Vector a[2] = {{0}}, b[2] = {{0}};
    size_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L)
        for (size_t k = 0; k < 2; k++) {
            const Vector g = vector_load(gamma + i + k * L) * vector_load(dy + i + k * L);
            a[k] += g;
            b[k] += g * (vector_load(x + i + k * L) - center);
        }
    for (; i < n; i += L) {
        const int lanes = lanes_from(i, n);
        const Vector g = vector_load_first(gamma + i, lanes) * vector_load_first(dy + i, lanes);
        a[0] += g;
        b[0] += g * (vector_load_first(x + i, lanes) - center);
    }
    *sum = a[0] + a[1];
    *with_x = b[0] + b[1];
}

/* What the rows of a block need to make dx of dy and x. */
typedef struct Lines {
    size_t rows;
    float center[ROWS], scale[ROWS], mean[ROWS], slope[ROWS];
} Lines;

/* Down the columns of a block, for some lanes from element i of the first row on:
 *     dx = scale (g - mean of g - xhat (mean of g xhat))      part: what the rows give to dbeta and dgamma is added */
static inline __attribute__((always_inline)) void
columns(int lanes, const Gradients *p, const Lines *line, size_t i, size_t c, float *part)
{
    const size_t n = p->channels;
    const Vector gamma = vector_load_first(p->gamma + c, lanes);
    Vector dbeta = vector_load_first(part + c, lanes), dgamma = vector_load_first(part + n + c, lanes);
    for (size_t r = 0; r < line->rows; r++, i += n) {
        const Vector x = vector_load_first(p->x + i, lanes) - line->center[r];
        const Vector dy = vector_load_first(p->dy + i, lanes);
        __builtin_prefetch(p->x + i + AHEAD);
        __builtin_prefetch(p->dy + i + AHEAD);
        __builtin_prefetch(p->dx + i + AHEAD, 1);
        dbeta += dy;
        dgamma += dy * (x * line->scale[r]);
        vector_store_first(p->dx + i, line->scale[r] * (gamma * dy - line->mean[r] - x * line->slope[r]), lanes);
    }
    vector_store_first(part + c, dbeta, lanes);
    vector_store_first(part + n + c, dgamma, lanes);
}

static void
block_backward(const Gradients *p, size_t first, size_t rows, float *part)
{
    const size_t n = p->channels;
    Lines line = {.rows = rows};
    Vector sum[ROWS] = {{0}}, with_x[ROWS] = {{0}};
    memcpy(line.center, p->mean + first, rows * sizeof(float));
    memcpy(line.scale, p->inverse + first, rows * sizeof(float));
    for (size_t r = 0; r < rows; r++)
        row_sums(n, p->x + (first + r) * n, p->dy + (first + r) * n, p->gamma, line.center[r], &sum[r], &with_x[r]);
    octet_store(line.mean, sums_of(rows, sum) / (float)n);
    octet_store(line.slope, sums_of(rows, with_x) / (float)n);
    for (size_t r = 0; r < ROWS; r++)
        line.slope[r] *= line.scale[r] * line.scale[r];
    size_t c = 0;
    for (; c + L <= n; c += L)
        columns(L, p, &line, first * n + c, c, part);
    if (c < n)
        columns((int)(n - c), p, &line, first * n + c, c, part);
}

static void
rows_backward(const void *problem, size_t first, size_t end, float *part, double *sum)
{
    const Gradients *p = problem;
    const size_t C = p->channels, block = rows_of_block(BACKWARD_BLOCK, C);
    for (size_t tile = first; tile < end; tile += TILE) {
        const size_t behind = end - tile < TILE ? end : tile + TILE;
        memset(part, 0, 2 * C * sizeof *part);
        for (size_t r = tile; r < behind; r += block)
            block_backward(p, r, behind - r < block ? behind - r : block, part);
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
