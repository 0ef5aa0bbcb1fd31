/* See floor.h. SPDX-License-Identifier: MIT */
#include "ladder/floor.h"
#include "core/array.h"
#include "core/units.h"
#include "ladder/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENT 1.1 /* of predicted times: those that are nearer may change places */

/* ---- parsing ---------------------------------------------------------------------------------------------------------- */

static int
rung_named(const Ladder *ladder, const char *name)
{
    for (int i = 0; i < ladder->count; i++)
        if (strcmp(ladder->rungs[i].name, name) == 0)
            return i;
    return -1;
}

static const Column *
column_named(const Ladder *ladder, const char *name)
{
    for (const Column *column = report_columns(&ladder->operation); column->name != NULL; column++)
        if (strcmp(column->name, name) == 0)
            return column;
    return NULL;
}

static bool
is_one_of(const char *name, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(name, *words) == 0)
            return true;
    return false;
}

static bool
rung_is_there(const Ladder *ladder, const bool *selected, const char *name, const char *text, Error *error)
{
    const int rung = rung_named(ladder, name);
    if (rung < 0)
        return error_set(error, "--floor %s: %s has no row \"%s\"; a floor is ROW=RATIO, as in %s=1.5", text,
                         ladder->operation.name, name, ladder->rungs[0].name);
    return selected == NULL || selected[rung] ||
           error_set(error, "--floor %s: %s is not measured: name it in --rungs", text, name);
}

static bool
subject_is_there(const Ladder *ladder, const bool *selected, const Floor *floor, Error *error)
{
    static const char *const words[] = {"best", "each", NULL};
    char names[sizeof floor->subject], *rest = names;
    if (is_one_of(floor->subject, words))
        return true;
    memcpy(names, floor->subject, sizeof names);
    for (char *name; (name = strsep(&rest, "+")) != NULL;)
        if (!rung_is_there(ladder, selected, name, floor->text, error))
            return false;
    return true;
}

/* "1.0", or "64K:1.2,4M:2.0". */
static bool
parse_steps(const char *text, Floor *floor, Error *error)
{
    for (;; text++) {
        const size_t length = strcspn(text, ","), colon = strcspn(text, ":,");
        char step[64], *end;
        size_t bytes = 0;
        snprintf(step, sizeof step, "%.*s", (int)(length < sizeof step ? length : sizeof step - 1), text);
        const char *number = step;
        if (colon < length && colon < sizeof step) {
            step[colon] = '\0';
            number = step + colon + 1;
            if (strcmp(step, "0") != 0 && ladder_parse_bytes(step, 1, &bytes, error) != 1)
                return false;
        }
        const double ratio = strtod(number, &end);
        if (end == number || *end != '\0' || !(ratio >= 0.0 && isfinite(ratio)) || floor->steps == FLOOR_STEPS)
            return error_set(error, "--floor %s: \"%s\" is no ratio, as 0.95 or 1.2 is; expected ROW=RATIO",
                             floor->text, number);
        floor->step[floor->steps].from = (double)bytes;
        floor->step[floor->steps++].ratio = ratio;
        text += length;
        if (*text == '\0')
            return true;
    }
}

bool
floor_parse(const Ladder *ladder, const bool *selected, const char *text, Floor *floor, Error *error)
{
    static const char *const words[] = {"peer", "best", "predicted", "order", NULL};
    *floor = (Floor){.text = text, .subject = "best", .mean = strncmp(text, "mean:", 5) == 0};
    const char *name = text + (floor->mean ? 5 : 0), *equals = strchr(name, '='), *slash = strchr(name, '/');
    if (equals == NULL)
        return error_set(error, "--floor %s: expected ROW=RATIO, as in %s=1.5", text, ladder->rungs[0].name);
    if (slash != NULL && slash < equals) {
        snprintf(floor->subject, sizeof floor->subject, "%.*s", (int)(slash - name), name);
        name = slash + 1;
    }
    snprintf(floor->row, sizeof floor->row, "%.*s", (int)(equals - name), name);
    return subject_is_there(ladder, selected, floor, error) &&
           (is_one_of(floor->row, words) || column_named(ladder, floor->row) != NULL ||
            rung_is_there(ladder, selected, floor->row, text, error)) &&
           parse_steps(equals + 1, floor, error);
}

/* ---- who is judged ---------------------------------------------------------------------------------------------------- */

static bool
is_ours(const LadderRow *row)
{
    return row->state == ROW_MEASURED && !row->rung->peer && !row->rung->reference;
}

/* Whether name is one of a+b+c. */
static bool
is_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (;; names += strcspn(names, "+") + 1) {
        const size_t part = strcspn(names, "+");
        if (part == length && memcmp(names, name, length) == 0)
            return true;
        if (names[part] == '\0')
            return false;
    }
}

