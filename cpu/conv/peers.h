/* The peers of conv: libraries that are loaded if they are here. Not rungs of ours.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_PEERS_H
#define CPU_CONV_PEERS_H

#include "core/error.h"
#include "cpu/conv/conv.h"
#include "cpu/gemm/gemm.h"

/* Rung 2 with any gemm. */
void conv_im2col_by(Gemm *gemm, const ConvShape *shape, const float *x, const float *w, const Epilogue *epilogue,
                    float *y);

ConvForward conv_im2col_openblas; /* with OpenBLAS's; the rest is in cpu/openblas.h */

/* oneDNN's primitive, in its own layouts. It is kept for the next call: prepare() makes it and converts x and w, run() is what
 * is timed, whatever it is given, fetch() writes y. Without epilogue. */
bool conv_onednn_accepts(const ConvShape *shape, Error *reason);
void conv_onednn_prepare(const ConvShape *shape, const float *x, const float *w);
ConvForward conv_onednn_run;
void conv_onednn_fetch(float *y);

/* What it chose for the shape that was prepared last. */
const char *conv_onednn_name(void);

#endif
