/* rungs bench OPERATION --compare cpu,gpu: from which size on is the GPU faster, with the copies and without?
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include "core/csv.h"
#include "core/host.h"
#include "core/json.h"
#include "core/units.h"
#include "gpu/compare.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- where the GPU overtakes --------------------------------------------------------------------------- */

static void
print_crossing(const Comparer *c, const Compared *rows, int count, bool copied)
{
    const char *how = copied ? "with the copies" : "without copies";
    int size[LADDER_DIMENSIONS];
    char text[64];
    const int first = compare_crossing(c, rows, count, copied, size);
    if (first == count)
        printf("  predicted: %s the GPU is slower at all of these sizes\n", how);
    else if (first == 0)
        printf("  predicted: %s the GPU is faster from the first of these sizes on\n", how);
    else
        printf("  predicted: %s the GPU overtakes at about %s\n", how, ladder_size_text(c->cpu, size, text));
}

/* The first of the sizes where one column is below another. */
static void
print_measured_crossing(const Comparer *c, const Compared *rows, int count, int column, const char *how)
{
    char text[64];
    for (int i = 0; i < count; i++)
        if (rows[i].seconds[column] < rows[i].seconds[CPU_MEASURED]) {
            printf("  measured: %s the GPU is faster from %s on\n", how, ladder_size_text(c->cpu, rows[i].size, text));
            return;
        }
    printf("  measured: %s the GPU is slower at all of these sizes\n", how);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void
print_header(const Comparer *c, const BenchOptions *o, const char *device)
{
    const GpuSpecs *gpu = c->model.gpu;
    char flops[2][UNITS_SIZE], bytes[2][UNITS_SIZE], link[UNITS_SIZE];
    printf("%s: %s, processor against GPU\n", c->cpu->operation.name, c->cpu->operation.formula);
    printf("  CPU   %s, %d thread%s: predicted from the peaks measured just now, %s and %s from memory; measured: the "
           "fastest "
           "rung\n",
           host_get()->processor, c->threads, c->threads > 1 ? "s" : "",
           units_format(flops[0], machine_flops(&c->machine, c->threads), "FLOP/s"),
           units_format(bytes[0], machine_read_from(&c->machine, c->threads, MACHINE_MEMORY), "B/s"));
    printf("  GPU   %s: predicted from its data sheet, %s and %s, and %.0f us for a launch; %s\n", gpu->name,
           units_format(flops[1], gpu_peak(gpu), "FLOP/s"), units_format(bytes[1], gpu_bandwidth(gpu), "B/s"),
           1e6 * c->model.launch, device);
    printf("  link  %s, %s: %s, and %.0f us for each of %d copies\n", compare_link_name(gpu),
           units_format(link, c->model.link, "B/s"),
           o->link > 0.0 ? "as --link says" : "assumed, 80 % of what it carries (--link GB/S says otherwise)",
           1e6 * c->model.copy, c->model.copies);
    printf("\n  %-20s %14s %14s %14s %14s", "size", "CPU predicted", "CPU measured", "GPU predicted", "with copies");
    if (c->device != NULL)
        printf(" %14s %14s", "GPU measured", "with copies");
    printf("\n");
}

static void
print_row(const Comparer *c, const Compared *row)
{
    char text[64], seconds[UNITS_SIZE];
    printf("  %-20s", ladder_size_text(c->cpu, row->size, text));
    for (int i = 0; i < (c->device != NULL ? TIMES : GPU_MEASURED); i++)
        printf(" %14s", isnan(row->seconds[i]) ? "-" : units_format(seconds, row->seconds[i], "s"));
    printf("\n");
    fflush(stdout);
}

static bool
write_csv(const Comparer *c, const char *path, const Compared *rows, int count, Error *error)
{
    char text[64];
    Csv *csv = csv_create(path,
                          "operation,size,gpu,cpu_predicted,cpu_measured,gpu_predicted,gpu_copied_predicted,"
                          "gpu_measured,gpu_copied_measured",
                          error);
    for (int i = 0; csv != NULL && i < count; i++) {
        csv_add(csv, "%s %s %s", c->cpu->operation.name, ladder_size_text(c->cpu, rows[i].size, text),
                c->model.gpu->name);
        for (int t = 0; t < TIMES; t++)
            if (isnan(rows[i].seconds[t]))
                csv_text(csv, "");
            else
                csv_number(csv, rows[i].seconds[t]);
        csv_end_row(csv);
    }
    return csv != NULL && csv_close(csv, error);
}

static bool
write_json(const Comparer *c, const char *path, const Compared *rows, int count, Error *error)
{
    char text[64];
    cJSON *json = cJSON_CreateObject();
    json_add(json, "operation %s, gpu %s, link_bytes_per_second %g, threads %d", c->cpu->operation.name,
             c->model.gpu->name, c->model.link, c->threads);
    cJSON_AddItemToObject(json, "host", json_host());
    cJSON *tables = cJSON_AddArrayToObject(json, "rows");
    for (int i = 0; i < count; i++) {
        const double *s = rows[i].seconds;
        cJSON *row = cJSON_CreateObject();
        json_add(row, "size %s", ladder_size_text(c->cpu, rows[i].size, text));
        json_add(row, "cpu_predicted %g, cpu_measured %g, gpu_predicted %g, gpu_copied_predicted %g", s[CPU_PREDICTED],
                 s[CPU_MEASURED], s[GPU_PREDICTED], s[GPU_COPIED_PREDICTED]);
        json_add(row, "gpu_measured %g, gpu_copied_measured %g", s[GPU_MEASURED], s[GPU_COPIED_MEASURED]);
        cJSON_AddItemToArray(tables, row);
    }
    const bool done = json_write(path, json, error);
    cJSON_Delete(json);
    return done;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

/* The known GPU whose name is in the device's name. */
static const GpuSpecs *
specs_of(const GpuLibrary *library)
{
    for (int i = 0; library != NULL && gpu_specs(i) != NULL; i++)
        if (strstr(library->properties.name, gpu_specs(i)->name) != NULL)
            return gpu_specs(i);
    return NULL;
}

static int
compare_all(const char *name, Comparer *c, const BenchOptions *o, const char *device, int (*sizes)[LADDER_DIMENSIONS],
            int count)
{
    Compared rows[BENCH_SIZES];
    Error error = {""};
    host_set_threads(c->threads);
    machine_measure(&c->machine, c->threads);
    print_header(c, o, device);
    for (int i = 0; i < count; i++) {
        memcpy(rows[i].size, sizes[i], sizeof rows[i].size);
        if (!compare_size(c, &rows[i], &error))
            return cli_fail(name, STATUS_FAILED, &error);
        print_row(c, &rows[i]);
    }
    print_crossing(c, rows, count, false);
    print_crossing(c, rows, count, true);
    if (c->device != NULL) {
        print_measured_crossing(c, rows, count, GPU_MEASURED, "without copies");
        print_measured_crossing(c, rows, count, GPU_COPIED_MEASURED, "with the copies");
    }
    if ((o->csv != NULL && !write_csv(c, o->csv, rows, count, &error)) ||
        (o->json != NULL && !write_json(c, o->json, rows, count, &error)))
        return cli_fail(name, STATUS_FAILED, &error);
    return STATUS_DONE;
}

static const char *
compare_sizes(const BenchEntry *entry, const BenchOptions *o)
{
    if (o->sizes != entry->sizes)
        return o->sizes;
    return entry->gpu->compare_sizes != NULL ? entry->gpu->compare_sizes : entry->sizes;
}

int
bench_compare(const char *name, const BenchEntry *entry, const BenchOptions *o)
{
    int sizes[BENCH_SIZES][LADDER_DIMENSIONS];
    char device[640];
    Error error = {""}, why = {""};
    const Status status = cli_check_outputs(o->table, &error);
    if (status != STATUS_DONE)
        return cli_fail(name, status, &error);
    const int count = ladder_parse_sizes(entry->cpu, compare_sizes(entry, o), BENCH_SIZES, sizes, &error);
    if (count == 0 || !bench_threads_check(&o->threads, &error))
        return cli_fail(name, STATUS_USAGE, &error);
    const bool emulator = strncmp(o->device, "emulator", 8) == 0;
    const GpuLibrary *library = emulator ? NULL : gpu_library(GPU_DEVICE, &why);
    if (library != NULL && library->properties.emulated)
        library = NULL;
    const GpuSpecs *gpu = o->gpu != NULL ? gpu_specs_named(o->gpu) : specs_of(library);
    if (library != NULL)
        snprintf(device, sizeof device, "measured: %s, the fastest rung", library->about);
    else
        snprintf(device, sizeof device, "predicted only, nothing was run on it%s%s", why.text[0] != '\0' ? ": " : "",
                 why.text);
    Ladder *bound = library != NULL ? gpu_ladder_bind(entry->gpu, library, &error) : NULL;
    if (library != NULL && bound == NULL)
        return cli_fail(name, STATUS_FAILED, &error);
    Comparer comparer = {.cpu = entry->cpu,
                         .device = bound,
                         .model = compare_model(gpu != NULL ? gpu : gpu_specs_named("H100"), 1e9 * o->link),
                         .threads = bench_threads_max(&o->threads),
                         .seed = o->seed};
    const int result = compare_all(name, &comparer, o, device, sizes, count);
    gpu_ladder_free(bound);
    return result;
}
