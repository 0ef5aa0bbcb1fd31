/* conv, rung 4: Winograd, F(2x2, 3x3).
 * Idea      fewer multiplications. Along one direction, 2 outputs of a kernel of 3 need 4 products instead of 6:
 *
 *               y0 = d0 g0 + d1 g1 + d2 g2      p0 = (d0 - d2) g0      p1 = (d1 + d2) (g0 + g1 + g2) / 2       y0 = p0 + p1 + p2
 *               y1 = d1 g0 + d2 g1 + d3 g2      p3 = (d1 - d3) g2      p2 = (d2 - d1) (g0 - g1 + g2) / 2       y1 = p1 - p2 - p3
 *
 *           In two directions 16 instead of 36. What depends on the kernel alone, or on the input alone, is computed once.
 * Before    9 multiplications an output and pair of channels.
 * Now       4, and additions that do not grow with the product of the numbers of channels. See winograd.h.
 * Wants     3 x 3, stride 1, dilation 1, one group.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/winograd.h"

enum { TILE = 4, OUTPUTS = 2 };

/* One line of a tile, whose elements lie `step` apart: v = B^T d. */
static inline void
input_line(const Vector *d, Vector *v, int step)
{
    const Vector d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
    v[0] = d0 - d2;
    v[step] = d1 + d2;
    v[2 * step] = d2 - d1;
    v[3 * step] = d1 - d3;
}

static void
transform_input(const Vector *d, Vector *v)
{
    Vector columns[TILE * TILE];
    for (int c = 0; c < TILE; c++)
        input_line(d + c, columns + c, TILE);
    for (int r = 0; r < TILE; r++)
        input_line(columns + r * TILE, v + r * TILE, 1);
}

/* u = G g, each with a step of its own. */
static inline void
kernel_line(const Vector *g, int g_step, Vector *u, int u_step)
{
    const Vector ends = 0.5f * (g[0] + g[2 * g_step]), middle = 0.5f * g[g_step];
    u[0] = g[0];
    u[u_step] = ends + middle;
    u[2 * u_step] = ends - middle;
    u[3 * u_step] = g[2 * g_step];
}

static void
transform_kernel(const Vector *g, Vector *u)
{
    Vector columns[TILE * WINOGRAD_KERNEL];
    for (int c = 0; c < WINOGRAD_KERNEL; c++)
        kernel_line(g + c, WINOGRAD_KERNEL, columns + c, WINOGRAD_KERNEL);
    for (int r = 0; r < TILE; r++)
        kernel_line(columns + r * WINOGRAD_KERNEL, 1, u + r * TILE, 1);
}

/* y = A^T p. */
static inline void
output_line(const Vector *p, int p_step, Vector *y, int y_step)
{
    y[0] = p[0] + p[p_step] + p[2 * p_step];
    y[y_step] = p[p_step] - p[2 * p_step] - p[3 * p_step];
}

static void
transform_output(const Vector *sum, Vector *y)
{
    Vector columns[OUTPUTS * TILE];
    for (int c = 0; c < TILE; c++)
        output_line(sum + c, TILE, columns + c, TILE);
    for (int r = 0; r < OUTPUTS; r++)
        output_line(columns + r * TILE, 1, y + r * OUTPUTS, 1);
}

void
conv_winograd_2x2(const ConvShape *s, const float *x, const float *w, const ConvEpilogue *epilogue, float *y)
{
    static const Winograd winograd = {OUTPUTS, transform_input, transform_kernel, transform_output};
    conv_winograd(&winograd, s, x, w, epilogue, y);
}
