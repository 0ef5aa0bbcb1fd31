/* The tables of training steps for people, as CSV and as JSON.
 * SPDX-License-Identifier: MIT */
#include "cli/bench_step.h"
#include "core/csv.h"
#include "core/host.h"
#include "core/json.h"
#include "core/stats.h"
#include "core/units.h"
#include "ladder/ladder.h"
#include <math.h>
#include <stdio.h>

/* What multiplications alone would take on cores that do nothing else: no step can be faster. */
static double
bound(const BenchStep *bench, int threads)
{
    return bench->batch * machine_flops(&bench->machine, threads) / bench->flops;
}

/* The ratio of a row to the peer's, or to the first row's. */
static Interval
ratio_of(const BenchStepTable *table, int r)
{
    const int to = table->has_peer ? table->rows - 1 : 0;
    return stats_ratio(table->row[r].rates, table->row[to].rates, (size_t)table->rounds, 1);
}

void
bench_step_print(const BenchStep *bench, const BenchStepTable *table)
{
    char rate[UNITS_SIZE], flops[UNITS_SIZE], network[BENCH_NET_TEXT];
    printf("%d thread%s, %s: %s, softmax loss, SGD, batch %d: %zu parameters, %s a step\n", table->threads,
           table->threads == 1 ? "" : "s", host_get()->processor, bench_net_text(&bench->net, network), bench->batch,
           bench->parameters, units_format(flops, bench->flops, "FLOP"));
    printf("  %-44s %16s %8s %10s %14s   %s\n", "", "samples", "spread", "a step", "rate",
           table->has_peer ? "times PyTorch" : "times the first row");
    for (int r = 0; r < table->rows; r++) {
        const Stats stats = stats_of(table->row[r].rates, (size_t)table->rounds);
        const Interval ratio = ratio_of(table, r);
        Comparison comparison = {.ratio = ratio};
        ladder_judge(&comparison);
        const double step = bench->batch / stats.median;
        char seconds[UNITS_SIZE];
        printf("  %-44s %16s %6.1f %% %10s %14s   %.2f (%.2f to %.2f)%s\n", table->row[r].name,
               units_format(rate, stats.median, "/s"), 100 * stats_spread(&stats), units_format(seconds, step, "s"),
               units_format(flops, bench->flops / step, "FLOP/s"), ratio.value, ratio.low, ratio.high,
               comparison.noisy ? ": too noisy to say" : "");
    }
    printf("  %-44s %16s %8s %10s %14s\n\n", "bound: the products at the measured peak",
           units_format(rate, bound(bench, table->threads), "/s"), "", "",
           units_format(flops, machine_flops(&bench->machine, table->threads), "FLOP/s"));
}

static void
csv_row(Csv *csv, const BenchStep *bench, const BenchStepTable *table, int r)
{
    const Stats stats = stats_of(table->row[r].rates, (size_t)table->rounds);
    const Interval ratio = ratio_of(table, r);
    const double numbers[] = {
        stats.median, stats.low, stats.high, bench->flops * stats.median / bench->batch, bound(bench, table->threads),
        ratio.value,  ratio.low, ratio.high};
    csv_text(csv, table->row[r].name);
    csv_integer(csv, table->threads);
    csv_integer(csv, bench->batch);
    csv_integer(csv, (long long)bench->parameters);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        csv_number(csv, numbers[i]);
    csv_end_row(csv);
}

bool
bench_step_csv(const BenchStep *bench, Error *error)
{
    Csv *csv =
        csv_create(bench->csv,
                   "row,threads,batch,parameters,samples_per_second,first_quartile,third_quartile,flops_per_second,"
                   "bound_samples_per_second,ratio,ratio_low,ratio_high",
                   error);
    if (!csv)
        return false;
    for (int t = 0; t < bench->threads.count; t++)
        for (int r = 0; r < bench->tables[t].rows; r++)
            csv_row(csv, bench, &bench->tables[t], r);
    return csv_close(csv, error);
}

static cJSON *
json_table(const BenchStep *bench, const BenchStepTable *table)
{
    cJSON *json = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(json, "rows");
    cJSON_AddNumberToObject(json, "threads", table->threads);
    cJSON_AddNumberToObject(json, "bound_samples_per_second", bound(bench, table->threads));
    for (int r = 0; r < table->rows; r++) {
        cJSON *row = cJSON_CreateObject();
        const Interval ratio = ratio_of(table, r);
        cJSON_AddStringToObject(row, "name", table->row[r].name);
        cJSON_AddItemToObject(row, "samples_per_second", json_doubles(table->row[r].rates, (size_t)table->rounds));
        cJSON_AddItemToObject(row, "ratio", json_doubles((double[]){ratio.value, ratio.low, ratio.high}, 3));
        cJSON_AddItemToArray(rows, row);
    }
    return json;
}

bool
bench_step_json(const BenchStep *bench, Error *error)
{
    cJSON *json = cJSON_CreateObject(), *tables = cJSON_CreateArray();
    double hidden[OPTION_LIST_MAX];
    for (int l = 0; l < bench->net.hidden.count; l++)
        hidden[l] = bench->net.hidden.values[l];
    cJSON_AddItemToObject(json, "host", json_host());
    cJSON_AddStringToObject(json, "network", bench->net.model ? bench->net.model->name : "mlp");
    cJSON_AddNumberToObject(json, "inputs", bench->net.inputs);
    cJSON_AddItemToObject(json, "hidden", json_doubles(hidden, (size_t)bench->net.hidden.count));
    cJSON_AddNumberToObject(json, "classes", bench->net.classes);
    cJSON_AddNumberToObject(json, "batch", bench->batch);
    cJSON_AddNumberToObject(json, "parameters", (double)bench->parameters);
    cJSON_AddNumberToObject(json, "flops_per_step", bench->flops);
    for (int t = 0; t < bench->threads.count; t++)
        cJSON_AddItemToArray(tables, json_table(bench, &bench->tables[t]));
    cJSON_AddItemToObject(json, "tables", tables);
    const bool ok = json_write(bench->json, json, error);
    cJSON_Delete(json);
    return ok;
}
