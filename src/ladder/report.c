/* Results as text.
 * SPDX-License-Identifier: MIT */
#include "ladder/report.h"
#include "core/host.h"
#include "core/stats.h"
#include "core/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
print_peaks(const char *label, double one, double all, bool both, const char *unit, FILE *out)
{
    char text[2][UNITS_SIZE];
    fprintf(out, "  %-30s %14s", label, units_format(text[0], one, unit));
    if (both)
        fprintf(out, " %14s", units_format(text[1], all, unit));
    fprintf(out, "\n");
}

static void
report_peaks(const Machine *machine, FILE *out)
{
    const MachinePeaks *one = &machine->one, *all = &machine->all;
    const bool both = all->threads > 1;
    char label[64], threads[32];
    snprintf(threads, sizeof threads, "%d threads", all->threads);
    fprintf(out, "  %-30s %14s%s%14s\n", "peaks, measured just now", "1 thread", both ? " " : "", both ? threads : "");
    snprintf(label, sizeof label, "multiply-adds, %d bit", host_get()->vector_bits);
    print_peaks(label, one->fma, all->fma, both, "FLOP/s", out);
    if (host_get()->vector_bits > 256)
        print_peaks("multiply-adds, 256 bit", one->fma256, all->fma256, both, "FLOP/s", out);
    for (int level = 0; level < MACHINE_LEVELS; level++) {
        snprintf(label, sizeof label, "reading from %s", machine_level_name(level));
        print_peaks(label, one->read[level], all->read[level], both, "B/s", out);
    }
    print_peaks("triad in memory", one->triad, all->triad, both, "B/s", out);
    print_peaks("step of a chain of additions", machine->chain, 0.0, false, "s", out);
}

/* Time that other programs take is not stolen in the sense of ladder/steal.h: nothing but this line tells of it. */
static void
report_load(FILE *out)
{
    double load;
    if (getloadavg(&load, 1) == 1 && load > 1.0)
        fprintf(
            out,
            "  load of the last minute %.1f: if that is other programs' work, times are longer than they could be\n",
            load);
}

/* "ranks 2, nodes 1, type float": as many to a line as fit. */
static void
report_facts(const Fact *facts, FILE *out)
{
    enum { WIDTH = 112 };
    char line[WIDTH + 256] = "";
    for (; facts != NULL && facts->name != NULL; facts++) {
        const size_t more = strlen(facts->name) + strlen(facts->value) + 3, length = strlen(line);
        if (length > 0 && length + more > WIDTH) {
            fprintf(out, "  %s\n", line);
            line[0] = '\0';
        }
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s %s", line[0] != '\0' ? ", " : "", facts->name,
                 facts->value);
    }
    if (line[0] != '\0')
        fprintf(out, "  %s\n", line);
}

void
report_machine(const Ladder *ladder, const bool *selected, const Machine *machine, FILE *out)
{
    const Host *host = host_get();
    char cache[3][UNITS_SIZE], memory[UNITS_SIZE];
    fprintf(out, "%s: %s\n", ladder->operation.name, ladder->operation.formula);
    fprintf(out, "  right when %s\n", ladder->operation.tolerance);
    fprintf(out, "  %s, %d cores, L1 %s, L2 %s, L3 %s, memory %s\n", host->processor, host->cores,
            units_bytes(cache[0], (double)host->cache[1]), units_bytes(cache[1], (double)host->cache[2]),
            units_bytes(cache[2], (double)host->cache[3]), units_bytes(memory, (double)host->memory));
    fprintf(out, "  %s, %s, %d-bit vectors%s\n", host->system, host->compiler, host->vector_bits,
            host->openmp ? ", OpenMP" : "");
    report_load(out);
    report_facts(ladder->operation.facts, out);
    for (int i = 0; i < ladder->count; i++)
        if (ladder->rungs[i].peer && (selected == NULL || selected[i]))
            fprintf(out, "  peer %s: %s\n", ladder->rungs[i].name,
                    ladder->rungs[i].describe != NULL ? ladder->rungs[i].describe() : ladder->rungs[i].idea);
    if (machine != NULL)
        report_peaks(machine, out);
}

/* Decimals for three digits of a ratio, or two below 1. */
static int
decimals(double ratio)
{
    return ratio < 0.1 ? 3 : ratio < 10.0 ? 2 : ratio < 100.0 ? 1 : 0;
}

const char *
report_comparison(const Comparison *comparison, char text[64])
{
    const Interval *ratio = &comparison->ratio;
    const int digits = decimals(ratio->value);
    if (comparison->noisy)
        snprintf(text, 64, "too noisy to say");
    else if (comparison->wide)
        snprintf(text, 64, "[%.*f, %.*f]", digits, ratio->low, digits, ratio->high);
    else
        snprintf(text, 64, "%.*f [%.*f, %.*f]", digits, ratio->value, digits, ratio->low, digits, ratio->high);
    return text;
}

