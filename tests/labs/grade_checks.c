/* What the labs' tests call: random inputs and comparisons, in the process of the test. Running them is grade_run.c's.
 * SPDX-License-Identifier: MIT */
#include "grade_run.h"
#include "ladder/verify.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE = 512 };

/* A list that constructors fill before main: a linker's order is nobody's choice, so it is kept sorted here. */
static GradeLab *first_lab;
int (*grade_ranks)(const char *what);

void
grade_register(GradeLab *lab)
{
    GradeLab **place = &first_lab;
    while (*place && strcmp((*place)->number, lab->number) < 0)
        place = &(*place)->next;
    lab->next = *place;
    *place = lab;
}

GradeLab *
grade_labs(void)
{
    return first_lab;
}

Rng
grade_rng(void)
{
    return rng_create(grade_shared->seed, grade_shared->stream);
}

double
grade_uniform(Rng *rng, double low, double high)
{
    return low + (high - low) * rng_uniform(rng);
}

void
grade_fill(Rng *rng, double *x, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++)
        x[i] = grade_uniform(rng, low, high);
}

/* ---- poison: what was never written ---------------------------------------------------------------------------------- */

/* A signalling NaN with a number of its own. Copying keeps it as it is; whoever computes with it gets the quiet one, in which
 * one bit more is set. So three things can be told apart: not written, computed from what was not written, any other NaN. */
static const uint64_t POISON = 0x7ff0dead0000dead, QUIET = 0x0008000000000000;
static const uint32_t POISON_FLOAT = 0x7f80dead, QUIET_FLOAT = 0x00400000;

void
grade_poison(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(&x[i], &POISON, sizeof(x[i]));
}

void
grade_poison_floats(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(&x[i], &POISON_FLOAT, sizeof(x[i]));
}

typedef enum Written { WRITTEN, FROM_UNWRITTEN, UNWRITTEN } Written;

static Written
written(const double *x)
{
    uint64_t bits, sign = (uint64_t)1 << 63;
    memcpy(&bits, x, sizeof(bits));
    return bits == POISON ? UNWRITTEN : (bits & ~sign) == (POISON | QUIET) ? FROM_UNWRITTEN : WRITTEN;
}

static Written
written_float(const float *x)
{
    uint32_t bits, sign = (uint32_t)1 << 31;
    memcpy(&bits, x, sizeof(bits));
    return bits == POISON_FLOAT ? UNWRITTEN : (bits & ~sign) == (POISON_FLOAT | QUIET_FLOAT) ? FROM_UNWRITTEN : WRITTEN;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------------- */

/* Ends the test with the sentence `what` (as printf) and `rest` behind it, in a function that has `what` and ... */
#define FAIL_TEST(rest)                                                                                                \
    do {                                                                                                               \
        char sentence[SENTENCE];                                                                                       \
        va_list arguments;                                                                                             \
        va_start(arguments, what);                                                                                     \
        vsnprintf(sentence, sizeof(sentence), what, arguments);                                                        \
        va_end(arguments);                                                                                             \
        ck_abort_msg("%s%s", sentence, rest);                                                                          \
    } while (0)

void
grade_that(bool condition, const char *what, ...)
{
    grade_shared->comparisons++;
    if (condition)
        return;
    FAIL_TEST("");
}

/* ": 3 of 5 wrong, first [1][0]: got 0.5, want 0.3775" or ": 5 of 5 wrong, first [0]: not written, want 0.3775" */
static void
describe(const Verdict *verdict, size_t columns, Written first, const char *wanted, char *text, size_t size)
{
    char place[64], got[64];
    if (columns == 1)
        snprintf(place, sizeof(place), "[%zu]", verdict->first);
    else
        snprintf(place, sizeof(place), "[%zu][%zu]", verdict->first / columns, verdict->first % columns);
    if (first == WRITTEN)
        snprintf(got, sizeof(got), "got %.10g", verdict->got);
    else
        snprintf(got, sizeof(got), "%s", first == UNWRITTEN ? "not written" : "computed from a number never written");
    snprintf(text, size, ": %zu of %zu wrong, first %s: %s, %s %.10g", verdict->wrong, verdict->count, place, got,
             wanted, verdict->want);
    grade_shared->unwritten = first == UNWRITTEN;
}

void
grade_doubles(const double *got, const double *want, size_t rows, size_t columns, double tolerance, const char *what,
              ...)
{
    grade_shared->comparisons++;
    Verdict verdict = verify_doubles(got, want, rows * columns, tolerance, tolerance);
    if (verdict_ok(&verdict))
        return;
    char rest[SENTENCE];
    describe(&verdict, columns, written(&got[verdict.first]), "want", rest, sizeof(rest));
    FAIL_TEST(rest);
}

void
grade_floats(const float *got, const double *want, size_t rows, size_t columns, double tolerance, const char *what, ...)
{
    grade_shared->comparisons++;
    Verdict verdict = verify_against(got, want, rows * columns, tolerance, tolerance);
    if (verdict_ok(&verdict))
        return;
    char rest[SENTENCE];
    describe(&verdict, columns, written_float(&got[verdict.first]), "want", rest, sizeof(rest));
    FAIL_TEST(rest);
}

static bool
all_zero(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

void
grade_gradient(const double *got, const double *differences, size_t rows, size_t columns, const char *what, ...)
{
    grade_shared->comparisons++;
    char rest[SENTENCE];
    /* Central differences in double are good to about 1e-9 here; a wrong formula is off by far more than 1e-6. */
    Verdict verdict = verify_doubles(got, differences, rows * columns, 1e-6, 1e-5);
    if (!verdict_ok(&verdict))
        describe(&verdict, columns, written(&got[verdict.first]), "finite differences give", rest, sizeof(rest));
    else if (all_zero(got, rows * columns))
        snprintf(rest, sizeof(rest), ": all zero, which proves nothing");
    else
        return;
    FAIL_TEST(rest);
}
