/* What the ranks of lab 06 do for a test of lab_06.c (grade_ranks.h). SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "grade_ranks.h"
#include "lab_06_run.h"
#include "mpi/watch/watch.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 10007, LONGER = 300000 };

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
        if (!grade_agree(run.comm, wrong))
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
    return grade_agree(run.comm, wrong);
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
    return grade_agree(run.comm, wrong);
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
    return grade_agree(run.comm, wrong);
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

static bool
lab_06_work(Comm *comm, const char *exercise, const char *what)
{
    return work((Lab06Run){.exercise = exercise, .comm = comm}, what);
}

GRADE_RANKS_WORK("06", lab_06_work)

#endif
