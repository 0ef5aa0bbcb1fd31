/* What was measured of collectives, as CSV, JSON and a figure. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "core/csv.h"
#include "core/json.h"
#include "ladder/figure.h"
#include <math.h>

static const char *const place_names[PLACES] = {"out", "in"};

static const char *
state_text(const CollectiveTime *time)
{
    return time->state == ROW_MEASURED ? "measured" : time->state == ROW_SKIPPED ? "skipped" : "wrong";
}

/* ---- CSV -------------------------------------------------------------------------------------------------------------- */

static void
csv_known(Csv *csv, bool known, double number)
{
    if (known && !isnan(number))
        csv_number(csv, number);
    else
        csv_text(csv, "");
}

static void
csv_comparison(Csv *csv, bool known, const Comparison *comparison)
{
    csv_known(csv, known, comparison->ratio.value);
    csv_known(csv, known, comparison->ratio.low);
    csv_known(csv, known, comparison->ratio.high);
}

static void
csv_row(Csv *csv, const CollectiveBench *bench, const CollectiveTable *table, const CollectiveRow *row, int place)
{
    const CollectiveTime *time = &row->place[place];
    const bool measured = time->state == ROW_MEASURED;
    csv_text(csv, bench->ladder->name);
    csv_integer(csv, bench->comm->size);
    csv_integer(csv, bench->comm->nodes);
    csv_integer(csv, (long long)table->bytes);
    csv_integer(csv, (long long)table->count);
    csv_text(csv, element_name(bench->type));
    csv_text(csv, collective_redop(bench));
    csv_integer(csv, collective_root(bench));
    csv_text(csv, row->rung->name);
    csv_text(csv, row->rung->peer ? "peer" : "rung");
    csv_text(csv, place_names[place]);
    csv_text(csv, state_text(time));
    csv_text(csv, time->reason);
    csv_integer(csv, (long long)time->wrong);
    csv_known(csv, measured, time->time.median);
    csv_known(csv, measured, time->time.low);
    csv_known(csv, measured, time->time.high);
    csv_known(csv, measured, table->rounds);
    csv_known(csv, measured, (double)table->bytes / time->time.median);
    csv_known(csv, measured, collective_bus_bandwidth(bench, table, time));
    csv_known(csv, true, time->predicted);
    csv_known(csv, true, time->moved);
    csv_known(csv, true, time->limit);
    csv_comparison(csv, time->peer != NULL, &time->times_mpi);
    csv_comparison(csv, time->peer != NULL, &time->times_peer);
    csv_text(csv, time->peer != NULL ? time->peer->name : "");
    csv_end_row(csv);
}

