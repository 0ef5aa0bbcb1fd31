/* Tables of what rungs did on the emulator: see bench_counters.h. SPDX-License-Identifier: MIT */
#include "cli/bench_counters.h"
#include "core/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
take_kernel(CountedKernel *kernel, const EmulatorKernel *from, const GpuCounters *counters)
{
    snprintf(kernel->name, sizeof kernel->name, "%.63s", from->name);
    kernel->name[strcspn(kernel->name, "<(")] = '\0'; /* without the arguments of a template */
    kernel->threads_per_block = from->threads_per_block;
    kernel->shared_per_block = from->shared_per_block;
    kernel->touched_sectors = from->touched_sectors;
    kernel->counts = from->total;
    for (int g = 0; g < COUNTED_GPUS && gpu_specs(g) != NULL; g++) {
        kernel->least[g] = counters->seconds(from, gpu_specs(g)->name, true);
        kernel->most[g] = counters->seconds(from, gpu_specs(g)->name, false);
    }
}

void
counted_take(CountedRung *rung, const GpuCounters *counters)
{
    rung->findings = counters->findings();
    for (int i = 0; i < counters->kernels() && rung->count < COUNTED_KERNELS; i++)
        take_kernel(&rung->kernels[rung->count++], counters->kernel(i), counters);
}

/* ---- the table --------------------------------------------------------------------------------------- */

void
counted_header(bool counters)
{
    if (counters)
        printf("  %-18s %8s  %9s %9s %7s %9s %7s %9s %7s %9s %9s %8s %7s  %s\n", "rung", "error", "flops", "loads",
               "sectors", "stores", "sectors", "shared", "passes", "conflicts", "divergent", "barriers", "atomics",
               "kernel");
    else
        printf("  %-18s %8s\n", "rung", "error");
}

/* "12.3": a for each b; "" if there is no b. */
static const char *
each(char text[16], unsigned long long a, unsigned long long b)
{
    text[0] = '\0';
    if (b > 0)
        snprintf(text, 16, "%.2f", (double)a / (double)b);
    return text;
}

static void
print_kernel(const CountedKernel *kernel)
{
    const EmulatorCounts *c = &kernel->counts;
    char flops[UNITS_SIZE], loads[16], stores[16], passes[16];
    printf("  %9s %9llu %7s %9llu %7s %9llu %7s %9llu %9llu %8llu %7llu  %s\n",
           units_format(flops, (double)(c->flops + c->double_flops + c->tensor_flops), ""), c->loads,
           each(loads, c->load_sectors, c->loads), c->stores, each(stores, c->store_sectors, c->stores), c->shared,
           each(passes, c->shared_passes, c->shared), c->conflicts, c->divergent, c->barriers, c->atomics,
           kernel->name);
}

void
counted_print(const CountedRung *rung, bool counters)
{
    char error[32];
    if (rung->state != ROW_MEASURED) {
        printf("  %-18s %s: %s\n", rung->rung->name, rung->state == ROW_WRONG ? "WRONG" : "skipped", rung->reason);
        return;
    }
    snprintf(error, sizeof error, "%.*f %%", rung->error < 0.1 ? 1 : 0, 100.0 * rung->error);
    printf("  %-18s %8s", rung->rung->name, error);
    if (!counters || rung->count == 0)
        printf("\n");
    for (int k = 0; counters && k < rung->count; k++) {
        if (k > 0)
            printf("  %-18s %8s", "", "");
        print_kernel(&rung->kernels[k]);
    }
}

/* ---- predictions ------------------------------------------------------------------------------------- */

/* "100 %  1.2 to 34 us": the occupancy is that of the first kernel, times are those of all. A GPU may lack the tensor cores. */
static void
print_prediction(const CountedRung *rung, const GpuSpecs *gpu, int g)
{
    double least = 0.0, most = 0.0;
    bool can = true;
    char text[64];
    for (int k = 0; k < rung->count; k++) {
        can = can && rung->kernels[k].least[g] >= 0.0;
        least += rung->kernels[k].least[g];
        most += rung->kernels[k].most[g];
    }
    const CountedKernel *first = &rung->kernels[0];
    snprintf(text, sizeof text, "%3.0f %%  %.3g to %.3g",
             100.0 * gpu_occupancy(gpu, first->threads_per_block, first->shared_per_block), 1e6 * least, 1e6 * most);
    printf("  %-22s", can ? text : "cannot");
}

