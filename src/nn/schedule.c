/* Learning-rate schedules: from text, to text, and the rate itself.
 * SPDX-License-Identifier: MIT */
#include "nn/schedule.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [SCHEDULE_CONSTANT] = "constant",
    [SCHEDULE_STEP] = "step",
    [SCHEDULE_COSINE] = "cosine",
    [SCHEDULE_LINEAR] = "linear",
};

/* ---- from text: each function reads what it knows at *at and moves *at behind it ------------------------------------------- */

/* True if `word` stands there, and not only the beginning of a longer word. */
static bool
read_word(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || isalnum((unsigned char)(*at)[length]))
        return false;
    *at += length;
    return true;
}

/* ":" and a number. strtod alone would also take spaces, signs, hexadecimal, "inf" and "nan". */
static bool
read_number(const char **at, double *number)
{
    if ((*at)[0] != ':' || !(isdigit((unsigned char)(*at)[1]) || (*at)[1] == '.'))
        return false;
    char *end;
    const size_t digits = strspn(*at + 1, "0123456789.eE+-");
    *number = strtod(*at + 1, &end);
    if (end == *at + 1 || end > *at + 1 + digits || !isfinite(*number))
        return false;
    *at = end;
    return true;
}

static bool
read_span(const char **at, ScheduleSpan *span)
{
    if (!read_number(at, &span->value))
        return false;
    span->percent = **at == '%';
    *at += span->percent;
    return span->percent ? span->value > 0 && span->value <= 100
                         : span->value >= 1 && span->value == floor(span->value);
}

static bool
refuse(Error *error, const char *text, const char *what)
{
    return error_set(
        error,
        "the schedule \"%s\" %s: use constant, step:SPAN:FACTOR, cosine[:END] or linear[:END], with warmup:SPAN+ in "
        "front if wanted, such as warmup:5%%+cosine:0.01",
        text, what);
}

static bool
read_kind(const char **at, Schedule *schedule)
{
    for (int kind = 0; kind <= SCHEDULE_LINEAR; kind++) {
        if (read_word(at, names[kind])) {
            schedule->kind = (ScheduleKind)kind;
            return true;
        }
    }
    return false;
}

bool
schedule_parse(const char *text, Schedule *schedule, Error *error)
{
    const char *at = text;
    Schedule read = {0};
    if (read_word(&at, "warmup")) {
        if (!read_span(&at, &read.warmup) || *at != '+')
            return refuse(error, text, "has no warm-up in steps (warmup:500+) or in percent (warmup:5%+)");
        at++;
    }
    if (!read_kind(&at, &read))
        return refuse(error, text, "is not known");
    if (read.kind == SCHEDULE_STEP) {
        if (!read_span(&at, &read.every) || !read_number(&at, &read.factor) || read.factor <= 0)
            return refuse(error, text,
                          "needs a span (steps, or percent) and a factor above 0 behind step, as step:30%:0.1");
    } else if (read.kind != SCHEDULE_CONSTANT && *at == ':') {
        if (!read_number(&at, &read.end) || read.end > 1)
            return refuse(error, text, "must end between 0 and 1 of the first rate");
    }
    if (*at)
        return refuse(error, text, "goes on after its end");
    *schedule = read;
    return true;
}

/* ---- to text --------------------------------------------------------------------------------------------------------------- */

/* Appends a number with the fewest digits that read back as the same. */
static void
print_number(char *text, double number, const char *behind)
{
    char digits[40];
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    const size_t length = strlen(text);
    snprintf(text + length, SCHEDULE_TEXT_SIZE - length, ":%s%s", digits, behind);
}

static void
append(char *text, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, SCHEDULE_TEXT_SIZE - length, "%s", more);
}

const char *
schedule_print(const Schedule *schedule, char text[SCHEDULE_TEXT_SIZE])
{
    text[0] = '\0';
    if (schedule->warmup.value > 0) {
        append(text, "warmup");
        print_number(text, schedule->warmup.value, schedule->warmup.percent ? "%+" : "+");
    }
    append(text, names[schedule->kind]);
    if (schedule->kind == SCHEDULE_STEP) {
        print_number(text, schedule->every.value, schedule->every.percent ? "%" : "");
        print_number(text, schedule->factor, "");
    } else if (schedule->end > 0) {
        print_number(text, schedule->end, "");
    }
    return text;
}

/* ---- the rate -------------------------------------------------------------------------------------------------------------- */

static double
span_steps(ScheduleSpan span, double total)
{
    return span.percent ? span.value / 100 * total : span.value;
}

/* What the base is multiplied with when `done` of `total` steps after the warm-up are done. */
static double
factor_at(const Schedule *schedule, double done, double total, double every)
{
    const double part = total > 0 ? fmin(done / total, 1) : 1;
    switch (schedule->kind) {
    case SCHEDULE_STEP:
        return pow(schedule->factor, floor(done / every));
    case SCHEDULE_COSINE:
        return schedule->end + (1 - schedule->end) * (1 + cos(M_PI * part)) / 2;
    case SCHEDULE_LINEAR:
        return 1 + (schedule->end - 1) * part;
    case SCHEDULE_CONSTANT:
        break;
    }
    return 1;
}

double
schedule_rate(const Schedule *schedule, double base, uint64_t step, uint64_t total)
{
    const double all = (double)total, warmup = floor(fmin(span_steps(schedule->warmup, all), all));
    const double at = (double)(step < total || total == 0 ? step : total - 1);
    if (at < warmup)
        return base * (at + 1) / warmup;
    const double rest = all - warmup;
    return base * factor_at(schedule, at - warmup, rest, fmax(1, span_steps(schedule->every, rest)));
}
