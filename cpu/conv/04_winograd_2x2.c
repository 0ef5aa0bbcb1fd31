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

/* A line of a tile (winograd.h): v = B^T d. */
static inline void
input_line(const Vector *d, int d_step, Vector *v, int v_step)
{
    const Vector d0 = d[0], d1 = d[d_step], d2 = d[2 * d_step], d3 = d[3 * d_step];
    v[0] = d0 - d2;
    v[v_step] = d1 + d2;
    v[2 * v_step] = d2 - d1;
    v[3 * v_step] = d1 - d3;
}

/* u = G g. */
static inline void
kernel_line(const Vector *g, int g_step, Vector *u, int u_step)
{
    const Vector ends = 0.5f * (g[0] + g[2 * g_step]), middle = 0.5f * g[g_step];
    u[0] = g[0];
    u[u_step] = ends + middle;
    u[2 * u_step] = ends - middle;
    u[3 * u_step] = g[2 * g_step];
}

/* y = A^T p. */
static inline void
output_line(const Vector *p, int p_step, Vector *y, int y_step)
{
    y[0] = p[0] + p[p_step] + p[2 * p_step];
    y[y_step] = p[p_step] - p[2 * p_step] - p[3 * p_step];
}

static void
transform_input(const Vector *d, Vector *v)
{
    winograd_transform(input_line, TILE, TILE, d, v);
}

static void
transform_kernel(const Vector *g, Vector *u)
{
    winograd_transform(kernel_line, WINOGRAD_KERNEL, TILE, g, u);
}

static void
transform_output(const Vector *p, Vector *y)
{
    winograd_transform(output_line, TILE, OUTPUTS, p, y);
}

void
conv_winograd_2x2(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    static const Winograd winograd = {OUTPUTS, transform_input, transform_kernel, transform_output};
    conv_winograd(&winograd, s, x, w, epilogue, y);
}
