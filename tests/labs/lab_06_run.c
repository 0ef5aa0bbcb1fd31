/* See lab_06_run.h. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "lab_06_run.h"
#include "core/array.h"
#include "mpi/collectives/allreduce/05_ring.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/practice/practice.h"
#include "mpi/watch/watch.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED (-12345.0)

/* ---- what is right --------------------------------------------------------------------------------------------------------- */

Lab06Part
lab_06_part(size_t n, int p, int i)
{
    const size_t parts = (size_t)p, part = (size_t)i, longer = n % parts;
    return (Lab06Part){part * (n / parts) + (part < longer ? part : longer), n / parts + (part < longer)};
}

/* Exact in any order of summation, and different everywhere. */
double
lab_06_given(int rank, size_t i)
{
    return (rank + 1) * (double)(i % 251 + 1);
}

static double
reduced(const Lab06Run *run, size_t i)
{
    const int p = run->comm->size;
    return (double)(i % 251 + 1) * (run->minimum ? 1 : p * (p + 1) / 2);
}

/* Which elements this rank's result has; the others may hold anything. */
static Lab06Part
result_of(const Lab06Run *run)
{
    const Lab06Part whole = {0, run->n};
    return strcmp(run->exercise, "06.3") == 0 ? lab_06_part(run->n, run->comm->size, run->comm->rank) : whole;
}

static double
wanted(const Lab06Run *run, size_t i)
{
    const Comm *comm = run->comm;
    if (strcmp(run->exercise, "06.5") == 0)
        return lab_06_given((comm->rank + comm->size - 1) % comm->size, i);
    return reduced(run, i);
}

/* ---- one run --------------------------------------------------------------------------------------------------------------- */

void
lab_06_begin(Lab06Run *run)
{
    const size_t all = LAB_06_GUARD + run->n + LAB_06_GUARD;
    const Lab06Part mine = lab_06_part(run->n, run->comm->size, run->comm->rank);
    run->y = ARRAY(double, all);
    run->x = run->in_place ? run->y : ARRAY(double, all);
    for (size_t i = 0; i < all; i++)
        run->x[i] = run->y[i] = UNTOUCHED;
    for (size_t i = 0; i < run->n; i++)
        run->y[LAB_06_GUARD + i] = NAN;
    for (size_t i = 0; i < run->n; i++)
        run->x[LAB_06_GUARD + i] = lab_06_given(run->comm->rank, i);
    if (strcmp(run->exercise, "06.4") == 0) /* what the reduce-scatter leaves: my chunk is done */
        for (size_t i = 0; i < mine.count; i++)
            run->y[LAB_06_GUARD + mine.first + i] = reduced(run, mine.first + i);
}

void
lab_06_call(Lab06Run *run)
{
    const Reduction op = run->minimum ? REDUCTION_MIN : REDUCTION_SUM;
    const double *x = run->x + LAB_06_GUARD;
    double *y = run->y + LAB_06_GUARD;
    watch_phase("exercise %s, %zu elements", run->exercise, run->n);
    switch (run->exercise[3]) {
    case '1':
        allreduce_naive(run->comm, x, y, run->n, ELEMENT_DOUBLE, op);
        break;
    case '3':
        ring_reduce_scatter(run->comm, x, y, run->n, ELEMENT_DOUBLE, op);
        break;
    case '4':
        ring_all_gather(run->comm, y, run->n, ELEMENT_DOUBLE);
        break;
    default:
        ring_shift(run->comm, x, y, run->n, ELEMENT_DOUBLE);
        break;
    }
}

void
lab_06_end(Lab06Run *run)
{
    if (!run->in_place)
        array_free(run->x);
    array_free(run->y);
}

void
lab_06_compare(const Lab06Run *run, char *wrong, size_t size)
{
    const Lab06Part result = result_of(run);
    for (size_t i = result.first; i < result.first + result.count; i++) {
        const double got = run->y[LAB_06_GUARD + i];
        if (!(got == wanted(run, i))) {
            snprintf(wrong, size, "n = %zu%s: element %zu is %g, want %g", run->n, run->minimum ? ", the minimum" : "",
                     i, got, wanted(run, i));
            return;
        }
    }
    for (size_t i = 0; i < LAB_06_GUARD; i++)
        if (run->y[i] != UNTOUCHED || run->y[LAB_06_GUARD + run->n + i] != UNTOUCHED) {
            snprintf(wrong, size, "n = %zu: something was written before or behind y", run->n);
            return;
        }
}

#endif
