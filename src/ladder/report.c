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

/* A line of the table from its cells; empty ones at the end leave no blanks. */
static void
print_line(FILE *out, const char *const cell[11])
{
    char line[640];
    int length = snprintf(line, sizeof line, "  %-13s %8s %7s %12s %9s %6s %7s %9s  %-17s  %-17s  %s", cell[0], cell[1],
                          cell[2], cell[3], cell[4], cell[5], cell[6], cell[7], cell[8], cell[9], cell[10]);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    fprintf(out, "%s\n", line);
}

static void
print_row(const LadderTable *table, const LadderRow *row, FILE *out)
{
    if (row->state != ROW_MEASURED) {
        fprintf(out, "  %-13s %s: %s\n", row->rung->name, row->state == ROW_WRONG ? "WRONG" : "skipped", row->reason);
        return;
    }
    char time[UNITS_SIZE], rate[UNITS_SIZE], traffic[UNITS_SIZE], predicted[UNITS_SIZE] = "", spread[16],
                                                                  share[16] = "", error[16];
    char naive[64], before[64], peer[64];
    const double seconds = row->time.median;
    snprintf(spread, sizeof spread, "%.1f %%", fmin(100.0 * stats_spread(&row->time), 999.9));
    if (!isnan(table->bound))
        snprintf(share, sizeof share, "%.0f %%", 100.0 * table->bound / seconds);
    const double worst = 100.0 * row->error * (row->rung->looser != NULL ? row->rung->looser(table->size) : 1.0);
    snprintf(error, sizeof error, "%.*f %%", worst < 10.0 ? 1 : 0, worst);
    if (!isnan(row->predicted))
        units_format(predicted, row->predicted, "s");
    comparison_text(&row->naive, naive);
    comparison_text(&row->before, before);
    comparison_text(&row->peer, peer);
    print_line(out, (const char *const[]){row->rung->name, units_format(time, seconds, "s"), spread,
                                          units_format(rate, table->flops / seconds, "FLOP/s"),
                                          units_format(traffic, table->bytes / seconds, "B/s"), share, error, predicted,
                                          naive, before, peer});
}

void
report_legend(FILE *out)
{
    fputs("\nThe columns of the tables:\n"
          "  time        of one call, the median of the rounds; spread: from the first to the third quartile, as a "
          "share of it\n"
          "  operations  additions and multiplications in a second\n"
          "  traffic     bytes in a second, if each input is read once and each output written once\n"
          "  bound       the least time that the machine allows, as a share of the time: 100 % is all that it can. "
          "Multiply-adds\n"
          "              and the triad are interleaved with the rungs; the rates of reading stand above.\n"
          "              Above 100 % a higher cache level kept part of the data, something disturbed the measuring of "
          "the "
          "peaks,\n"
          "              or a step in place moves less than the triad, which reads a line to write it\n"
          "  error       the largest of an element, as a share of what is right; a rung whose way loses more may have "
          "more\n"
          "  predicted   the time by the model of the rung, which stands in the ladder's folder; empty: it has none "
          "here\n"
          "  times ..    how many times as fast as that row, with the 95 % interval; the interval alone where it is "
          "wider "
          "than\n"
          "              10 %; too noisy to say: and not even which of the two is faster\n",
          out);
}

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
    char size[64], text[2][UNITS_SIZE];
    const char *peer = NULL;
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].peer.with != NULL)
            peer = table->rows[i].peer.with->name;
    fprintf(out, "\n%s %s, %d thread%s: %s, %s", table->ladder->operation.name,
            ladder_size_text(table->ladder, table->size, size), table->threads, table->threads > 1 ? "s" : "",
            units_format(text[0], table->flops, "FLOP"), units_bytes(text[1], table->bytes));
    if (machine != NULL)
        report_level(table, machine, out);
    if (!isnan(table->bound))
        fprintf(out, ", bound %s", units_format(text[0], table->bound, "s"));
    if (table->roof == ROOF_PEAK)
        fprintf(out, " at %s", units_format(text[0], table->flops / table->bound, "FLOP/s"));
    fprintf(out, "; %d rounds", table->rounds);
    if (table->discarded > 0)
        fprintf(out, ", %d more discarded: other machines took processor time", table->discarded);
    fprintf(out, "\n");
    char times_lowest[64], times_peer[64] = "";
    snprintf(times_lowest, sizeof times_lowest, "times %s", table->ladder->rungs[0].name);
    if (peer != NULL)
        snprintf(times_peer, sizeof times_peer, "times %s", peer);
    print_line(out, (const char *const[]){"rung", "time", "spread", "operations", "traffic", "bound", "error",
                                          "predicted", times_lowest, "times rung before", times_peer});
    for (int i = 0; i < table->count; i++)
        print_row(table, &table->rows[i], out);
    report_ways(table, out);
}
