/* Images with their padding, channel by channel (NCHW): the pixels of a row are contiguous, and vectors of pixels can be
 * loaded.
 *
 *     NHWC   r g b  r g b  r g b           r r r r    of an image: [channels][height + 2 padding][width + 2 padding]
 *                                          g g g g
 *                                          b b b b
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_PLANES_H
#define CPU_CONV_PLANES_H

#include "core/conv_shape.h"
#include "core/vector.h"
#include <stddef.h>

/* Out channels that rungs of planes take: more of them fill more than half of a vector. */
enum { PLANES_OUT_MAX = VECTOR_LANES / 2 };

/* Pixels that are computed together: with the most out channels, the sums of two vectors of them fill half of the registers of
 * AVX-512 and AVX2. */
enum { PLANES_VECTORS = 2, PLANES_PIXELS = PLANES_VECTORS * VECTOR_LANES };

/* Calls function(out, ..) with a constant number of out channels, so that what is inlined there keeps its sums in registers. */
#define PLANES_CASE(out, function, ...)                                                                                \
    case out:                                                                                                          \
        function(out, __VA_ARGS__);                                                                                    \
        break;
#define PLANES_CASES_2(...) PLANES_CASE(1, __VA_ARGS__) PLANES_CASE(2, __VA_ARGS__)
#define PLANES_CASES_4(...) PLANES_CASES_2(__VA_ARGS__) PLANES_CASE(3, __VA_ARGS__) PLANES_CASE(4, __VA_ARGS__)
#define PLANES_CASES_8(...)                                                                                            \
    PLANES_CASES_4(__VA_ARGS__)                                                                                        \
    PLANES_CASE(5, __VA_ARGS__)                                                                                        \
    PLANES_CASE(6, __VA_ARGS__) PLANES_CASE(7, __VA_ARGS__) PLANES_CASE(8, __VA_ARGS__)
#if VECTOR_BYTES == 64
#define PLANES_CASES PLANES_CASES_8
#elif VECTOR_BYTES == 32
#define PLANES_CASES PLANES_CASES_4
#else
#define PLANES_CASES PLANES_CASES_2
#endif

/* Whether vectorising over pixels saves more time than copying x to planes and transposing the sums cost. */
bool conv_planes_pay(const ConvShape *shape);

/* floats of a row, a plane and an image: each the distance to the next one. */
typedef struct Planes {
    const float *x;
    size_t row, plane, image;
} Planes;

/* What the planes of a shape need: floats. Behind them lie PLANES_PIXELS more, zeros, which a row that ends early
 * may load. */
size_t conv_planes_size(const ConvShape *shape);

/* Writes x to `memory`, of conv_planes_size(), by `threads` threads. */
Planes conv_write_planes(const ConvShape *shape, const float *x, float *memory, int threads);

#endif