/* Our fastest row, or (names != NULL) the fastest of those. NULL: none was measured. */
static const LadderRow *
fastest(const LadderTable *table, const char *names)
{
    const LadderRow *best = NULL;
    for (int i = 0; i < table->count; i++) {
        const LadderRow *row = &table->rows[i];
        const bool candidate =
            names == NULL ? is_ours(row) : row->state == ROW_MEASURED && is_listed(names, row->rung->name);
        if (candidate && (best == NULL || row->time.median < best->time.median))
            best = row;
    }
    return best;
}

static const LadderRow *
row_named(const LadderTable *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].rung->name, name) == 0)
            return &table->rows[i];
    return NULL;
}

/* The rows of a table that the floor is about. Returns how many. */
static int
subjects(const Floor *floor, const LadderTable *table, const LadderRow *rows[LADDER_RUNGS])
{
    int count = 0;
    if (strcmp(floor->subject, "each") == 0) {
        for (int i = 0; i < table->count; i++)
            if (is_ours(&table->rows[i]))
                rows[count++] = &table->rows[i];
    } else {
        rows[0] = fastest(table, strcmp(floor->subject, "best") == 0 ? NULL : floor->subject);
        count = rows[0] != NULL;
    }
    return count;
}

/* The floor for vectors of the table's length; NaN: there is none. */
static double
ratio_at(const Floor *floor, const LadderTable *table)
{
    double ratio = NAN;
    for (int i = 0; i < floor->steps; i++)
        if (table->bytes >= floor->step[i].from)
            ratio = floor->step[i].ratio;
    return ratio;
}

/* What is held to the floor; value NaN: it was not measured. */
static Interval
value_of(const Floor *floor, const LadderTable *table, const LadderRow *row)
{
    const Interval none = {NAN, NAN, NAN}, one = {1.0, 1.0, 1.0};
    const Column *column = column_named(table->ladder, floor->row);
    const bool best = strcmp(floor->row, "best") == 0;
    if (rung_named(table->ladder, floor->row) < 0 && column != NULL) {
        const double value = column->value(table, row);
        return (Interval){value, value, value};
    }
    if (strcmp(floor->row, "predicted") == 0) {
        const double near = 1.0 - fabs(row->predicted - row->time.median) / row->time.median;
        return (Interval){near, near, near};
    }
    const LadderRow *other = best ? fastest(table, NULL) : row_named(table, floor->row);
    if (best && other == row)
        return one;
    const Comparison comparison = strcmp(floor->row, "peer") == 0 ? row->peer : ladder_compare(table, row, other);
    return comparison.with != NULL ? comparison.ratio : none;
}

/* ---- verdicts --------------------------------------------------------------------------------------------------------- */

/* What has been judged so far. */
typedef struct Judgement {
    const Floor *floor;
    FILE *out;
    int judged;
    bool failed;
} Judgement;

static const char *
verdict(Judgement *judgement, Interval ratio, double floor)
{
    const bool holds = ratio.low < floor && ratio.high >= floor;
    judgement->judged++;
    if (holds && (ratio.value < floor || ratio.high - ratio.low > LADDER_NOISE * ratio.value))
        return "unsure";
    if (ratio.value >= floor)
        return "ok";
    judgement->failed = true;
    return "below";
}

static void
print_place(const LadderTable *table, const char *name, FILE *out)
{
    char size[64];
    fprintf(out, "  %-18s", ladder_size_text(table->ladder, table->size, size));
    if (table->ranks == 0)
        fprintf(out, " %2d thread%s", table->threads, table->threads > 1 ? "s" : " ");
    fprintf(out, "  %-18s", name);
}

static void
judge_row(Judgement *j, const LadderTable *table, const LadderRow *row)
{
    const double floor = ratio_at(j->floor, table);
    const Interval ratio = value_of(j->floor, table, row);
    char time[UNITS_SIZE];
    if (isnan(ratio.value) || isnan(floor))
        return;
    print_place(table, row->rung->name, j->out);
    fprintf(j->out, " %9s  %5.2f", units_format(time, row->time.median, "s"), ratio.value);
    if (ratio.low < ratio.high)
        fprintf(j->out, " [%.2f, %.2f]", ratio.low, ratio.high);
    if (strcmp(j->floor->row, "peer") == 0)
        fprintf(j->out, " times %s", row->peer.with->name);
    fprintf(j->out, " (%.2f: %s)\n", floor, verdict(j, ratio, floor));
}

static void
judge_rows(Judgement *j, LadderTable *const *tables, int count)
{
    for (int t = 0; t < count; t++) {
        const LadderRow *rows[LADDER_RUNGS];
        const int found = subjects(j->floor, tables[t], rows);
        for (int i = 0; i < found; i++)
            judge_row(j, tables[t], rows[i]);
    }
}

