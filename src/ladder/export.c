/* Results as CSV and JSON.
 * SPDX-License-Identifier: MIT */
#include "core/csv.h"
#include "core/json.h"
#include "ladder/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *
state_text(RowState state)
{
    return state == ROW_MEASURED ? "measured" : state == ROW_SKIPPED ? "skipped" : "wrong";
}

static void
csv_optional(Csv *csv, bool known, double number)
{
    if (known)
        csv_number(csv, number);
    else
        csv_text(csv, "");
}

static void
csv_comparison(Csv *csv, const Comparison *comparison)
{
    const bool known = comparison->with != NULL;
    csv_optional(csv, known, comparison->ratio.value);
    csv_optional(csv, known, comparison->ratio.low);
    csv_optional(csv, known, comparison->ratio.high);
}

static const char *
kind_text(const Rung *rung)
{
    return rung->peer ? "peer" : rung->reference ? "reference" : "rung";
}

static void
csv_row(Csv *csv, const LadderTable *table, const LadderRow *row)
{
    const bool measured = row->state == ROW_MEASURED;
    char size[64];
    csv_add(csv, "%s %s %d %s %s %s %lld %lld", table->ladder->operation.name,
            ladder_size_text(table->ladder, table->size, size), table->threads, row->rung->name, state_text(row->state),
            row->reason, (long long)table->flops, (long long)table->bytes);
    csv_optional(csv, measured, row->time.median);
    csv_optional(csv, measured, row->time.min);
    csv_optional(csv, measured, row->time.low);
    csv_optional(csv, measured, row->time.high);
    csv_optional(csv, measured, table->rounds);
    csv_optional(csv, !isnan(row->predicted), row->predicted);
    csv_optional(csv, !isnan(table->bound), table->bound);
    csv_number(csv, row->error);
    csv_comparison(csv, &row->naive);
    csv_comparison(csv, &row->before);
    csv_comparison(csv, &row->peer);
    csv_add(csv, "%s %s", row->peer.with != NULL ? row->peer.with->name : "", kind_text(row->rung));
    for (const Fact *fact = table->ladder->operation.facts; fact != NULL && fact->name != NULL; fact++)
        csv_text(csv, fact->value);
    for (const Column *column = table->ladder->operation.columns; column != NULL && column->name != NULL; column++) {
        const double value = measured ? column->value(table, row) : NAN;
        if (column->unit[0] == '\0' && value == floor(value)) /* a count */
            csv_integer(csv, (long long)value);
        else
            csv_optional(csv, !isnan(value), value);
    }
    csv_end_row(csv);
}

bool
report_csv(const LadderReport *report, const char *path, Error *error)
{
    char header[2048] =
        "operation,size,threads,rung,state,reason,flops,bytes,seconds,seconds_min,seconds_low,seconds_high,"
        "rounds,seconds_predicted,seconds_bound,error_in_tolerances,times_naive,times_naive_low,"
        "times_naive_high,times_before,times_before_low,times_before_high,times_peer,times_peer_low,"
        "times_peer_high,peer,kind";
    const Operation *operation = &report->ladder->operation;
    for (const Fact *fact = operation->facts; fact != NULL && fact->name != NULL; fact++)
        snprintf(header + strlen(header), sizeof header - strlen(header), ",%s", fact->name);
    for (const Column *column = operation->columns; column != NULL && column->name != NULL; column++)
        snprintf(header + strlen(header), sizeof header - strlen(header), ",%s", column->name);
    Csv *csv = csv_create(path, header, error);
    if (csv == NULL)
        return false;
    for (int t = 0; t < report->count; t++)
        for (int i = 0; i < report->tables[t]->count; i++)
            csv_row(csv, report->tables[t], &report->tables[t]->rows[i]);
    return csv_close(csv, error);
}

static void
json_comparison(cJSON *parent, const char *name, const Comparison *comparison)
{
    if (comparison->with == NULL)
        return;
    cJSON *json = cJSON_AddObjectToObject(parent, name);
    json_add(json, "with %s, ratio %g, low %g, high %g", comparison->with->name, comparison->ratio.value,
             comparison->ratio.low, comparison->ratio.high);
    cJSON_AddBoolToObject(json, "too_noisy_to_say", comparison->noisy);
}

