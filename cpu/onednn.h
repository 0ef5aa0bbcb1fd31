/* oneDNN, a peer: loaded at the first call. Matrices are row-major here and there.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_ONEDNN_H
#define CPU_ONEDNN_H

#include "core/error.h"
#include "core/library.h"
#include <stdint.h>

/* dnnl_sgemm: C = alpha op(A) op(B) + beta C; transpose is 'N' or 'T'; returns 0. */
typedef int OnednnSgemm(char transpose_a, char transpose_b, int64_t M, int64_t N, int64_t K, float alpha,
                        const float *A, int64_t lda, const float *B, int64_t ldb, float beta, float *C, int64_t ldc);

/* NULL with a sentence where there is none. */
OnednnSgemm *onednn_sgemm(Error *error);

/* Another function by its name, dnnl_.., to be cast to its type; NULL with a sentence. */
LibraryFunction *onednn_function(const char *name, Error *error);

/* For the tables of rungs (ladder/ladder.h): is it here; "oneDNN 2.6.3, avx512_core_bf16", or why not; how many threads. */
bool onednn_accepts(const int *size, Error *reason);
const char *onednn_describe(void);
void onednn_use_threads(int threads);

/* ---- the matmul primitive: chosen and compiled for one shape, then run any number of times ---- */

typedef enum OnednnType { /* oneDNN's own numbers */
                          ONEDNN_BF16 = 2,
                          ONEDNN_FLOAT = 3,
                          ONEDNN_INT32 = 4,
                          ONEDNN_INT8 = 5,
                          ONEDNN_UINT8 = 6
} OnednnType;

/* A matrix whose element (i, j) is stored i * row_step + j * column_step elements behind the first. */
typedef struct OnednnMatrix {
    OnednnType type;
    int rows, columns;
    int64_t row_step, column_step;
} OnednnMatrix;

typedef struct OnednnMatmul OnednnMatmul;

/* C = A B. NULL with a sentence if oneDNN is not here or does not take these types. Rows and columns are at least 1. */
OnednnMatmul *onednn_matmul_create(const OnednnMatrix *a, const OnednnMatrix *b, const OnednnMatrix *c, Error *error);

/* *kept if it was made for these matrices, else a new one that takes its place: as a framework keeps those of its layers, since the
 * preparation takes a thousand times a small product. *kept begins as NULL. Not for several threads at once. */
OnednnMatmul *onednn_matmul_keep(OnednnMatmul **kept, const OnednnMatrix *a, const OnednnMatrix *b,
                                 const OnednnMatrix *c, Error *error);
void onednn_matmul_run(OnednnMatmul *matmul, const void *A, const void *B, void *C);
void onednn_matmul_free(OnednnMatmul *matmul);

/* The implementation that oneDNN chose: "brg:avx512_core". */
const char *onednn_matmul_name(const OnednnMatmul *matmul);

#endif