bool
collective_csv(const CollectiveReport *report, const char *path, Error *error)
{
    Csv *csv =
        csv_create(path,
                   "operation,ranks,nodes,bytes,count,type,redop,root,rung,kind,place,state,reason,wrong,seconds,"
                   "seconds_low,seconds_high,rounds,algbw,busbw,seconds_predicted,bytes_moved,seconds_limit,"
                   "times_mpi,times_mpi_low,times_mpi_high,times_peer,times_peer_low,times_peer_high,peer",
                   error);
    if (csv == NULL)
        return false;
    for (int t = 0; t < report->count; t++)
        for (int i = 0; i < report->tables[t]->rows; i++)
            for (int place = 0; place < PLACES; place++)
                if (report->tables[t]->has[place])
                    csv_row(csv, report->bench, report->tables[t], &report->tables[t]->row[i], place);
    return csv_close(csv, error);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

static void
json_comparison(cJSON *parent, const char *name, const CollectiveTime *time, const Comparison *comparison)
{
    if (time->peer == NULL)
        return;
    cJSON *json = cJSON_AddObjectToObject(parent, name);
    cJSON_AddNumberToObject(json, "ratio", comparison->ratio.value);
    cJSON_AddNumberToObject(json, "low", comparison->ratio.low);
    cJSON_AddNumberToObject(json, "high", comparison->ratio.high);
    cJSON_AddBoolToObject(json, "too_noisy_to_say", comparison->noisy);
}

static cJSON *
json_time(const CollectiveBench *bench, const CollectiveTable *table, const CollectiveTime *time)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "state", state_text(time));
    cJSON_AddNumberToObject(json, "wrong", (double)time->wrong);
    if (time->state != ROW_MEASURED) {
        cJSON_AddStringToObject(json, "reason", time->reason);
        return json;
    }
    cJSON_AddNumberToObject(json, "seconds", time->time.median);
    cJSON_AddNumberToObject(json, "algbw", (double)table->bytes / time->time.median);
    cJSON_AddNumberToObject(json, "busbw", collective_bus_bandwidth(bench, table, time));
    cJSON_AddNumberToObject(json, "seconds_predicted", time->predicted);
    cJSON_AddNumberToObject(json, "bytes_moved", time->moved);
    cJSON_AddNumberToObject(json, "seconds_limit", time->limit);
    cJSON_AddNumberToObject(json, "calls_per_sample", (double)time->calls);
    cJSON_AddItemToObject(json, "samples", json_doubles(time->seconds, (size_t)table->rounds));
    json_comparison(json, "times_mpi", time, &time->times_mpi);
    json_comparison(json, "times_peer", time, &time->times_peer);
    if (time->peer != NULL)
        cJSON_AddStringToObject(json, "peer", time->peer->name);
    return json;
}

static cJSON *
json_table(const CollectiveBench *bench, const CollectiveTable *table)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "bytes", (double)table->bytes);
    cJSON_AddNumberToObject(json, "count", (double)table->count);
    cJSON_AddNumberToObject(json, "rounds", table->rounds);
    cJSON_AddNumberToObject(json, "rounds_discarded", table->discarded);
    cJSON *rows = cJSON_AddArrayToObject(json, "rows");
    for (int i = 0; i < table->rows; i++) {
        const CollectiveRow *row = &table->row[i];
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "rung", row->rung->name);
        cJSON_AddStringToObject(entry, "file", row->rung->file != NULL ? row->rung->file : "");
        cJSON_AddBoolToObject(entry, "peer", row->rung->peer);
        for (int place = 0; place < PLACES; place++)
            if (table->has[place])
                cJSON_AddItemToObject(entry, place == IN_PLACE ? "in_place" : "out_of_place",
                                      json_time(bench, table, &row->place[place]));
        cJSON_AddItemToArray(rows, entry);
    }
    return json;
}

bool
collective_json(const CollectiveReport *report, const char *path, Error *error)
{
    const CollectiveBench *bench = report->bench;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "operation", bench->ladder->name);
    cJSON_AddNumberToObject(json, "ranks", bench->comm->size);
    cJSON_AddNumberToObject(json, "nodes", bench->comm->nodes);
    cJSON_AddStringToObject(json, "type", element_name(bench->type));
    cJSON_AddStringToObject(json, "redop", collective_redop(bench));
    cJSON_AddNumberToObject(json, "root", collective_root(bench));
    cJSON_AddNumberToObject(json, "seed", (double)bench->seed);
    cJSON_AddBoolToObject(json, "in_window", bench->in_window);
    cJSON_AddNumberToObject(json, "read_bytes_per_second", bench->read);
    cJSON_AddNumberToObject(json, "memory_bytes_per_second", bench->write_read);
    cJSON_AddItemToObject(json, "host", json_host());
    cJSON *tables = cJSON_AddArrayToObject(json, "tables");
    for (int t = 0; t < report->count; t++)
        cJSON_AddItemToArray(tables, json_table(bench, report->tables[t]));
    const bool written = json_write(path, json, error);
    cJSON_Delete(json);
    return written;
}

/* ---- SVG -------------------------------------------------------------------------------------------------------------- */

