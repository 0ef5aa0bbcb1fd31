/* The table of data-parallel training. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/host.h"
#include "core/stats.h"
#include "core/units.h"
#include "ladder/ladder.h"
#include "mpi/model/fit.h"
#include <math.h>
#include <stdio.h>

const BenchParallelRow *
bench_parallel_find(const BenchParallel *bench, BenchParallelKind kind)
{
    for (int r = 0; r < bench->rows; r++)
        if (bench->row[r].kind == kind)
            return &bench->row[r];
    return NULL;
}

double
bench_parallel_seconds(const BenchParallel *bench, const BenchParallelRow *row)
{
    return stats_median(row->seconds, (size_t)bench->rounds);
}

double
bench_parallel_communication(const BenchParallel *bench, const BenchParallelRow *row)
{
    return row->kind == BENCH_PLAN ? stats_median(row->communication, (size_t)bench->rounds) : NAN;
}

double
bench_parallel_rate(const BenchParallel *bench, const BenchParallelRow *row)
{
    return bench->batch * (row->kind == BENCH_ALONE ? 1 : bench->comm->size) / bench_parallel_seconds(bench, row);
}

double
bench_parallel_hidden(const BenchParallel *bench, const BenchParallelRow *row)
{
    const double communication = bench_parallel_communication(bench, row);
    const Stats stats = stats_of(row->seconds, (size_t)bench->rounds);
    if (!(row->hideable > 0.01 * communication && row->hideable > stats.high - stats.low))
        return NAN;
    const double apart = bench_parallel_seconds(bench, bench_parallel_find(bench, BENCH_APART));
    return (apart + communication - bench_parallel_seconds(bench, row)) / row->hideable;
}

Comparison
bench_parallel_ratio(const BenchParallel *bench, const BenchParallelRow *row, BenchParallelKind to)
{
    const BenchParallelRow *other = bench_parallel_find(bench, to);
    Comparison comparison = {.ratio = {NAN, NAN, NAN}};
    if (other == NULL || row->kind == BENCH_PEER || (to == BENCH_PEER && row->kind != BENCH_PLAN))
        return comparison;
    comparison.ratio = stats_ratio(other->seconds, row->seconds, (size_t)bench->rounds, 1);
    ladder_judge(&comparison);
    return comparison;
}

/* ---- the head --------------------------------------------------------------------------------------------------------- */

static const char *
plural(int n)
{
    return n == 1 ? "" : "s";
}

