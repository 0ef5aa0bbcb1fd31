/* Is it right? One comparer for the ladders, the tests and the labs.
 *
 * ok = |got - want| <= atol + rtol * |want|, never `bad = difference > tolerance`: every comparison with a NaN is false, so the
 * second form would accept NaN.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_VERIFY_H
#define LADDER_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Verdict {
    size_t count;     /* elements compared */
    size_t wrong;     /* elements that are not ok */
    size_t first;     /* index of the first wrong one (if any) */
    double got, want; /* its values */
    double max_error; /* largest |got - want| / (atol + rtol |want|): above 1 is wrong; NaN counts as infinity */
    bool overrun;     /* a guard word before or behind the output was changed */
    const char *what; /* static text in place of first, got and want. NULL: these say it */
} Verdict;

bool verdict_ok(const Verdict *verdict);

/* "3 of 100 wrong, first [17]: got nan, want 2.5" or "ok"; into text, cut to size. */
void verdict_print(const Verdict *verdict, char *text, size_t size);

Verdict verify_floats(const float *got, const float *want, size_t n, double atol, double rtol);
Verdict verify_doubles(const double *got, const double *want, size_t n, double atol, double rtol);
/* float results against a reference that accumulated in double. */
Verdict verify_against(const float *got, const double *want, size_t n, double atol, double rtol);

/* The same where each element has a bound of its own: ok = |got - want| <= tolerance[i]. A sum of large terms may be further off
 * than a sum of small ones. max_error is then the largest |got - want| / tolerance[i]. */
Verdict verify_within(const float *got, const double *want, const double *tolerance, size_t n);

/* int32_t results against a reference in double: right only if equal. A want that is no whole number makes every answer wrong. */
Verdict verify_integers(const void *got, const double *want, size_t n);

/* An output buffer with guard words before and behind it. create -> (poison -> run -> compare, guards_intact)* -> free. */
typedef struct Guarded {
    float *x; /* n floats, or as many int32_t, aligned to ARRAY_ALIGNMENT */
    size_t n;
    void *base;
} Guarded;

Guarded guarded_create(size_t n);
/* Fills x with NaN and renews the guards. As an int32_t that NaN is 2143289344: more than any sum of fewer than 66,000 products of
 * two bytes. */
void guarded_poison(Guarded *guarded);
bool guarded_intact(const Guarded *guarded);
void guarded_free(Guarded *guarded);

#endif
