/* The ladder's predictions, in seconds of one call; size is M, N, K and the entries in 1000 places of A.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SPMM_MODELS_H
#define CPU_SPMM_MODELS_H

#include "ladder/ladder.h"

/* Entries of A: a size says so exactly. */
size_t spmm_entries(const int *size);

typedef double SpmmModel(const int *size, int threads, const Machine *machine);

SpmmModel spmm_predict_naive, spmm_predict_reordered, spmm_predict_vector, spmm_predict_packed, spmm_predict_openmp,
    spmm_predict_dense;

#endif
