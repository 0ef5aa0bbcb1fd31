/* Tables of collectives, in nccl-tests' columns. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "core/host.h"
#include "core/units.h"
#include "ladder/report.h"
#include "mpi/collectives/allreduce/library_forced.h"
#include "mpi/model/fit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool
reduces(CollectiveKind kind)
{
    return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER;
}

const char *
collective_redop(const CollectiveBench *bench)
{
    return reduces(bench->ladder->kind) ? reduction_name(bench->op) : "none";
}

int
collective_root(const CollectiveBench *bench)
{
    const CollectiveKind kind = bench->ladder->kind;
    const bool has_root = kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_BROADCAST || kind == COLLECTIVE_GATHER ||
                          kind == COLLECTIVE_SCATTER;
    return has_root ? bench->root : -1;
}

double
collective_bus_bandwidth(const CollectiveBench *bench, const CollectiveTable *table, const CollectiveTime *time)
{
    return (double)table->bytes / time->time.median * collective_bus_factor(bench->ladder->kind, bench->comm->size);
}

/* The library is to stand at its best: so it is said how its ranks copy, and how they could. */
static void
print_single_copy(void)
{
    char name[32];
    library_single_copy(name);
    if (strcmp(name, "none") == 0)
        printf(
            "  single-copy mechanism of Open MPI's vader: none, long messages within a node are copied twice; one "
            "copy,\n"
            "  where the system allows it: OMPI_MCA_btl_vader_single_copy_mechanism=cma (tools/mpirun.sh turns it off "
            "for root\n  and in containers)\n");
    else
        printf("  single-copy mechanism of Open MPI's vader: %s\n", name[0] != '\0' ? name : "not known");
}

static void
print_predicted(const CollectiveBench *bench)
{
    if (bench->comm->size == 1)
        printf("  predicted: nothing, as one rank sends nothing\n");
    else if (cost_parameters_of(bench->comm)->noisy)
        printf("  predicted: nothing, the machine is too noisy: samples of one message differ by more than %.0f %%; "
               "end other "
               "programs\n",
               100 * FIT_SPREAD);
    else
        printf("  predicted: by the model fitted to this machine just now; of it: the time as a multiple of that\n");
}

void
collective_print_head(const CollectiveBench *bench)
{
    const Host *host = host_get();
    const Comm *comm = bench->comm;
    char rate[2][UNITS_SIZE];
    printf("%s: %s\n", bench->ladder->name, bench->ladder->formula);
    printf("  %d rank%s on %d node%s, %s\n", comm->size, comm->size > 1 ? "s" : "", comm->nodes,
           comm->nodes > 1 ? "s" : "", host->mpi);
    print_single_copy();
    printf("  %s, %d cores, %s, %s\n", host->processor, host->cores, host->system, host->compiler);
    if (comm->size > host->cores * comm->nodes)
        printf("  more ranks than cores: they take turns, and times say little\n");
    if (comm->size == 1)
        printf("  one rank alone has nobody to talk to; two: sh tools/mpirun.sh 2 build/rungs bench %s\n",
               bench->ladder->name);
    if (bench->strict)
        printf("  every send waits for its receiver: times are longer than they need be\n");
    if (bench->in_window)
        printf("  vectors lie in memory that the ranks of a node share\n");
    printf(
        "  time: of one call, on the slowest rank, the median of the rounds; algbw, busbw in GB/s: size / time; algbw "
        "x "
        "%.3g,\n"
        "  what each rank's line must carry; wrong: elements that are not exactly right, of all checks on all ranks\n",
        collective_bus_factor(bench->ladder->kind, comm->size));
    print_predicted(bench);
    printf("  moved: bytes that the busiest rank loads and stores; limit: microseconds that these take at the "
           "bandwidth of "
           "the cache\n"
           "  that ranks share, %s here, or of memory, %s; a nearer cache may keep part of them\n"
           "  times: how many times as fast as the library's fastest row, with the 95 %% interval\n",
           units_format(rate[0], bench->read, "B/s"), units_format(rate[1], bench->write_read, "B/s"));
}

/* ---- nccl-tests' columns ---------------------------------------------------------------------------------------------- */

static void
print_columns(void)
{
    printf("%-22s %10s %9s %-6s %-5s %4s  %28s  %27s\n", "", "size", "count", "type", "redop", "root",
           "------- out of place -------", "--------- in place --------");
    printf("%-22s %10s %9s %-6s %-5s %4s  %8s %6s %6s %5s  %7s %6s %6s %5s\n", "", "(B)", "", "", "", "", "time us",
           "algbw", "busbw", "wrong", "time us", "algbw", "busbw", "wrong");
}