static void
comparison_text(const Comparison *comparison, char text[64])
{
    text[0] = '\0';
    if (comparison->with != NULL)
        report_comparison(comparison, text);
}

/* ---- columns ---------------------------------------------------------------------------------------------------------- */

double
report_operations(const LadderTable *table, const LadderRow *row)
{
    return table->flops / row->time.median;
}

static double
traffic(const LadderTable *table, const LadderRow *row)
{
    return table->bytes / row->time.median;
}

double
report_share_of_bound(const LadderTable *table, const LadderRow *row)
{
    return table->bound / row->time.median;
}

static const Column computing[] = {
    {"operations", "FLOP/s", "additions and multiplications in a second", report_operations},
    {"traffic", "B/s", "bytes in a second, if each input is read once and each output written once", traffic},
    {"bound", "%",
     "the least time that the machine allows, as a share of the time: 100 % is all that it can. Multiply-adds\n"
     "              and the triad are measured interleaved with the rungs; the read bandwidths stand above.\n"
     "              Above 100 % a cache closer to the core held part of the data, something disturbed the measurement\n"
     "              of the peaks, or a step in place moves less than the triad, which reads a line to write it",
     report_share_of_bound},
    {0},
};

const Column *
report_columns(const Operation *operation)
{
    return operation->columns != NULL ? operation->columns : computing;
}

enum { CELL = 64, CELLS = 24 };

/* The cells of a line, and how wide each is; negative: from the left. */
typedef struct Line {
    int count, width[CELLS];
    char cell[CELLS][CELL];
} Line;

static void
add_cell(Line *line, int width, const char *text)
{
    line->width[line->count] = width;
    snprintf(line->cell[line->count++], CELL, "%s", text);
}

/* Empty cells at the end leave no blanks. */
static void
print_line(const Line *line, FILE *out)
{
    char text[CELLS * (CELL + 2)];
    int length = 0;
    for (int i = 0; i < line->count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%*s",
                           i == 0 || line->width[i] < 0 ? "  " : " ", line->width[i], line->cell[i]);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    fprintf(out, "%.*s\n", length, text);
}

static int
width_of(const Column *column)
{
    const int width = strcmp(column->unit, "FLOP/s") == 0 ? 12 : strcmp(column->unit, "%") == 0 ? 6 : 9;
    return (int)fmax(width, (double)strlen(column->name));
}

static void
value_text(double value, const char *unit, char text[CELL])
{
    char number[UNITS_SIZE];
    text[0] = '\0';
    if (isnan(value))
        return;
    if (strcmp(unit, "%") == 0)
        snprintf(text, CELL, "%.0f %%", 100.0 * value);
    else if (unit[0] == '\0')
        snprintf(text, CELL, "%.4g", value);
    else
        snprintf(text, CELL, "%s",
                 strcmp(unit, "B") == 0 ? units_bytes(number, value) : units_format(number, value, unit));
}

static int
name_width(const LadderTable *table)
{
    int width = 13;
    for (int i = 0; i < table->count; i++)
        width = (int)fmax(width, (double)strlen(table->rows[i].rung->name));
    return -width;
}

static bool
compares(const LadderTable *table, unsigned with)
{
    const unsigned compared = table->ladder->operation.compared;
    return compared == 0 || (compared & with) != 0;
}

static void
print_header(const LadderTable *table, FILE *out)
{
    Line line = {0};
    char text[CELL];
    const char *peer = NULL;
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].peer.with != NULL)
            peer = table->rows[i].peer.with->name;
    add_cell(&line, name_width(table), "rung");
    add_cell(&line, 8, "time");
    add_cell(&line, 7, "spread");
    for (const Column *column = report_columns(&table->ladder->operation); column->name != NULL; column++)
        add_cell(&line, width_of(column), column->name);
    if (table->ladder->operation.verify == NULL)
        add_cell(&line, 7, "error");
    add_cell(&line, 9, "predicted");
    snprintf(text, CELL, "times %s", table->ladder->rungs[0].name);
    if (compares(table, COMPARED_LOWEST))
        add_cell(&line, -17, text);
    if (compares(table, COMPARED_BEFORE))
        add_cell(&line, -17, "times rung before");
    const bool fits = peer != NULL && strlen(peer) <= 20; /* or the table would be wider than 120 columns */
    snprintf(text, CELL, "times %s", fits ? peer : "the best peer");
    if (compares(table, COMPARED_PEER) && peer != NULL)
        add_cell(&line, -17, text);
    print_line(&line, out);
}

