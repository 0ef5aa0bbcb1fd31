/* The ladders of the CPU: `rungs bench NAME` measures them. SPDX-License-Identifier: MIT */
#ifndef CPU_LADDERS_H
#define CPU_LADDERS_H

#include "ladder/ladder.h"

extern const Ladder gemv_ladder; /* cpu/gemv/ladder.c */
extern const Ladder gemm_ladder; /* cpu/gemm/ladder.c */
extern const Ladder spmm_ladder; /* cpu/spmm/ladder.c */

extern const Ladder gemm_bf16_ladder; /* cpu/gemm_bf16/ladder.c */
extern const Ladder gemm_int8_ladder; /* cpu/gemm_int8/ladder.c */

extern const Ladder conv_ladder;                 /* cpu/conv/ladder.c */
extern const Ladder conv_input_gradient_ladder;  /* cpu/conv_input_gradient/ladder.c */
extern const Ladder conv_weight_gradient_ladder; /* cpu/conv_weight_gradient/ladder.c */

extern const Ladder sigmoid_ladder, tanh_ladder, relu_ladder; /* cpu/activation/ladder.c */
extern const Ladder sigmoid_gradient_ladder, tanh_gradient_ladder, relu_gradient_ladder;
extern const Ladder softmax_ladder;                            /* cpu/softmax/ladder.c */
extern const Ladder max_pool_ladder, max_pool_gradient_ladder; /* cpu/pool/ladder.c */
extern const Ladder average_pool_ladder, average_pool_gradient_ladder;
extern const Ladder batch_norm_ladder, batch_norm_infer_ladder; /* cpu/norm/ladder.c */
extern const Ladder batch_norm_gradient_ladder, layer_norm_ladder, layer_norm_gradient_ladder;
extern const Ladder sgd_ladder, momentum_ladder, adam_ladder; /* cpu/optimizer/ladder.c */

#endif