void
bench_parallel_head(const BenchParallel *bench)
{
    const Host *host = host_get();
    const Comm *comm = bench->comm;
    char text[BENCH_NET_TEXT], bytes[UNITS_SIZE];
    printf("data-parallel SGD of %s, softmax loss: batch %d on each rank, %d in all; %zu parameters, %s\n",
           bench_net_text(&bench->net, text), bench->batch, bench->batch * comm->size, bench->parameters,
           units_bytes(bytes, (double)bench->parameters * sizeof(float)));
    printf("  %d rank%s on %d node%s, %d thread%s each, %s kernels, %s\n", comm->size, plural(comm->size), comm->nodes,
           plural(comm->nodes), bench->threads, plural(bench->threads), bench->kernels, host->mpi);
    printf("  %s, %d cores, %s, %s\n", host->processor, host->cores, host->system, host->compiler);
    if (comm->node_largest * bench->threads > host->cores)
        printf("  more threads than cores: they take turns, and times say little\n");
    if (comm->size == 1)
        printf("  one rank has nobody to learn with; two: sh tools/mpirun.sh 2 build/rungs bench parallel %s\n",
               bench->net.model != NULL ? bench->net.model->name : "mlp");
    printf(
        "  step: on the slowest rank, the median of %d rounds of %d steps, and the spread of the middle half; samples "
        "of all ranks\n"
        "  efficiency: how many times as fast as one rank alone on its samples, with the 95 %% interval\n"
        "  comm: the plan's all-reduces one after the other, nothing else going on; hidden: of what can be, by the "
        "model, if that\n  is more than the spread\n"
        "  predicted: from the measured layers and the fitted network, and the step as a multiple of it\n"
        "  #wrong: weights that after %d steps differ between ranks, from one process with the whole batches by more "
        "than 1e-5,\n"
        "  or from the first plan's by more than 1e-6, before and after timing\n\n",
        bench->rounds, bench->steps, BENCH_PARALLEL_CHECKED);
    if (!bench->compared)
        printf("  not compared with one process: batch normalisation sees another batch there\n\n");
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

enum { CELL = 32 };

static const char *
cell(char text[CELL], const char *format, double number)
{
    snprintf(text, CELL, "-");
    if (!isnan(number))
        snprintf(text, CELL, format, number);
    return text;
}

static void
print_ratio(char text[96], Comparison comparison)
{
    const Interval r = comparison.ratio;
    snprintf(text, 96, "-");
    if (!isnan(r.value))
        snprintf(text, 96, "%.3f [%.3f, %.3f]%s", r.value, r.low, r.high, comparison.noisy ? " noisy" : "");
}

static void
print_row(const BenchParallel *bench, const BenchParallelRow *row)
{
    const Stats stats = stats_of(row->seconds, (size_t)bench->rounds);
    char buckets[CELL], communication[CELL], hidden[CELL], predicted[CELL], share[CELL], wrong[CELL], efficiency[96];
    const bool plan = row->kind == BENCH_PLAN;
    print_ratio(efficiency, bench_parallel_ratio(bench, row, BENCH_ALONE));
    printf("%-24s %7s %10.3f %7.1f %% %11.0f   %-22s %9s %9s %10s %6s %7s\n", row->name,
           cell(buckets, "%.0f", plan ? row->buckets : NAN), 1e3 * stats.median, 100 * stats_spread(&stats),
           bench_parallel_rate(bench, row), efficiency,
           cell(communication, "%.3f", 1e3 * bench_parallel_communication(bench, row)),
           cell(hidden, "%.0f %%", 100 * bench_parallel_hidden(bench, row)),
           cell(predicted, "%.3f", 1e3 * row->predicted), cell(share, "%.2f", stats.median / row->predicted),
           cell(wrong, "%.0f", plan ? (double)row->wrong : NAN));
}

/* Where the step of a rank by itself goes: what the prediction is made of. */
static void
print_parts(const BenchParallel *bench)
{
    const BenchParallelParts *parts = &bench->parts;
    printf("\n  a rank by itself: forward %.3f ms, backward", 1e3 * parts->forward);
    for (int l = 0; l < parts->layers && l < 12; l++)
        printf("%s %.3f", l > 0 ? " +" : "", 1e3 * parts->backward[l]);
    printf("%s ms (the last layer first), update %.3f ms\n", parts->layers > 12 ? " + .." : "", 1e3 * parts->update);
    if (bench->comm->model != NULL && cost_parameters_of(bench->comm)->noisy)
        printf(
            "  nothing is predicted, the machine is too noisy: samples of one message differ by more than %.0f %%; end "
            "other programs\n",
            100 * FIT_SPREAD);
}

static void
print_peer(const BenchParallel *bench)
{
    if (bench_parallel_find(bench, BENCH_PEER) == NULL)
        return;
    printf("\n  images per second, how many times those of %s:", bench->peer);
    for (int r = 0; r < bench->rows; r++) {
        char ratio[96];
        if (bench->row[r].kind != BENCH_PLAN)
            continue;
        print_ratio(ratio, bench_parallel_ratio(bench, &bench->row[r], BENCH_PEER));
        printf("\n    %-22s %s", bench->row[r].name, ratio);
    }
    printf("\n");
}

void
bench_parallel_table(const BenchParallel *bench)
{
    printf("%-24s %7s %10s %9s %11s   %-22s %9s %9s %10s %6s %7s\n", "", "buckets", "step (ms)", "spread", "samples/s",
           "efficiency", "comm (ms)", "hidden", "predicted", "of it", "#wrong");
    for (int r = 0; r < bench->rows; r++)
        print_row(bench, &bench->row[r]);
    for (int r = 0; r < bench->rows; r++)
        if (bench->row[r].wrong > 0)
            printf("  %s WRONG: %s\n", bench->row[r].name, bench->row[r].reason);
    print_parts(bench);
    print_peer(bench);
}

#endif