static cJSON *
json_row(const LadderTable *table, const LadderRow *row)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "rung %s", row->rung->name);
    if (row->rung->file != NULL)
        json_add(json, "file %s", row->rung->file);
    json_add(json, "kind %s, state %s", kind_text(row->rung), state_text(row->state));
    if (row->state != ROW_MEASURED) {
        json_add(json, "reason %s", row->reason);
        return json;
    }
    json_add(json, "seconds %g, seconds_predicted %g", row->time.median, row->predicted);
    for (const Column *column = table->ladder->operation.columns; column != NULL && column->name != NULL; column++)
        cJSON_AddNumberToObject(json, column->name, column->value(table, row));
    json_add(json, "error_in_tolerances %g, calls_per_sample %zu", row->error, row->calls);
    cJSON_AddItemToObject(json, "samples", json_doubles(row->seconds, (size_t)table->rounds));
    json_comparison(json, "times_naive", &row->naive);
    json_comparison(json, "times_before", &row->before);
    json_comparison(json, "times_peer", &row->peer);
    return json;
}

static cJSON *
json_table(const LadderTable *table)
{
    cJSON *json = cJSON_CreateObject(), *size = cJSON_AddArrayToObject(json, "size");
    for (int i = 0; i < table->ladder->operation.dimension_count; i++)
        cJSON_AddItemToArray(size, cJSON_CreateNumber(table->size[i]));
    json_add(json, "threads %d, rounds %d, rounds_discarded %d, flops %g, bytes %g, seconds_bound %g", table->threads,
             table->rounds, table->discarded, table->flops, table->bytes, table->bound);
    cJSON *rows = cJSON_AddArrayToObject(json, "rows");
    for (int i = 0; i < table->count; i++)
        cJSON_AddItemToArray(rows, json_row(table, &table->rows[i]));
    return json;
}

static cJSON *
json_peaks(const MachinePeaks *peaks)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "threads %d, fma_flops_per_second %g, fma256_flops_per_second %g", peaks->threads, peaks->fma,
             peaks->fma256);
    cJSON *read = cJSON_AddObjectToObject(json, "read_bytes_per_second");
    for (int level = 0; level < MACHINE_LEVELS; level++)
        cJSON_AddNumberToObject(read, machine_level_name(level), peaks->read[level]);
    json_add(json, "triad_bytes_per_second %g", peaks->triad);
    return json;
}

bool
report_json(const LadderReport *report, const char *path, Error *error)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "operation %s, tolerance %s, seed %llu", report->ladder->operation.name,
             report->ladder->operation.tolerance, (unsigned long long)report->seed);
    for (const Fact *fact = report->ladder->operation.facts; fact != NULL && fact->name != NULL; fact++)
        cJSON_AddStringToObject(json, fact->name, fact->value);
    cJSON_AddItemToObject(json, "host", json_host());
    cJSON *peers = cJSON_AddObjectToObject(json, "peers");
    for (int i = 0; report->count > 0 && i < report->tables[0]->count; i++) {
        const Rung *rung = report->tables[0]->rows[i].rung;
        if (rung->describe != NULL)
            cJSON_AddStringToObject(peers, rung->name, rung->describe());
    }
    if (report->machine != NULL) {
        cJSON *peaks = cJSON_AddArrayToObject(json, "peaks");
        cJSON_AddItemToArray(peaks, json_peaks(&report->machine->one));
        if (report->machine->all.threads > 1)
            cJSON_AddItemToArray(peaks, json_peaks(&report->machine->all));
        cJSON_AddNumberToObject(json, "chain_seconds", report->machine->chain);
    }
    cJSON *tables = cJSON_AddArrayToObject(json, "tables");
    for (int t = 0; t < report->count; t++)
        cJSON_AddItemToArray(tables, json_table(report->tables[t]));
    bool written = json_write(path, json, error);
    cJSON_Delete(json);
    return written;
}
