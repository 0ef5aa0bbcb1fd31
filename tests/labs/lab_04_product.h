/* Matrix products for the tests of lab 04, whose results are known exactly: all numbers are small whole ones, so that every order
 * of every sum gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_04_PRODUCT_H
#define TESTS_LABS_LAB_04_PRODUCT_H

#include "core/rng.h"
#include "cpu/gemm/gemm.h"
#include <stddef.h>

typedef struct Lab04Shape {
    int M, N, K;
} Lab04Shape;

/* How the operands are stored, and BLAS's two factors. */
typedef struct Lab04Way {
    bool transpose_a, transpose_b;
    float alpha, beta;
} Lab04Way;

/* Calls gemm and compares every element of C. The rows of A, B and C are a few floats longer than their matrices: what stands
 * there is poison in A and B, and must stay as it is in C; so must the guard words around C. With beta = 0 all of C is poison. */
void lab_04_check(Gemm *gemm, Rng *rng, Lab04Shape shape, Lab04Way way);

/* The same for each of the shapes, C = A B. */
void lab_04_check_shapes(Gemm *gemm, const Lab04Shape *shapes, size_t count);

/* One shape with each of A and B stored transposed, or both. */
void lab_04_check_transposes(Gemm *gemm, Lab04Shape shape);

/* One shape, and one with K = 0, with several alpha and beta. */
void lab_04_check_factors(Gemm *gemm, Lab04Shape shape);

#endif
