/* Matrix products for the tests of labs, whose results are known exactly: all numbers are small whole ones, so that every order
 * of every sum gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_GRADE_PRODUCT_H
#define TESTS_LABS_GRADE_PRODUCT_H

#include "core/rng.h"
#include "cpu/gemm/gemm.h"
#include <stddef.h>

typedef struct ProductShape {
    int M, N, K;
} ProductShape;

/* How the operands are stored, and BLAS's two factors. */
typedef struct ProductWay {
    bool transpose_a, transpose_b;
    float alpha, beta;
} ProductWay;

/* Calls gemm and compares every element of C. The rows of A, B and C are a few floats longer than their matrices: what stands
 * there is poison in A and B, and must stay as it is in C; so must the guard words around C. With beta = 0 all of C is poison. */
void grade_product(Gemm *gemm, Rng *rng, ProductShape shape, ProductWay way);

/* The same for each of the shapes, C = A B. */
void grade_product_shapes(Gemm *gemm, const ProductShape *shapes, size_t count);

/* One shape with each of A and B stored transposed, or both. */
void grade_product_transposes(Gemm *gemm, ProductShape shape);

/* One shape, and one with K = 0, with several alpha and beta. */
void grade_product_factors(Gemm *gemm, ProductShape shape);

#endif
