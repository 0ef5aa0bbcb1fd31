/* The two small kernels of lab 05, with inputs of whole numbers, so that results are exact. `watched`: what counts is not the
 * result, but that the emulator finds no mistake; counts begin anew before the launch.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_05_PRACTICE_H
#define TESTS_LABS_LAB_05_PRACTICE_H

#include <stdbool.h>

/* launch_row_sums; the gaps between the rows are poison. */
void lab_05_row_sums(int rows, int columns, int ldx, bool watched);

/* launch_axpy. */
void lab_05_axpy(int n, bool watched);

#endif
