/* What was measured of data-parallel training, as CSV and JSON. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/csv.h"
#include "core/json.h"
#include "core/stats.h"
#include <math.h>

static const char *const kinds[] = {
    [BENCH_ALONE] = "alone", [BENCH_APART] = "apart", [BENCH_PLAN] = "plan", [BENCH_PEER] = "peer"};

static void
csv_known(Csv *csv, double number)
{
    if (isnan(number))
        csv_text(csv, "");
    else
        csv_number(csv, number);
}

static void
csv_counted(Csv *csv, bool known, long long number)
{
    if (known)
        csv_integer(csv, number);
    else
        csv_text(csv, "");
}

static void
csv_ratio(Csv *csv, Comparison comparison)
{
    csv_known(csv, comparison.ratio.value);
    csv_known(csv, comparison.ratio.low);
    csv_known(csv, comparison.ratio.high);
}

static void
csv_row(Csv *csv, const BenchParallel *bench, const BenchParallelRow *row)
{
    const bool plan = row->kind == BENCH_PLAN;
    const Stats stats = stats_of(row->seconds, (size_t)bench->rounds);
    csv_text(csv, row->name);
    csv_text(csv, kinds[row->kind]);
    csv_text(csv, plan ? row->overlap : "");
    csv_text(csv, plan ? row->collectives->name : "");
    csv_integer(csv, bench->comm->size);
    csv_integer(csv, bench->comm->nodes);
    csv_integer(csv, bench->threads);
    csv_integer(csv, bench->batch);
    csv_integer(csv, (long long)bench->parameters);
    csv_counted(csv, plan, row->buckets);
    csv_known(csv, stats.median);
    csv_known(csv, stats.low);
    csv_known(csv, stats.high);
    csv_known(csv, bench_parallel_rate(bench, row));
    csv_ratio(csv, bench_parallel_ratio(bench, row, BENCH_ALONE));
    csv_known(csv, bench_parallel_communication(bench, row));
    csv_known(csv, row->hideable);
    csv_known(csv, bench_parallel_hidden(bench, row));
    csv_known(csv, row->predicted);
    csv_ratio(csv, bench_parallel_ratio(bench, row, BENCH_PEER));
    csv_counted(csv, plan, (long long)row->wrong);
    csv_end_row(csv);
}

bool
bench_parallel_csv(const BenchParallel *bench, Error *error)
{
    Csv *csv = csv_create(bench->csv,
                          "row,kind,overlap,collectives,ranks,nodes,threads,batch,parameters,buckets,seconds,"
                          "first_quartile,third_quartile,samples_per_second,efficiency,efficiency_low,efficiency_high,"
                          "seconds_communication,seconds_hideable,hidden,seconds_predicted,times_peer,times_peer_low,"
                          "times_peer_high,wrong",
                          error);
    if (csv == NULL)
        return false;
    for (int r = 0; r < bench->rows; r++)
        csv_row(csv, bench, &bench->row[r]);
    return csv_close(csv, error);
}

static cJSON *
json_row(const BenchParallel *bench, const BenchParallelRow *row)
{
    cJSON *json = cJSON_CreateObject();
    const Interval efficiency = bench_parallel_ratio(bench, row, BENCH_ALONE).ratio;
    cJSON_AddStringToObject(json, "name", row->name);
    cJSON_AddStringToObject(json, "kind", kinds[row->kind]);
    cJSON_AddItemToObject(json, "seconds", json_doubles(row->seconds, (size_t)bench->rounds));
    cJSON_AddNumberToObject(json, "samples_per_second", bench_parallel_rate(bench, row));
    if (row->kind != BENCH_PEER)
        cJSON_AddItemToObject(json, "efficiency",
                              json_doubles((double[]){efficiency.value, efficiency.low, efficiency.high}, 3));
    if (row->kind != BENCH_PLAN)
        return json;
    const Interval peer = bench_parallel_ratio(bench, row, BENCH_PEER).ratio;
    cJSON_AddStringToObject(json, "overlap", row->overlap);
    cJSON_AddStringToObject(json, "collectives", row->collectives->name);
    cJSON_AddNumberToObject(json, "buckets", row->buckets);
    cJSON_AddItemToObject(json, "seconds_communication", json_doubles(row->communication, (size_t)bench->rounds));
    cJSON_AddNumberToObject(json, "seconds_hideable", row->hideable);
    cJSON_AddNumberToObject(json, "hidden", bench_parallel_hidden(bench, row));
    cJSON_AddNumberToObject(json, "seconds_predicted", row->predicted);
    cJSON_AddItemToObject(json, "times_peer", json_doubles((double[]){peer.value, peer.low, peer.high}, 3));
    cJSON_AddNumberToObject(json, "wrong", (double)row->wrong);
    return json;
}

bool
bench_parallel_json(const BenchParallel *bench, Error *error)
{
    cJSON *json = cJSON_CreateObject();
    char text[BENCH_NET_TEXT];
    cJSON_AddItemToObject(json, "host", json_host());
    cJSON_AddStringToObject(json, "network", bench_net_text(&bench->net, text));
    cJSON_AddNumberToObject(json, "ranks", bench->comm->size);
    cJSON_AddNumberToObject(json, "nodes", bench->comm->nodes);
    cJSON_AddNumberToObject(json, "threads", bench->threads);
    cJSON_AddNumberToObject(json, "batch", bench->batch);
    cJSON_AddNumberToObject(json, "parameters", (double)bench->parameters);
    cJSON_AddNumberToObject(json, "steps", bench->steps);
    cJSON_AddNumberToObject(json, "seconds_forward", bench->parts.forward);
    cJSON_AddItemToObject(json, "seconds_backward", json_doubles(bench->parts.backward, (size_t)bench->parts.layers));
    cJSON_AddNumberToObject(json, "seconds_update", bench->parts.update);
    cJSON_AddStringToObject(json, "peer", bench->peer);
    cJSON *rows = cJSON_AddArrayToObject(json, "rows");
    for (int r = 0; r < bench->rows; r++)
        cJSON_AddItemToArray(rows, json_row(bench, &bench->row[r]));
    const bool written = json_write(bench->json, json, error);
    cJSON_Delete(json);
    return written;
}

#endif
