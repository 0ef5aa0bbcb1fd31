/* oneDNN's convolution and its gradients, peers: chosen and compiled for one shape, with the layouts that it prefers for all
 * tensors. Functions of their own convert between those and ours, so that its run alone can be timed.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_ONEDNN_CONV_H
#define CPU_ONEDNN_CONV_H

#include "core/conv_shape.h"
#include "core/error.h"

typedef struct OnednnConv OnednnConv;

/* What is computed from the two others: y from x and w, dx from w and dy, dw from x and dy. */
typedef enum OnednnConvKind { ONEDNN_CONV, ONEDNN_CONV_INPUT_GRADIENT, ONEDNN_CONV_WEIGHT_GRADIENT } OnednnConvKind;

/* NULL with a sentence if oneDNN is not here or does not take the shape. Nothing in it may be 0; one group. */
OnednnConv *onednn_conv_create(OnednnConvKind kind, const ConvShape *shape, Error *error);

/* Converts the inputs, in the order above (conv.h has their layouts), runs, and writes the output, of which only run()
 * would be timed. set() also forgets the last output: it is NaN until run(). */
void onednn_conv_set(OnednnConv *conv, const float *first, const float *second);
void onednn_conv_run(OnednnConv *conv);
void onednn_conv_get(OnednnConv *conv, float *output);
void onednn_conv_free(OnednnConv *conv);

/* The implementation that oneDNN chose: "jit_wino_4x3:avx512_core". */
const char *onednn_conv_name(const OnednnConv *conv);

#endif
