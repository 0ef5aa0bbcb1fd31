/* Numbers for people.
 * SPDX-License-Identifier: MIT */
#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "4.56 GFLOP/s", or "4.56 G" and "4.56" where there is no unit. */
static const char *
join(char text[UNITS_SIZE], int digits, double value, const char *prefix, const char *unit)
{
    const char *space = *prefix || *unit ? " " : "";
    if (isnan(value))
        value = fabs(value); /* no "-nan" */
    snprintf(text, UNITS_SIZE, "%.*f%s%s%s", digits, value, space, prefix, unit);
    return text;
}

const char *
units_format(char text[UNITS_SIZE], double value, const char *unit)
{
    static const char *const prefixes[] = {"q", "r", "y", "z", "a", "f", "p", "n", "u", "m", "",
                                           "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"};
    if (value == 0 || !isfinite(value))
        return join(text, 0, value == 0 ? 0 : value, "", unit);
    /* printf rounds to three digits and carries: 999.9e3 becomes 1.00e+06. */
    char rounded[32];
    snprintf(rounded, sizeof(rounded), "%.2e", value);
    char *e = strchr(rounded, 'e');
    const int exponent = atoi(e + 1);
    const int group = (exponent + 300) / 3 - 100; /* floor(exponent / 3) */
    if (group < -10 || group > 10) {
        snprintf(text, UNITS_SIZE, "%s%s%s", rounded, *unit ? " " : "", unit);
        return text;
    }
    *e = '\0';
    const int shift = exponent - 3 * group; /* 0, 1, 2: digits to move before the point */
    const double factor = shift == 0 ? 1 : shift == 1 ? 10 : 100;
    return join(text, 2 - shift, atof(rounded) * factor, prefixes[group + 10], unit);
}

const char *
units_bytes(char text[UNITS_SIZE], double bytes)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
    enum { LAST = sizeof(prefixes) / sizeof(prefixes[0]) - 1 };
    int group = 0;
    while (isfinite(bytes) && group < LAST && round(fabs(bytes)) >= 1024) {
        bytes /= 1024;
        group++;
    }
    const double size = fabs(bytes);
    const int digits = group == 0 || !(size < 99.95) ? 0 : size < 9.995 ? 2 : 1;
    return join(text, digits, bytes, prefixes[group], "B");
}

/* "3 min 20 s" from the integer number of the smaller unit. */
static const char *
join_two(char text[UNITS_SIZE], const char *sign, double count, double per, const char *large, const char *small)
{
    const double whole = floor(count / per);
    snprintf(text, UNITS_SIZE, "%s%.0f %s %02.0f %s", sign, whole, large, count - whole * per, small);
    return text;
}

const char *
units_duration(char text[UNITS_SIZE], double seconds)
{
    const char *sign = seconds < 0 ? "-" : "";
    const double s = fabs(seconds);
    if (!isfinite(s) || s < 0.01)
        return units_format(text, seconds, "s");
    if (s < 9.95)
        return join(text, s < 0.995 ? 2 : 1, seconds, "", "s");
    if (round(s) < 60)
        return join(text, 0, seconds, "", "s");
    if (round(s) < 3600)
        return join_two(text, sign, round(s), 60, "min", "s");
    if (round(s / 60) < 24 * 60)
        return join_two(text, sign, round(s / 60), 60, "h", "min");
    return join_two(text, sign, round(s / 3600), 24, "d", "h");
}

const char *
units_grouped(char text[UNITS_SIZE], uint64_t number)
{
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}