/* Three digits or more, and none that say nothing. */
static int
decimals(double microseconds)
{
    return microseconds < 10 ? 3 : microseconds < 1000 ? 2 : microseconds < 1e5 ? 1 : 0;
}

static void
print_time(const CollectiveBench *bench, const CollectiveTable *table, const CollectiveTime *time, int width)
{
    if (time->state != ROW_MEASURED) {
        printf("  %*s %6s %6s", width, "-", "-", "-");
        if (time->state == ROW_WRONG)
            printf(" %5zu", time->wrong);
        else
            printf(" %5s", "-");
        return;
    }
    const double bus = collective_bus_bandwidth(bench, table, time), microseconds = 1e6 * time->time.median;
    printf("  %*.*f %6.2f %6.2f %5zu", width, decimals(microseconds), microseconds,
           1e-9 * (double)table->bytes / time->time.median, 1e-9 * bus, time->wrong);
}

/* Why a row has no time. A way that the operation does not know needs no words. */
static void
print_reasons(const CollectiveTable *table, const CollectiveRow *row)
{
    const char *before = "";
    for (int place = 0; place < PLACES; place++) {
        const CollectiveTime *time = &row->place[place];
        if (!table->has[place] || time->state == ROW_MEASURED || strcmp(before, time->reason) == 0)
            continue;
        printf("  %s %s: %s\n", row->rung->name, time->state == ROW_WRONG ? "WRONG" : "skipped", time->reason);
        before = time->reason;
    }
}

static void
print_row(const CollectiveBench *bench, const CollectiveTable *table, const CollectiveRow *row)
{
    printf("%-22s %10zu %9zu %-6s %-5s %4d", row->rung->name, table->bytes, table->count, element_name(bench->type),
           collective_redop(bench), collective_root(bench));
    print_time(bench, table, &row->place[OUT_OF_PLACE], 8);
    print_time(bench, table, &row->place[IN_PLACE], 7);
    printf("\n");
}

/* ---- beside the model and the library --------------------------------------------------------------------------------- */

static const char *
microseconds_text(char text[UNITS_SIZE], double seconds)
{
    if (isnan(seconds))
        return "";
    snprintf(text, UNITS_SIZE, "%.*f", decimals(1e6 * seconds), 1e6 * seconds);
    return text;
}

static void
times_text(const CollectiveTime *time, const CollectiveRung *rung, char text[128])
{
    char ratio[64];
    text[0] = '\0';
    if (time->state == ROW_MEASURED && time->peer != NULL && time->peer != rung)
        snprintf(text, 128, "%s %s", report_comparison(&time->times_peer, ratio), time->peer->name);
}

static void
print_beside(const CollectiveTable *table, int place)
{
    printf("  %-22s %9s %9s %6s %9s %9s  %s\n", place == IN_PLACE ? "in place" : "out of place", "time (us)",
           "predicted", "of it", "moved", "limit", "times");
    for (int i = 0; i < table->rows; i++) {
        const CollectiveTime *time = &table->row[i].place[place];
        char measured[UNITS_SIZE], predicted[UNITS_SIZE], limit[UNITS_SIZE], moved[UNITS_SIZE] = "", share[16] = "",
                                                                             times[128];
        if (time->state != ROW_MEASURED)
            continue;
        if (!isnan(time->moved))
            units_bytes(moved, time->moved);
        if (!isnan(time->predicted))
            snprintf(share, sizeof share, "%.2f", time->time.median / time->predicted);
        times_text(time, table->row[i].rung, times);
        printf("  %-22s %9s %9s %6s %9s %9s  %s\n", table->row[i].rung->name,
               microseconds_text(measured, time->time.median),
               time->noisy ? "too noisy" : microseconds_text(predicted, time->predicted), share, moved,
               microseconds_text(limit, time->limit), times);
    }
}

void
collective_print_table(const CollectiveBench *bench, const CollectiveTable *table)
{
    char size[UNITS_SIZE];
    printf("\n%s %s, %d rank%s, %d rounds", bench->ladder->name, units_bytes(size, (double)table->bytes),
           bench->comm->size, bench->comm->size > 1 ? "s" : "", table->rounds);
    if (table->discarded > 0)
        printf(", %d more discarded: other machines took processor time", table->discarded);
    printf("\n");
    print_columns();
    for (int i = 0; i < table->rows; i++)
        print_row(bench, table, &table->row[i]);
    for (int i = 0; i < table->rows; i++)
        print_reasons(table, &table->row[i]);
    for (int place = 0; place < PLACES; place++)
        if (table->has[place])
            print_beside(table, place);
    fflush(stdout);
}

#endif
