/* The same numbers in PyTorch's order. Images are [height][width][channels] here and [channels][height][width] there, so two kinds
 * of weights differ; they are transposed where files are written and read, and nowhere else.
 *
 *     convolution           [KH][KW][IC][OC]                        [OC][IC][KH][KW]
 *     dense after an image  [out][height][width][channels]          [out][channels][height][width]
 *
 * SPDX-License-Identifier: MIT */
#ifndef NN_TORCH_LAYOUT_H
#define NN_TORCH_LAYOUT_H

#include "nn/net.h"

/* PyTorch's shape of the parameter. */
void torch_shape(const Parameter *parameter, size_t shape[4]);

/* The parameter's count numbers from our order to PyTorch's and back. The arrays do not overlap. */
void torch_from_ours(const Parameter *parameter, const float *ours, float *theirs);
void torch_to_ours(const Parameter *parameter, const float *theirs, float *ours);

#endif
