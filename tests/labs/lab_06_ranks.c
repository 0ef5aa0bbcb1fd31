/* See lab_06_ranks.h. What is compared with is computed here, by nothing that a student may have changed.
 * SPDX-License-Identifier: MIT */
#include "lab_06_ranks.h"
#ifdef HAVE_MPI
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/process.h"
#include "grade.h"
#include "mpi/collectives/allreduce/05_ring.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/practice/practice.h"
#include "mpi/watch/watch.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16, LONG = 10007, LONGER = 300000 };
#define UNTOUCHED (-12345.0)

typedef struct Part {
    size_t first, count;
} Part;

/* One run: which function, on how long a vector. */
typedef struct Run {
    const char *exercise; /* "06.1" */
    Comm *comm;
    size_t n;
    bool in_place, minimum;
    double *x, *y; /* [GUARD + n + GUARD], in place the same */
} Run;

/* ---- the verdict ----------------------------------------------------------------------------------------------------------- */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void
say(const char *format, ...)
{
    const char *path = getenv(LAB_06_VERDICT);
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    if (file != stdout)
        fclose(file);
}

static void
say_unsolved(const char *exercise, const char *file, int line)
{
    say("unsolved %s %s %d", exercise, file, line);
}

/* True on all ranks if `wrong` is "" on all; else the first rank that has a sentence says it. */
static bool
all_right(Comm *comm, const char *wrong)
{
    int mine = wrong[0] != '\0' ? comm->rank : comm->size, first;
    CHECK_MPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (first == comm->rank)
        say("wrong rank %d: %s", comm->rank, wrong);
    return first == comm->size;
}

/* ---- what is right --------------------------------------------------------------------------------------------------------- */

static Part
part_of(size_t n, int p, int i)
{
    const size_t parts = (size_t)p, part = (size_t)i, longer = n % parts;
    return (Part){part * (n / parts) + (part < longer ? part : longer), n / parts + (part < longer)};
}

/* Exact in any order of summation, and different everywhere. */
static double
given(int rank, size_t i)
{
    return (rank + 1) * (double)(i % 251 + 1);
}

static double
reduced(const Run *run, size_t i)
{
    const int p = run->comm->size;
    return (double)(i % 251 + 1) * (run->minimum ? 1 : p * (p + 1) / 2);
}

/* Which elements this rank's result has; the others may hold anything. */
static Part
result_of(const Run *run)
{
    const Part whole = {0, run->n};
    return strcmp(run->exercise, "06.3") == 0 ? part_of(run->n, run->comm->size, run->comm->rank) : whole;
}

static double
wanted(const Run *run, size_t i)
{
    const Comm *comm = run->comm;
    if (strcmp(run->exercise, "06.5") == 0)
        return given((comm->rank + comm->size - 1) % comm->size, i);
    return reduced(run, i);
}

/* ---- one run --------------------------------------------------------------------------------------------------------------- */

static void
begin(Run *run)
{
    const size_t all = GUARD + run->n + GUARD;
    const Part mine = part_of(run->n, run->comm->size, run->comm->rank);
    run->y = ARRAY(double, all);
    run->x = run->in_place ? run->y : ARRAY(double, all);
    for (size_t i = 0; i < all; i++)
        run->x[i] = run->y[i] = UNTOUCHED;
    for (size_t i = 0; i < run->n; i++)
        run->y[GUARD + i] = NAN;
    for (size_t i = 0; i < run->n; i++)
        run->x[GUARD + i] = given(run->comm->rank, i);
    if (strcmp(run->exercise, "06.4") == 0) /* what the reduce-scatter leaves: my chunk is done */
        for (size_t i = 0; i < mine.count; i++)
            run->y[GUARD + mine.first + i] = reduced(run, mine.first + i);
}

