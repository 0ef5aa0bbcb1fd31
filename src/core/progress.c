/* How far, how fast, how long still. SPDX-License-Identifier: MIT */
#include "core/progress.h"
#include "core/clock.h"
#include "core/process.h"
#include "core/units.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_SIZE = 512, BAR_WIDTH = 20 };
static const double TERMINAL_INTERVAL = 0.1, LOG_INTERVAL = 1, LOG_INTERVAL_UNKNOWN = 10; /* seconds */

Progress
progress_start(const char *label, size_t total, const char *unit)
{
    const char *form = getenv("RUNGS_PROGRESS"), *kind = getenv("TERM");
    Progress progress = {.label = label, .unit = unit, .total = total, .out = stderr, .started = clock_now()};
    progress.printed = progress.started;
    progress.terminal = isatty(fileno(stderr)) && kind && strcmp(kind, "dumb") != 0;
    if (form && strcmp(form, "terminal") == 0)
        progress.terminal = true;
    if (form && strcmp(form, "log") == 0)
        progress.terminal = false;
    if ((form && strcmp(form, "off") == 0) || process_rank() != 0)
        progress.out = NULL;
    return progress;
}

/* Appends to line, cut to its size. */
static void __attribute__((format(printf, 2, 3))) append(char line[LINE_SIZE], const char *format, ...)
{
    const size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, LINE_SIZE - length, format, arguments);
    va_end(arguments);
}

static void
append_bar(char line[LINE_SIZE], double part)
{
    const int full = (int)(part * BAR_WIDTH);
    append(line, " [");
    for (int i = 0; i < BAR_WIDTH; i++)
        append(line, "%c", i < full ? '#' : '.');
    append(line, "]");
}

/* On a terminal, short enough for a note within 80 columns:
 *     train [#####...............]  25 %  1.23 k images/s  12 s left  loss 0.123
 * and in a log:
 *     train  25 %  450 of 1800 images  1.23 k images/s  12 s left  loss 0.123 */
static void
describe(const Progress *progress, double now, bool last, const char *note, char line[LINE_SIZE])
{
    char unit[UNITS_SIZE / 2], number[UNITS_SIZE];
    const double seconds = now - progress->started, rate = seconds > 0 ? (double)progress->done / seconds : 0;
    const double part = progress->done < progress->total ? (double)progress->done / (double)progress->total : 1;
    snprintf(line, LINE_SIZE, "%s", progress->label);
    if (progress->total > 0 && progress->terminal)
        append_bar(line, part);
    if (progress->total > 0)
        append(line, " %3d %%", (int)(100 * part));
    if (progress->total > 0 && !progress->terminal)
        append(line, "  %zu of %zu %s", progress->done, progress->total, progress->unit);
    if (progress->total == 0)
        append(line, "  %zu %s", progress->done, progress->unit);
    snprintf(unit, sizeof(unit), "%s/s", progress->unit);
    append(line, "  %s", units_format(number, rate, unit));
    if (last)
        append(line, "  in %s", units_duration(number, seconds));
    else if (part < 1 && rate > 0)
        append(line, "  %s left", units_duration(number, (double)(progress->total - progress->done) / rate));
    if (note)
        append(line, "  %s", note);
}

static int
columns_of(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void
print(Progress *progress, double now, bool last, const char *note)
{
    char line[LINE_SIZE];
    describe(progress, now, last, note, line);
    if (progress->terminal) /* a line that wraps could not be rewritten; \033[K clears what the last one left */
        fprintf(progress->out, "\r%.*s\033[K%s", columns_of(progress->out) - 1, line, last ? "\n" : "");
    else
        fprintf(progress->out, "%s\n", line);
    fflush(progress->out);
    progress->printed = now;
    progress->printed_done = progress->done;
}

void
progress_update(Progress *progress, size_t done, const char *note)
{
    progress->done = done;
    if (!progress->out)
        return;
    const double now = clock_now(), since = now - progress->printed;
    if (progress->terminal) {
        if (since >= TERMINAL_INTERVAL)
            print(progress, now, false, note);
    } else if (since >= (progress->total > 0 ? LOG_INTERVAL : LOG_INTERVAL_UNKNOWN)) {
        if (progress->total == 0 || done - progress->printed_done >= progress->total / 10)
            print(progress, now, false, note);
    }
}

void
progress_finish(Progress *progress, const char *note)
{
    if (progress->out)
        print(progress, clock_now(), true, note);
}