/* The geometric mean over the sizes of one number of threads: that of table `first`, where it comes first. */
static void
judge_mean(Judgement *j, LadderTable *const *tables, int count, int first)
{
    double logarithms = 0.0, floor = NAN;
    int sizes = 0;
    for (int t = 0; t < count; t++) {
        const LadderRow *rows[LADDER_RUNGS];
        if (tables[t]->threads != tables[first]->threads)
            continue;
        if (t < first)
            return;
        if (subjects(j->floor, tables[t], rows) == 0 || isnan(ratio_at(j->floor, tables[t])))
            continue;
        const double value = value_of(j->floor, tables[t], rows[0]).value;
        if (isnan(value))
            continue;
        floor = ratio_at(j->floor, tables[t]);
        logarithms += log(value);
        sizes++;
    }
    if (sizes == 0)
        return;
    const double mean = exp(logarithms / sizes);
    fprintf(j->out, "  geometric mean of %d size%s, %d thread%s: %.2f (%.2f: %s)\n", sizes, sizes > 1 ? "s" : "",
            tables[first]->threads, tables[first]->threads > 1 ? "s" : "", mean, floor,
            verdict(j, (Interval){mean, mean, mean}, floor));
}

/* The median over all sizes, for each rung. */
static void
judge_predictions(Judgement *j, LadderTable *const *tables, int count)
{
    double *near = ARRAY(double, count);
    for (int r = 0; count > 0 && r < tables[0]->ladder->count; r++) {
        const Rung *rung = &tables[0]->ladder->rungs[r];
        double floor = NAN;
        size_t known = 0;
        for (int t = 0; t < count; t++) {
            const LadderRow *rows[LADDER_RUNGS];
            const int found = isnan(ratio_at(j->floor, tables[t])) ? 0 : subjects(j->floor, tables[t], rows);
            for (int i = 0; i < found; i++)
                if (rows[i]->rung == rung && !isnan(rows[i]->predicted)) {
                    near[known++] = value_of(j->floor, tables[t], rows[i]).value;
                    floor = ratio_at(j->floor, tables[t]);
                }
        }
        if (known == 0)
            continue;
        const double median = stats_median(near, known);
        fprintf(j->out, "  %-18s off by %.1f %%, the median of %zu times (at most %.0f %%: %s)\n", rung->name,
                100.0 * (1.0 - median), known, 100.0 * (1.0 - floor),
                verdict(j, (Interval){median, median, median}, floor));
    }
    array_free(near);
}

/* Of rows that are predicted to differ. */
static void
judge_order(Judgement *j, const LadderTable *table)
{
    const double floor = ratio_at(j->floor, table);
    double least = INFINITY;
    const LadderRow *first = NULL, *second = NULL;
    for (int a = 0; a < table->count; a++)
        for (int b = 0; b < table->count; b++) {
            const LadderRow *fast = &table->rows[a], *slow = &table->rows[b];
            if (!is_ours(fast) || !is_ours(slow) || !(slow->predicted > DIFFERENT * fast->predicted))
                continue;
            const double ratio = slow->time.median / fast->time.median;
            if (ratio < least) {
                least = ratio;
                first = fast;
                second = slow;
            }
        }
    if (first == NULL || isnan(floor))
        return;
    print_place(table, "order as predicted", j->out);
    fprintf(j->out, " %5.2f: %s beside %s (%.2f: %s)\n", least, first->rung->name, second->rung->name, floor,
            verdict(j, (Interval){least, least, least}, floor));
}

/* Whether the floor needs a library that is not installed: its row was skipped everywhere. A peer that is a program was requested
 * by name: without it the floor is not met. */
static bool
is_missing_peer(const Floor *floor, LadderTable *const *tables, int count)
{
    bool peer = strcmp(floor->row, "peer") == 0;
    for (int t = 0; t < count; t++)
        for (int i = 0; i < tables[t]->count; i++) {
            const LadderRow *row = &tables[t]->rows[i];
            const bool meant = strcmp(floor->row, "peer") == 0 || strcmp(floor->row, row->rung->name) == 0;
            if (!row->rung->peer || !meant)
                continue;
            peer = true;
            if (row->state != ROW_SKIPPED || row->rung->measure != NULL)
                return false;
        }
    return peer && count > 0 && fastest(tables[0], NULL) != NULL;
}

bool
floor_judge(const Floor *floor, LadderTable *const *tables, int count, FILE *out)
{
    Judgement j = {.floor = floor, .out = out};
    fprintf(out, "floor %s:\n", floor->text);
    for (int t = 0; t < count; t++)
        if (floor->mean)
            judge_mean(&j, tables, count, t);
        else if (strcmp(floor->row, "order") == 0)
            judge_order(&j, tables[t]);
    if (strcmp(floor->row, "predicted") == 0)
        judge_predictions(&j, tables, count);
    else if (!floor->mean && strcmp(floor->row, "order") != 0)
        judge_rows(&j, tables, count);
    if (j.judged > 0)
        return !j.failed;
    const bool missing = is_missing_peer(floor, tables, count);
    fprintf(out, "  nothing was measured%s\n", missing ? ": the library is not here" : " that could be judged: below");
    return missing;
}