static void
call(Run *run)
{
    const Reduction op = run->minimum ? REDUCTION_MIN : REDUCTION_SUM;
    const double *x = run->x + GUARD;
    double *y = run->y + GUARD;
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

static void
end(Run *run)
{
    if (!run->in_place)
        array_free(run->x);
    array_free(run->y);
}

static void
compare(const Run *run, char *wrong, size_t size)
{
    const Part result = result_of(run);
    for (size_t i = result.first; i < result.first + result.count; i++) {
        const double got = run->y[GUARD + i];
        if (!(got == wanted(run, i))) {
            snprintf(wrong, size, "n = %zu%s: element %zu is %g, want %g", run->n, run->minimum ? ", the minimum" : "",
                     i, got, wanted(run, i));
            return;
        }
    }
    for (size_t i = 0; i < GUARD; i++)
        if (run->y[i] != UNTOUCHED || run->y[GUARD + run->n + i] != UNTOUCHED) {
            snprintf(wrong, size, "n = %zu: something was written before or behind y", run->n);
            return;
        }
}

/* ---- what the tests ask ---------------------------------------------------------------------------------------------------- */

static bool
results(Run run, bool minimum)
{
    const size_t p = (size_t)run.comm->size, lengths[] = {0, 1, p - 1, p, p + 1, 1000, LONG};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        char wrong[256] = "";
        run.n = lengths[l];
        run.minimum = minimum;
        begin(&run);
        call(&run);
        compare(&run, wrong, sizeof(wrong));
        end(&run);
        if (!all_right(run.comm, wrong))
            return false;
    }
    return true;
}

static bool
input_is_left_alone(Run run)
{
    char wrong[256] = "";
    run.n = 1000;
    begin(&run);
    call(&run);
    for (size_t i = 0; i < run.n && wrong[0] == '\0'; i++)
        if (run.x[GUARD + i] != given(run.comm->rank, i))
            snprintf(wrong, sizeof(wrong), "x[%zu] was changed", i);
    end(&run);
    return all_right(run.comm, wrong);
}

/* Messages and elements that this rank may send. */
static void
allowed(const Run *run, int64_t *messages, int64_t *elements)
{
    const int p = run->comm->size, r = run->comm->rank;
    const int64_t n = (int64_t)run->n;
    *messages = p - 1;
    switch (run->exercise[3]) {
    case '1':
        *messages = r == 0 ? p - 1 : 1;
        *elements = *messages * n;
        break;
    case '3':
        *elements = n - (int64_t)part_of(run->n, p, r).count;
        break; /* all chunks but mine */
    case '4':
        *elements = n - (int64_t)part_of(run->n, p, (r + 1) % p).count;
        break; /* all but the next one's */
    default:
        *messages = 1;
        *elements = n;
        break;
    }
}

static bool
counts(Run run)
{
    char wrong[256] = "";
    int64_t messages, elements;
    run.n = LONG;
    begin(&run);
    watch_begin();
    call(&run);
    const WatchCounts counted = watch_end(run.comm->mpi);
    allowed(&run, &messages, &elements);
    const int64_t sent = counted.mine.sent_bytes / (int64_t)sizeof(double);
    compare(&run, wrong, sizeof(wrong));
    if (wrong[0] == '\0' && (counted.mine.sent > messages || sent > elements || counted.mine.collectives > 0))
        snprintf(wrong, sizeof(wrong),
                 "n = %zu: %lld messages with %lld elements were sent, and %lld collectives of the library called; "
                 "%lld with %lld do, and no collective",
                 run.n, (long long)counted.mine.sent, (long long)sent, (long long)counted.mine.collectives,
                 (long long)messages, (long long)elements);
    end(&run);
    return all_right(run.comm, wrong);
}

/* Every send waits for its receiver: a run that depends on luck does not come back, and the watchdog ends it. */
static bool
strict(Run run)
{
    char wrong[256] = "";
    run.n = LONGER;
    begin(&run);
    watch_strict(true);
    call(&run);
    watch_strict(false);
    compare(&run, wrong, sizeof(wrong));
    end(&run);
    return all_right(run.comm, wrong);
}

static bool
work(Run run, const char *what)
{
    if (strcmp(what, "results") == 0)
        return results(run, false) && (run.exercise[3] == '5' || results(run, true));
    run.in_place = strcmp(what, "in place") == 0;
    if (run.in_place)
        return results(run, false);
    if (strcmp(what, "input") == 0)
        return input_is_left_alone(run);
    return strcmp(what, "counts") == 0 ? counts(run) : strict(run);
}

static int
lab_06_work(const char *what)
{
    char exercise[5] = "";
    process_start(NULL, NULL);
    snprintf(exercise, sizeof(exercise), "%.4s", what);
    checked_unsolved_hook = say_unsolved;
    Run run = {.exercise = exercise, .comm = comm_create(MPI_COMM_WORLD, 0)};
    const bool right = work(run, what + 5);
    if (right && run.comm->rank == 0)
        say("ok");
    comm_free(run.comm);
    process_stop();
    return 0;
}

__attribute__((constructor)) static void
register_work(void)
{
    grade_ranks = lab_06_work;
}

#endif
