/* A window that slides over an image: what convolution and pooling have in common. Output pixel (i, j) sees the input pixels
 *
 *     h = i stride - padding + a dilation,   a = 0 .. kernel-1        (and the same for w with j)
 *
 * of which those outside the image count as zeros (convolution) or not at all (maximum). Along one direction:
 *
 *     padding | image                | padding        kernel 3, stride 2, padding 1, dilation 1, size 5 -> 3 outputs
 *       .     | 0   1   2   3   4    |   .
 *      [......... 0]
 *                  [... 1 ...]                        output i begins at pixel i stride - padding
 *                          [... 2 ...]
 *
 * SPDX-License-Identifier: MIT */
#ifndef CORE_SLIDING_WINDOW_H
#define CORE_SLIDING_WINDOW_H

/* Kernels for a GPU call these functions, too, which its compiler has to be told. */
#ifdef __CUDACC__
#define HOST_DEVICE static inline __host__ __device__
#else
#define HOST_DEVICE static inline
#endif

/* Along one direction. kernel, stride, dilation >= 1; padding >= 0. */
typedef struct WindowAxis {
    int kernel, stride, padding, dilation;
} WindowAxis;

typedef struct Window {
    WindowAxis vertical, horizontal;
} Window;

/* Pixel of the kernel's first tap of output i: may be negative. Tap a is a * dilation behind it. */
HOST_DEVICE int
window_begin(WindowAxis axis, int i)
{
    return i * axis.stride - axis.padding;
}

/* Outputs along an axis of `size` pixels; 0 where the window is larger than the padded image. */
HOST_DEVICE int
window_outputs(WindowAxis axis, int pixels)
{
    const int span = (axis.kernel - 1) * axis.dilation + 1, padded = pixels + 2 * axis.padding;
    return padded < span ? 0 : (padded - span) / axis.stride + 1;
}

/* The same size, stride, padding and dilation in both directions. */
static inline Window
window_square(int kernel, int stride, int padding, int dilation)
{
    const WindowAxis axis = {kernel, stride, padding, dilation};
    return (Window){axis, axis};
}

#endif
