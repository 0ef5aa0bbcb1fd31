/* Illegal arguments, reported as the BLAS does it: through a routine that the program may replace by its own.
 *
 * xerbla_ and cblas_xerbla are weak references: those of the program are called, or those of its BLAS. Without either, ours print
 * a sentence and end the program, as the reference's do.
 *
 * cblas_xerbla has a history. The reference computes a row-major product as the column-major product of the same memory, with
 * M and N, A and B exchanged, and its checks find the exchanged arguments. It reports their numbers, and its cblas_xerbla exchanges
 * them back where the global variable RowMajorStrg is set. Its test programs do the same, and set the variable themselves. So:
 * where that variable exists and is set, the listener wants the number of the exchanged argument; else the true one.
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not ours, so the names are not either. The length is the one that Fortran passes behind the arguments. */
extern void xerbla_(const char *routine, const int *parameter, size_t length) __attribute__((weak));
extern void cblas_xerbla(int parameter, const char *routine, const char *format, ...) __attribute__((weak));
extern int RowMajorStrg __attribute__((weak));

static _Noreturn void
end_program(const char *routine, size_t length, int parameter)
{
    fprintf(stderr, "librungs_blas: parameter %d of %.*s has an illegal value\n", parameter, (int)length, routine);
    exit(1);
}

void
blas_illegal(const char *routine, int parameter)
{
    if (!xerbla_)
        end_program(routine, strcspn(routine, " "), parameter);
    xerbla_(routine, &parameter, strlen(routine));
}

void
blas_illegal_c(const char *routine, int parameter, int mirrored)
{
    if (!cblas_xerbla)
        end_program(routine, strlen(routine), parameter);
    cblas_xerbla(&RowMajorStrg && RowMajorStrg ? mirrored : parameter, routine, "");
}
