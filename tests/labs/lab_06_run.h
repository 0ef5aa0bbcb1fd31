/* One call of a student's function on one rank of lab 06, and what is right. Nothing here uses what a student may have changed.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_06_RUN_H
#define TESTS_LABS_LAB_06_RUN_H

#include "mpi/comm.h"

enum { LAB_06_GUARD = 16 };

typedef struct Lab06Part {
    size_t first, count;
} Lab06Part;

/* One run: which function, on how long a vector. */
typedef struct Lab06Run {
    const char *exercise; /* "06.1" */
    Comm *comm;
    size_t n;
    bool in_place, minimum;
    double *x, *y; /* [LAB_06_GUARD + n + LAB_06_GUARD], in place the same */
} Lab06Run;

Lab06Part lab_06_part(size_t n, int p, int i); /* where part i begins, and its length */
double lab_06_given(int rank, size_t i);       /* element i of that rank's vector */

/* Vectors with guards: x given, y not a number; calls the function of the exercise; frees them. */
void lab_06_begin(Lab06Run *run);
void lab_06_call(Lab06Run *run);
void lab_06_end(Lab06Run *run);

/* A sentence into wrong[size], which is left alone if all is right. */
void lab_06_compare(const Lab06Run *run, char *wrong, size_t size);

#endif
