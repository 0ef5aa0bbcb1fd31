/* conv, peer: im2col and cblas_sgemm of OpenBLAS. SPDX-License-Identifier: MIT */
#include "cpu/conv/peers.h"
#include "cpu/gemm/peers.h"

void
conv_im2col_openblas(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    conv_im2col_by(gemm_openblas, s, x, w, epilogue, y);
}
