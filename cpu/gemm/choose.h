/* The rungs of gemm by their names: for `--kernels RUNG` (cpu/backend.c) and for RUNGS_GEMM of the drop-in BLAS (cpu/blas/).
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_CHOOSE_H
#define CPU_GEMM_CHOOSE_H

#include "cpu/gemm/gemm.h"

typedef struct GemmChoice {
    const char *name; /* NULL ends the table */
    Gemm *run;
} GemmChoice;

/* From the bottom of the ladder to its top. Peers are no rungs: the drop-in BLAS could end up calling itself. */
extern const GemmChoice gemm_choices[];

/* The rung of this name; NULL if there is none. */
const GemmChoice *gemm_by_name(const char *name);

/* The top rung. */
const GemmChoice *gemm_best(void);

#endif
