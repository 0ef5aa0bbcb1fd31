/* See lab_05_practice.h. SPDX-License-Identifier: MIT */
#include "lab_05_practice.h"
#include "core/array.h"
#include "gpu/practice/practice.h"
#include "grade.h"
#include "lab_05_kernels.h"
#include <stdio.h>

void
lab_05_row_sums(int rows, int columns, int ldx, bool watched)
{
    GpuRowSums *row_sums = (GpuRowSums *)lab_05_open("launch_row_sums");
    const size_t n = (size_t)rows * (size_t)ldx;
    float *x = ARRAY(float, n), *got = ARRAY(float, rows);
    double *want = ARRAY(double, rows);
    Rng rng = grade_rng();
    grade_poison_floats(x, n);
    grade_poison_floats(got, (size_t)rows);
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < (size_t)columns; j++) {
            x[i * (size_t)ldx + j] = (float)rng_below(&rng, 9) - 4;
            want[i] += (double)x[i * (size_t)ldx + j];
        }
    float *dx = lab_05_to_device(x, n), *sums = lab_05_to_device(got, (size_t)rows);
    lab_05_watch();
    row_sums(rows, columns, dx, ldx, sums);
    if (watched)
        lab_05_no_findings("row_sums");
    lab_05_wait("row_sums");
    lab_05_from_device(got, sums, (size_t)rows);
    if (!watched)
        grade_floats(got, want, (size_t)rows, 1, 0, "sums of %d rows of %d", rows, columns);
    lab_05_free(dx);
    lab_05_free(sums);
    array_free(x);
    array_free(got);
    array_free(want);
}

void
lab_05_axpy(int n, bool watched)
{
    GpuAxpy *axpy = (GpuAxpy *)lab_05_open("launch_axpy");
    float *x = ARRAY(float, n), *y = ARRAY(float, n);
    double *want = ARRAY(double, n);
    Rng rng = grade_rng();
    for (int i = 0; i < n; i++) {
        x[i] = (float)rng_below(&rng, 9) - 4;
        y[i] = (float)rng_below(&rng, 9) - 4;
        want[i] = -3 * (double)x[i] + (double)y[i];
    }
    float *dx = lab_05_to_device(x, (size_t)n), *dy = lab_05_to_device(y, (size_t)n);
    char what[32];
    snprintf(what, sizeof(what), "n = %d", n);
    lab_05_watch();
    axpy(n, -3, dx, dy);
    if (watched)
        lab_05_no_findings(what);
    lab_05_wait(what);
    lab_05_from_device(y, dy, (size_t)n);
    if (!watched)
        grade_floats(y, want, (size_t)n, 1, 0, "n = %d", n);
    lab_05_free(dx);
    lab_05_free(dy);
    array_free(x);
    array_free(y);
    array_free(want);
}
