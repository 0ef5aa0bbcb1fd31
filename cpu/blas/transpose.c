/* How the BLAS says that a matrix is to be transposed. SPDX-License-Identifier: MIT */
#include "cpu/blas/internal.h"

int
blas_transpose_letter(const char *letter)
{
    switch (*letter) {
    case 'N':
    case 'n':
        return 0;
    case 'T':
    case 't':
    case 'C':
    case 'c':
        return 1;
    default:
        return BLAS_UNKNOWN;
    }
}

int
blas_transpose_number(int number)
{
    switch (number) {
    case BLAS_NO_TRANSPOSE:
        return 0;
    case BLAS_TRANSPOSE:
    case BLAS_CONJUGATE_TRANSPOSE:
        return 1;
    default:
        return BLAS_UNKNOWN;
    }
}
