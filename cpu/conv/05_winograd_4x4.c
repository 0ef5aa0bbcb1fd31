/* conv, rung 5: Winograd, F(4x4, 3x3).
 * Idea      larger tiles, still fewer multiplications: 36 for 16 outputs. Along one direction, the 6 products are the values of the
 *           polynomials d(t) and g(t) at t = 0, 1, -1, 2, -2 and infinity, from which the coefficients of the result follow.
 * Before    F(2x2, 3x3): 4 multiplications an output and pair of channels.
 * Now       2.25. The numbers in the transforms go up to 8 and down to 1/24: see cpu/conv/ladder.c for the errors.
 * But       7 x 7 outputs fill 4 tiles of 4 x 4 by three quarters only.
 * Wants     3 x 3, stride 1, dilation 1, one group.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/winograd.h"

enum { TILE = 6, OUTPUTS = 4 };

/* A line of a tile (winograd.h): v = B^T d. Places 1 and 2 share their even and odd parts, as do 3 and 4. */
static inline void
input_line(const Vector *d, int d_step, Vector *v, int v_step)
{
    const Vector d0 = d[0], d1 = d[d_step], d2 = d[2 * d_step], d3 = d[3 * d_step], d4 = d[4 * d_step],
                 d5 = d[5 * d_step];
    const Vector even = d4 - 4.0f * d2, odd = d3 - 4.0f * d1;
    const Vector even2 = d4 - d2, odd2 = 2.0f * (d3 - d1);
    v[0] = 4.0f * d0 - 5.0f * d2 + d4;
    v[v_step] = even + odd;
    v[2 * v_step] = even - odd;
    v[3 * v_step] = even2 + odd2;
    v[4 * v_step] = even2 - odd2;
    v[5 * v_step] = 4.0f * d1 - 5.0f * d3 + d5;
}

/* u = G g. */
static inline void
kernel_line(const Vector *g, int g_step, Vector *u, int u_step)
{
    const Vector g0 = g[0], g1 = g[g_step], g2 = g[2 * g_step];
    const Vector even = -1.0f / 6 * (g0 + g2), odd = -1.0f / 6 * g1;
    const Vector even2 = 1.0f / 24 * g0 + 1.0f / 6 * g2, odd2 = 1.0f / 12 * g1;
    u[0] = 0.25f * g0;
    u[u_step] = even + odd;
    u[2 * u_step] = even - odd;
    u[3 * u_step] = even2 + odd2;
    u[4 * u_step] = even2 - odd2;
    u[5 * u_step] = g2;
}

/* y = A^T p. */
static inline void
output_line(const Vector *p, int p_step, Vector *y, int y_step)
{
    const Vector sum = p[p_step] + p[2 * p_step], difference = p[p_step] - p[2 * p_step];
    const Vector sum2 = p[3 * p_step] + p[4 * p_step], difference2 = p[3 * p_step] - p[4 * p_step];
    y[0] = p[0] + sum + sum2;
    y[y_step] = difference + 2.0f * difference2;
    y[2 * y_step] = sum + 4.0f * sum2;
    y[3 * y_step] = difference + 8.0f * difference2 + p[5 * p_step];
}

void
conv_winograd_4x4_input(const Vector *d, Vector *v)
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
conv_winograd_4x4(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    static const Winograd winograd = {OUTPUTS, conv_winograd_4x4_input, transform_kernel, transform_output};
    conv_winograd(&winograd, s, x, w, epilogue, y);
}