static void
print_row(const LadderTable *table, const LadderRow *row, FILE *out)
{
    Line line = {0};
    char text[CELL];
    const Operation *operation = &table->ladder->operation;
    if (row->state != ROW_MEASURED) {
        fprintf(out, "  %*s %s: %s\n", name_width(table), row->rung->name,
                row->state == ROW_WRONG ? "WRONG" : "skipped", row->reason);
        return;
    }
    add_cell(&line, name_width(table), row->rung->name);
    value_text(row->time.median, "s", text);
    add_cell(&line, 8, text);
    snprintf(text, CELL, "%.1f %%", fmin(100.0 * stats_spread(&row->time), 999.9));
    add_cell(&line, 7, text);
    for (const Column *column = report_columns(operation); column->name != NULL; column++) {
        value_text(column->value(table, row), column->unit, text);
        add_cell(&line, width_of(column), text);
    }
    const double worst =
        100.0 * row->error * (row->rung->tolerance_factor != NULL ? row->rung->tolerance_factor(table->size) : 1.0);
    snprintf(text, CELL, "%.*f %%", worst < 10.0 ? 1 : 0, worst);
    if (operation->verify == NULL)
        add_cell(&line, 7, text);
    value_text(row->predicted, "s", text);
    add_cell(&line, 9, text);
    const Comparison *const ratios[] = {&row->naive, &row->before, &row->peer};
    for (int i = 0; i < 3; i++)
        if (compares(table, 1u << i)) {
            comparison_text(ratios[i], text);
            add_cell(&line, -17, text);
        }
    print_line(&line, out);
}

void
report_legend(const Ladder *ladder, FILE *out)
{
    fputs("\nThe columns of the tables:\n"
          "  time        of one call, the median of the rounds; spread: from the first to the third quartile, as a "
          "share of it\n",
          out);
    for (const Column *column = report_columns(&ladder->operation); column->name != NULL; column++)
        fprintf(out, "  %-11s %s\n", column->name, column->meaning);
    if (ladder->operation.verify == NULL)
        fputs("  error       the largest of an element, as a share of what is right; a rung whose way loses more may "
              "have more\n",
              out);
    fputs("  predicted   the time by the model of the rung, which stands in the ladder's folder; empty: it has none "
          "here\n"
          "  times ..    how many times as fast as that row, with the 95 % interval; the interval alone where it is "
          "wider than\n"
          "              10 %; too noisy to say: and not even which of the two is faster\n",
          out);
}

/* ---- a table ---------------------------------------------------------------------------------------------------------- */

/* Where the bytes come from, and whose rate bounds them if not that of reading. */
static void
report_level(const LadderTable *table, const Machine *machine, FILE *out)
{
    const int level = machine_level(machine, table->threads, table->bytes);
    char rate[UNITS_SIZE];
    fprintf(out, " from %s", machine_level_name(level));
    if (table->roof == ROOF_TRIAD)
        fprintf(out, " at the triad's %s", units_format(rate, table->bytes / table->bound, "B/s"));
}

/* Below the table: what the rungs that have a choice chose. */
static void
report_ways(const LadderTable *table, FILE *out)
{
    const char *before = "  chosen: ";
    for (int i = 0; i < table->count; i++) {
        const Rung *rung = table->rows[i].rung;
        if (table->rows[i].state != ROW_MEASURED || rung->algorithm == NULL)
            continue;
        fprintf(out, "%s%s by %s", before, rung->name, rung->algorithm(table->size));
        before = ", ";
    }
    if (before[0] == ',')
        fprintf(out, "\n");
}

void
report_table(const LadderTable *table, const Machine *machine, FILE *out)
{
    char text[64], number[UNITS_SIZE];
    const Operation *operation = &table->ladder->operation;
    fprintf(out, "\n%s %s", operation->name, ladder_size_text(table->ladder, table->size, text));
    if (table->ranks > 0)
        fprintf(out, ", %d rank%s", table->ranks, table->ranks > 1 ? "s" : "");
    if (table->ranks == 0 || table->threads > 1)
        fprintf(out, ", %d thread%s", table->threads, table->threads > 1 ? "s" : "");
    const char *separator = ": ";
    if (table->flops > 0.0) {
        fprintf(out, "%s%s", separator, units_format(number, table->flops, "FLOP"));
        separator = ", ";
    }
    if (table->bytes > 0.0) {
        fprintf(out, "%s%s", separator, units_bytes(number, table->bytes));
        separator = ", ";
    }
    if (machine != NULL && table->flops > 0.0 && table->bytes > 0.0)
        report_level(table, machine, out);
    if (!isnan(table->bound))
        fprintf(out, "%sbound %s", separator, units_format(number, table->bound, "s"));
    if (table->roof == ROOF_PEAK)
        fprintf(out, " at %s", units_format(number, table->flops / table->bound, "FLOP/s"));
    fprintf(out, "; %d rounds", table->rounds);
    if (table->discarded > 0)
        fprintf(out, ", %d more discarded: other machines took processor time", table->discarded);
    fprintf(out, "\n");
    print_header(table, out);
    for (int i = 0; i < table->count; i++)
        print_row(table, &table->rows[i], out);
    report_ways(table, out);
    if (operation->note != NULL)
        operation->note(table, out);
}