void
counted_print_predictions(const CountedRung *rungs, int count, const char *gpu)
{
    printf(
        "  Occupancy (registers, which only nvcc knows, left out), and microseconds by a roofline from the counts: if "
        "caches keep everything, and if nothing.\n  Short kernels take longer: a launch costs some microseconds.\n");
    printf("  %-18s", "rung");
    for (int g = 0; g < COUNTED_GPUS && gpu_specs(g) != NULL; g++)
        if (gpu == NULL || gpu_specs(g) == gpu_specs_named(gpu))
            printf("  %-22s", gpu_specs(g)->name);
    printf("\n");
    for (int r = 0; r < count; r++) {
        if (rungs[r].count == 0)
            continue;
        printf("  %-18s", rungs[r].rung->name);
        for (int g = 0; g < COUNTED_GPUS && gpu_specs(g) != NULL; g++)
            if (gpu == NULL || gpu_specs(g) == gpu_specs_named(gpu))
                print_prediction(&rungs[r], gpu_specs(g), g);
        printf("\n");
    }
}

/* ---- files ------------------------------------------------------------------------------------------- */

static const char *
state_text(RowState state)
{
    return state == ROW_MEASURED ? "right" : state == ROW_SKIPPED ? "skipped" : "wrong";
}

Csv *
counted_csv_create(const char *path, Error *error)
{
    return csv_create(path,
                      "operation,size,rung,state,reason,error_in_tolerances,findings,kernel,threads_per_block,"
                      "shared_per_block,touched_sectors,flops,double_flops,tensor_flops,loads,load_sectors,load_bytes,"
                      "stores,store_sectors,store_bytes,shared,shared_passes,conflicts,atomics,collisions,divergent,"
                      "barriers",
                      error);
}

static void
csv_kernel(Csv *csv, const CountedKernel *kernel)
{
    const EmulatorCounts *c = &kernel->counts;
    const unsigned long long numbers[] = {kernel->threads_per_block,
                                          kernel->shared_per_block,
                                          kernel->touched_sectors,
                                          c->flops,
                                          c->double_flops,
                                          c->tensor_flops,
                                          c->loads,
                                          c->load_sectors,
                                          c->load_bytes,
                                          c->stores,
                                          c->store_sectors,
                                          c->store_bytes,
                                          c->shared,
                                          c->shared_passes,
                                          c->conflicts,
                                          c->atomics,
                                          c->collisions,
                                          c->divergent,
                                          c->barriers};
    csv_text(csv, kernel->name);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        csv_integer(csv, (long long)numbers[i]);
}

void
counted_csv_rung(Csv *csv, const Ladder *ladder, const int *size, const CountedRung *rung)
{
    char text[64];
    for (int k = 0; k < rung->count || k == 0; k++) {
        csv_text(csv, ladder->operation.name);
        csv_text(csv, ladder_size_text(ladder, size, text));
        csv_text(csv, rung->rung->name);
        csv_text(csv, state_text(rung->state));
        csv_text(csv, rung->reason);
        csv_number(csv, rung->error);
        csv_integer(csv, rung->findings);
        if (rung->count > 0)
            csv_kernel(csv, &rung->kernels[k]);
        else
            for (int i = 0; i < 20; i++)
                csv_text(csv, "");
        csv_end_row(csv);
    }
}

cJSON *
counted_json(const CountedRung *rung, const GpuCounters *counters)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "rung", rung->rung->name);
    cJSON_AddStringToObject(json, "file", rung->rung->file);
    cJSON_AddStringToObject(json, "state", state_text(rung->state));
    if (rung->state != ROW_MEASURED)
        cJSON_AddStringToObject(json, "reason", rung->reason);
    cJSON_AddNumberToObject(json, "error_in_tolerances", rung->error);
    if (counters != NULL && rung->state != ROW_SKIPPED) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        counters->report_json(memory);
        fclose(memory);
        cJSON_AddItemToObject(json, "report", cJSON_Parse(text));
        free(text);
    }
    return json;
}