static double
height(const CollectiveReport *report, int t, const CollectiveTime *time)
{
    if (time->state != ROW_MEASURED)
        return NAN;
    return 1e-9 * collective_bus_bandwidth(report->bench, report->tables[t], time);
}

/* A line for each size: bytes, then each row's bus bandwidth. Returns how many points each row has. */
static void
write_data(Gnuplot *plot, const CollectiveReport *report, int place, int points[LADDER_RUNGS])
{
    fprintf(plot->script, "$%s << END\n", place_names[place]);
    for (int t = 0; t < report->count; t++) {
        fprintf(plot->script, "%zu", report->tables[t]->bytes);
        for (int i = 0; i < report->bench->count; i++) {
            const double bandwidth = height(report, t, &report->tables[t]->row[i].place[place]);
            points[i] += bandwidth > 0;
            fprintf(plot->script, " %.9g", bandwidth > 0 ? bandwidth : NAN);
        }
        fprintf(plot->script, "\n");
    }
    fprintf(plot->script, "END\n");
}

static void
write_panel(Gnuplot *plot, const CollectiveReport *report, int place)
{
    const CollectiveBench *bench = report->bench;
    int points[LADDER_RUNGS] = {0};
    write_data(plot, report, place, points);
    fprintf(plot->script, "set title '%s'\nplot ", place == IN_PLACE ? "in place" : "out of place");
    const char *separator = "";
    for (int i = 0; i < bench->count; i++) {
        if (points[i] == 0)
            continue; /* gnuplot complains of a line without a point */
        const int line = figure_linetype_of(bench->rungs[i]->peer, collective_place(bench->ladder, bench->rungs[i]));
        fprintf(plot->script, "%s$%s using 1:%d with linespoints linetype %d title ", separator, place_names[place],
                i + 2, line);
        gnuplot_text(plot, bench->rungs[i]->name);
        separator = ", ";
    }
    fprintf(plot->script, "%s\n", separator[0] == '\0' ? "NaN notitle" : "");
}

static void
write_ticks(Gnuplot *plot, const CollectiveReport *report)
{
    double least = INFINITY, most = 0;
    for (int t = 0; t < report->count; t++) {
        least = fmin(least, (double)report->tables[t]->bytes);
        most = fmax(most, (double)report->tables[t]->bytes);
    }
    figure_size_ticks(plot, least, most);
}

enum { PANEL_WIDTH = 620, LEGEND_LINE = 17 }; /* pixels */

bool
collective_svg(const CollectiveReport *report, const char *path, Error *error)
{
    const CollectiveBench *bench = report->bench;
    const CollectiveKind kind = bench->ladder->kind;
    const int panels = collective_has_place(kind, OUT_OF_PLACE) + collective_has_place(kind, IN_PLACE);
    Gnuplot plot;
    char title[256];
    const int height = 400 + LEGEND_LINE * figure_legend_lines(bench->count, PANEL_WIDTH);
    if (!gnuplot_open(&plot, path, PANEL_WIDTH * panels, height, error))
        return false;
    figure_linetypes(&plot);
    fprintf(plot.script, "set multiplot layout 1,%d title ", panels);
    snprintf(title, sizeof title, "%s, %d ranks on %d node%s", bench->ladder->name, bench->comm->size,
             bench->comm->nodes, bench->comm->nodes > 1 ? "s" : "");
    gnuplot_text(&plot, title);
    fprintf(plot.script, "\nset logscale x 2\nset logscale y\nset xlabel 'size'\nset ylabel 'busbw (GB/s)'\n"
                         "set key outside below center horizontal height 1 width 1 samplen 2 font ',11' noenhanced\n"
                         "set datafile missing 'nan'\n");
    write_ticks(&plot, report);
    for (int place = 0; place < PLACES; place++)
        if (collective_has_place(kind, place))
            write_panel(&plot, report, place);
    fprintf(plot.script, "unset multiplot\n");
    return gnuplot_close(&plot, error);
}

#endif
