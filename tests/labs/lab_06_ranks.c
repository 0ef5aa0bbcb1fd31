/* See lab_06_ranks.h. SPDX-License-Identifier: MIT */
#include "lab_06_ranks.h"
#ifdef HAVE_MPI
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/process.h"
#include "grade.h"
#include "lab_06_run.h"
#include "mpi/watch/watch.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 10007, LONGER = 300000 };

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

/* ---- what the tests ask ---------------------------------------------------------------------------------------------------- */

static bool
results(Lab06Run run, bool minimum)
{
    const size_t p = (size_t)run.comm->size, lengths[] = {0, 1, p - 1, p, p + 1, 1000, LONG};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        char wrong[256] = "";
        run.n = lengths[l];
        run.minimum = minimum;
        lab_06_begin(&run);
        lab_06_call(&run);
        lab_06_compare(&run, wrong, sizeof(wrong));
        lab_06_end(&run);
        if (!all_right(run.comm, wrong))
            return false;
    }
    return true;
}

static bool
input_is_left_alone(Lab06Run run)
{
    char wrong[256] = "";
    run.n = 1000;
    lab_06_begin(&run);
    lab_06_call(&run);
    for (size_t i = 0; i < run.n && wrong[0] == '\0'; i++)
        if (run.x[LAB_06_GUARD + i] != lab_06_given(run.comm->rank, i))
            snprintf(wrong, sizeof(wrong), "x[%zu] was changed", i);
    lab_06_end(&run);
    return all_right(run.comm, wrong);
}

/* Messages and elements that this rank may send. */
static void
allowed(const Lab06Run *run, int64_t *messages, int64_t *elements)
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
        *elements = n - (int64_t)lab_06_part(run->n, p, r).count;
        break; /* all chunks but mine */
    case '4':
        *elements = n - (int64_t)lab_06_part(run->n, p, (r + 1) % p).count;
        break; /* all but the next one's */
    default:
        *messages = 1;
        *elements = n;
        break;
    }
}

static bool
counts(Lab06Run run)
{
    char wrong[256] = "";
    int64_t messages, elements;
    run.n = LONG;
    lab_06_begin(&run);
    watch_begin();
    lab_06_call(&run);
    const WatchCounts counted = watch_end(run.comm->mpi);
    allowed(&run, &messages, &elements);
    const int64_t sent = counted.mine.sent_bytes / (int64_t)sizeof(double);
    lab_06_compare(&run, wrong, sizeof(wrong));
    if (wrong[0] == '\0' && (counted.mine.sent > messages || sent > elements || counted.mine.collectives > 0))
        snprintf(wrong, sizeof(wrong),
                 "n = %zu: %lld messages with %lld elements were sent, and %lld collectives of the library called; "
                 "%lld with %lld do, and no collective",
                 run.n, (long long)counted.mine.sent, (long long)sent, (long long)counted.mine.collectives,
                 (long long)messages, (long long)elements);
    lab_06_end(&run);
    return all_right(run.comm, wrong);
}

/* Every send waits for its receiver: a run that depends on luck does not come back, and the watchdog ends it. */
static bool
strict(Lab06Run run)
{
    char wrong[256] = "";
    run.n = LONGER;
    lab_06_begin(&run);
    watch_strict(true);
    lab_06_call(&run);
    watch_strict(false);
    lab_06_compare(&run, wrong, sizeof(wrong));
    lab_06_end(&run);
    return all_right(run.comm, wrong);
}

static bool
work(Lab06Run run, const char *what)
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
    Lab06Run run = {.exercise = exercise, .comm = comm_create(MPI_COMM_WORLD, 0)};
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
