/* The ladders of the CPU: `rungs bench NAME` measures them. SPDX-License-Identifier: MIT */
#ifndef CPU_LADDERS_H
#define CPU_LADDERS_H

#include "ladder/ladder.h"

extern const Ladder gemv_ladder; /* cpu/gemv/ladder.c */
extern const Ladder gemm_ladder; /* cpu/gemm/ladder.c */
extern const Ladder spmm_ladder; /* cpu/spmm/ladder.c */

extern const Ladder gemm_bf16_ladder; /* cpu/gemm_bf16/ladder.c */
extern const Ladder gemm_int8_ladder; /* cpu/gemm_int8/ladder.c */

#endif
