/* Comparing results and guarding outputs: verify.h says what is promised. It knows nothing of operations and prints nothing.
 * SPDX-License-Identifier: MIT */
#include "ladder/verify.h"
#include "core/array.h"
#include "core/checked.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Floats of guard on each side: more than the widest tile row that a kernel might write by mistake, and a multiple of
 * ARRAY_ALIGNMENT / sizeof(float), so that x is aligned like any other array. */
enum { GUARD = 64 };

bool
verdict_ok(const Verdict *verdict)
{
    return verdict->wrong == 0 && !verdict->overrun;
}

void
verdict_print(const Verdict *verdict, char *text, size_t size)
{
    if (verdict->wrong > 0 && verdict->what != NULL)
        snprintf(text, size, "%zu of %zu wrong: %s", verdict->wrong, verdict->count, verdict->what);
    else if (verdict->wrong > 0)
        snprintf(text, size, "%zu of %zu wrong, first [%zu]: got %.9g, want %.9g%s", verdict->wrong, verdict->count,
                 verdict->first, verdict->got, verdict->want, verdict->overrun ? "; wrote outside the output" : "");
    else
        snprintf(text, size, "%s", verdict->overrun ? "wrote outside the output" : "ok");
}

/* How far off, in tolerances: at most 1 is right. A want of NaN makes every answer wrong; a want of infinity wants that infinity
 * (rtol * infinity would let everything through). */
static double
error_in_tolerances(double got, double want, double atol, double rtol)
{
    if (isinf(want))
        return got == want ? 0.0 : INFINITY;
    double difference = fabs(got - want), tolerance = atol + rtol * fabs(want);
    if (!isfinite(difference))
        return INFINITY;
    if (difference <= tolerance)
        return tolerance > 0.0 ? difference / tolerance : 0.0;
    double error = difference / tolerance;
    return isnan(error) ? INFINITY : fmax(error, 1.0 + DBL_EPSILON); /* the division may have rounded down to 1 */
}

static void
verdict_add(Verdict *verdict, size_t i, double got, double want, double atol, double rtol)
{
    double error = error_in_tolerances(got, want, atol, rtol);
    verdict->count++;
    if (error > verdict->max_error)
        verdict->max_error = error;
    if (error <= 1.0)
        return;
    if (verdict->wrong++ == 0) {
        verdict->first = i;
        verdict->got = got;
        verdict->want = want;
    }
}

Verdict
verify_floats(const float *got, const float *want, size_t n, double atol, double rtol)
{
    Verdict verdict = {0};
    for (size_t i = 0; i < n; i++)
        verdict_add(&verdict, i, (double)got[i], (double)want[i], atol, rtol);
    return verdict;
}

Verdict
verify_doubles(const double *got, const double *want, size_t n, double atol, double rtol)
{
    Verdict verdict = {0};
    for (size_t i = 0; i < n; i++)
        verdict_add(&verdict, i, got[i], want[i], atol, rtol);
    return verdict;
}

Verdict
verify_against(const float *got, const double *want, size_t n, double atol, double rtol)
{
    Verdict verdict = {0};
    for (size_t i = 0; i < n; i++)
        verdict_add(&verdict, i, (double)got[i], want[i], atol, rtol);
    return verdict;
}

Verdict
verify_within(const float *got, const double *want, const double *tolerance, size_t n)
{
    Verdict verdict = {0};
    for (size_t i = 0; i < n; i++)
        verdict_add(&verdict, i, (double)got[i], want[i], tolerance[i], 0.0);
    return verdict;
}

Verdict
verify_integers(const void *got, const double *want, size_t n)
{
    Verdict verdict = {0};
    for (size_t i = 0; i < n; i++) {
        int32_t number; /* copied: the memory may still hold the floats of the poison */
        memcpy(&number, (const char *)got + i * sizeof number, sizeof number);
        verdict_add(&verdict, i, (double)number, want[i], 0.0, 0.0);
    }
    return verdict;
}

/* Guard word i: near 0.85, each one different. An ordinary number, because beta * y would give a NaN or a huge number back
 * unchanged, and the overrun would not show. */
static uint32_t
guard_word(size_t i)
{
    return 0x3f5a5a00u + (uint32_t)i;
}

Guarded
guarded_create(size_t n)
{
    CHECK_THAT(n <= SIZE_MAX / sizeof(float) - 2 * GUARD, "%zu floats do not fit into memory", n);
    Guarded guarded = {.n = n, .base = ARRAY(float, n + 2 * GUARD)};
    guarded.x = (float *)guarded.base + GUARD;
    guarded_poison(&guarded);
    return guarded;
}

void
guarded_poison(Guarded *guarded)
{
    for (size_t i = 0; i < guarded->n; i++)
        guarded->x[i] = NAN;
    for (size_t i = 0; i < GUARD; i++) {
        uint32_t before = guard_word(i), behind = guard_word(GUARD + i);
        memcpy(guarded->x - GUARD + i, &before, sizeof before);
        memcpy(guarded->x + guarded->n + i, &behind, sizeof behind);
    }
}

bool
guarded_intact(const Guarded *guarded)
{
    for (size_t i = 0; i < GUARD; i++) {
        uint32_t before = guard_word(i), behind = guard_word(GUARD + i);
        if (memcmp(guarded->x - GUARD + i, &before, sizeof before) != 0 ||
            memcmp(guarded->x + guarded->n + i, &behind, sizeof behind) != 0)
            return false;
    }
    return true;
}

void
guarded_free(Guarded *guarded)
{
    array_free(guarded->base);
    *guarded = (Guarded){0};
}
