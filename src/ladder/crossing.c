/* Where sizes differ in their last number alone, as the density of a sparse product does: at which number is a rung as fast as
 * another row? See report.h. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "ladder/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int
last_of(const LadderTable *table)
{
    return table->size[table->ladder->operation.dimension_count - 1];
}

/* The same but for the last number. */
static bool
is_alike(const LadderTable *a, const LadderTable *b)
{
    const int others = a->ladder->operation.dimension_count - 1;
    return a->threads == b->threads && memcmp(a->size, b->size, sizeof(int) * (size_t)others) == 0;
}

/* The tables that are like table `first`, by their last number. Returns how many; 0 if another came before it. */
static int
collect(LadderTable *const *tables, int count, int first, const LadderTable **series)
{
    int length = 0;
    for (int t = 0; t < count; t++) {
        if (!is_alike(tables[t], tables[first]))
            continue;
        if (t < first)
            return 0;
        int place = length++;
        for (; place > 0 && last_of(series[place - 1]) > last_of(tables[t]); place--)
            series[place] = series[place - 1];
        series[place] = tables[t];
    }
    return length;
}

static const LadderRow *
row_of(const LadderTable *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].rung->name, name) == 0)
            return &table->rows[i];
    return NULL;
}

/* Where the ratio falls below 1, the last time that it does: between two numbers its logarithm is taken to be a line over the
 * logarithm of the number. 0: it is always below. Infinity: it ends above. NaN: not measured. which: 0 value, 1 low, 2 high. */
static double
crossing(const LadderTable *const *series, int length, const char *rung, const char *other, int which)
{
    double last_x = 0.0, last_y = -1.0, found = NAN;
    for (int i = 0; i < length; i++) {
        const LadderRow *row = row_of(series[i], rung);
        const Comparison comparison = ladder_compare(series[i], row, row_of(series[i], other));
        if (comparison.with == NULL)
            continue;
        const Interval *ratio = &comparison.ratio;
        const double x = log(last_of(series[i])), y = log(which == 0   ? ratio->value
                                                          : which == 1 ? ratio->low
                                                                       : ratio->high);
        found = isnan(found) ? 0.0 : found;
        if (last_y >= 0.0 && y < 0.0)
            found = exp(last_x + (x - last_x) * last_y / (last_y - y));
        last_x = x;
        last_y = y;
    }
    return !isnan(found) && last_y >= 0.0 ? INFINITY : found;
}

static const char *
place_text(double place, int first, int last, char text[32])
{
    if (isinf(place))
        snprintf(text, 32, "above %d", last);
    else if (place == 0.0)
        snprintf(text, 32, "below %d", first);
    else
        snprintf(text, 32, "%.3g", place);
    return text;
}

static void
print_series(const LadderTable *const *series, int length, const char *other, FILE *out)
{
    char text[3][32], size[64];
    const LadderTable *table = series[0];
    const int first = last_of(table), last = last_of(series[length - 1]);
    fprintf(out, "\n%s, %d thread%s, and on: the last number of %s at which a rung is as fast as %s\n",
            ladder_size_text(table->ladder, table->size, size), table->threads, table->threads > 1 ? "s" : "",
            table->ladder->operation.dimensions, other);
    for (int i = 0; i < table->count; i++) {
        double at[3];
        const char *name = table->rows[i].rung->name;
        for (int which = 0; which < 3; which++)
            at[which] = crossing(series, length, name, other, which);
        if (!isnan(at[0]))
            fprintf(out, "  %-13s %s [%s, %s]\n", name, place_text(at[0], first, last, text[0]),
                    place_text(at[1], first, last, text[1]), place_text(at[2], first, last, text[2]));
    }
}

void
report_crossings(LadderTable *const *tables, int count, const char *other, FILE *out)
{
    const LadderTable **series = ARRAY(const LadderTable *, count);
    for (int t = 0; t < count; t++) {
        const int length = collect(tables, count, t, series);
        if (length > 0)
            print_series(series, length, other, out);
    }
    array_free(series);
}
