/* See emulated.h. SPDX-License-Identifier: MIT */
#include "gpu/emulated.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/json.h"
#include "core/units.h"
#include "gpu/counters.h"
#include "gpu/emulator/gpu_specs.h"
#include "gpu/operands.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 8, GPUS = 8 };

/* A kernel that a rung launched. */
typedef struct CountedKernel {
    char name[64]; /* without the arguments of a template */
    EmulatorKernel of;
} CountedKernel;

typedef struct CountedRung {
    const Rung *rung;
    RowState state;
    char reason[320];
    double error; /* the largest, in tolerances */
    int findings;
    int count; /* kernels; 0 if they were not counted */
    CountedKernel kernels[KERNELS];
    /* Seconds of all kernels on each GPU, predicted: if caches keep everything, if nothing. NaN: it lacks the tensor cores. */
    double least[GPUS], most[GPUS];
} CountedRung;

/* Takes what was counted since the last reset. */
static void
take_counts(CountedRung *rung, const GpuCounters *counters)
{
    rung->findings = counters->findings();
    for (int i = 0; i < counters->kernels() && rung->count < KERNELS; i++) {
        CountedKernel *kernel = &rung->kernels[rung->count++];
        kernel->of = *counters->kernel(i);
        snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)strcspn(kernel->of.name, "<("), kernel->of.name);
        for (int g = 0; g < GPUS && gpu_specs(g) != NULL; g++) {
            const double least = counters->seconds(&kernel->of, gpu_specs(g)->name, true);
            rung->least[g] += least >= 0.0 ? least : NAN;
            rung->most[g] += counters->seconds(&kernel->of, gpu_specs(g)->name, false);
        }
    }
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void
print_header(bool counters, FILE *out)
{
    if (counters)
        fprintf(out, "  %-18s %8s  %9s %9s %7s %9s %7s %9s %7s %9s %9s %8s %7s  %s\n", "rung", "error", "flops",
                "loads", "sectors", "stores", "sectors", "shared", "passes", "conflicts", "divergent", "barriers",
                "atomics", "kernel");
    else
        fprintf(out, "  %-18s %8s\n", "rung", "error");
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
print_kernel(const CountedKernel *kernel, FILE *out)
{
    const EmulatorCounts *c = &kernel->of.total;
    char flops[UNITS_SIZE], loads[16], stores[16], passes[16];
    fprintf(out, "  %9s %9llu %7s %9llu %7s %9llu %7s %9llu %9llu %8llu %7llu  %s\n",
            units_format(flops, (double)(c->flops + c->double_flops + c->tensor_flops), ""), c->loads,
            each(loads, c->load_sectors, c->loads), c->stores, each(stores, c->store_sectors, c->stores), c->shared,
            each(passes, c->shared_passes, c->shared), c->conflicts, c->divergent, c->barriers, c->atomics,
            kernel->name);
}

static void
print_rung(const CountedRung *rung, bool counters, FILE *out)
{
    char error[32];
    if (rung->state != ROW_MEASURED) {
        fprintf(out, "  %-18s %s: %s\n", rung->rung->name, rung->state == ROW_WRONG ? "WRONG" : "skipped",
                rung->reason);
        return;
    }
    snprintf(error, sizeof error, "%.*f %%", rung->error < 0.1 ? 1 : 0, 100.0 * rung->error);
    fprintf(out, "  %-18s %8s", rung->rung->name, error);
    if (!counters || rung->count == 0)
        fprintf(out, "\n");
    for (int k = 0; counters && k < rung->count; k++) {
        if (k > 0)
            fprintf(out, "  %-18s %8s", "", "");
        print_kernel(&rung->kernels[k], out);
    }
}

/* ---- predictions ------------------------------------------------------------------------------------- */

/* "100 %  1.2 to 34 us": the occupancy is that of the first kernel, times are those of all. */
static void
print_prediction(const CountedRung *rung, int g, FILE *out)
{
    const EmulatorKernel *first = &rung->kernels[0].of;
    char text[64];
    snprintf(text, sizeof text, "%3.0f %%  %.3g to %.3g",
             100.0 * gpu_occupancy(gpu_specs(g), first->threads_per_block, first->shared_per_block),
             1e6 * rung->least[g], 1e6 * rung->most[g]);
    fprintf(out, "  %-22s", isnan(rung->least[g]) ? "cannot" : text);
}

/* A line with the names of the GPUs, then one for each rung. */
static void
print_predictions(const CountedRung *rungs, int count, const char *gpu, FILE *out)
{
    fprintf(
        out,
        "  Occupancy (registers, which only nvcc knows, left out), and microseconds by a roofline from the counts: if "
        "caches keep everything, and if nothing.\n  Short kernels take longer: a launch costs some microseconds.\n");
    for (int r = -1; r < count; r++) {
        if (r >= 0 && rungs[r].count == 0)
            continue;
        fprintf(out, "  %-18s", r < 0 ? "rung" : rungs[r].rung->name);
        for (int g = 0; g < GPUS && gpu_specs(g) != NULL; g++) {
            if (gpu != NULL && gpu_specs(g) != gpu_specs_named(gpu))
                continue;
            if (r < 0)
                fprintf(out, "  %-22s", gpu_specs(g)->name);
            else
                print_prediction(&rungs[r], g, out);
        }
        fprintf(out, "\n");
    }
}

/* ---- files ------------------------------------------------------------------------------------------- */

static const char *
state_text(RowState state)
{
    return state == ROW_MEASURED ? "right" : state == ROW_SKIPPED ? "skipped" : "wrong";
}

static const char CSV_HEADER[] =
    "operation,size,rung,state,reason,error_in_tolerances,findings,kernel,threads_per_block,shared_per_block,"
    "touched_sectors,flops,double_flops,tensor_flops,loads,load_sectors,load_bytes,stores,store_sectors,store_bytes,"
    "shared,shared_passes,conflicts,atomics,collisions,divergent,barriers";

/* A row for each kernel. */
static void
write_rows(Csv *csv, const Problem *problem, const CountedRung *rung)
{
    char size[64];
    for (int k = 0; k < rung->count || k == 0; k++) {
        const EmulatorKernel *kernel = &rung->kernels[k].of;
        const EmulatorCounts *c = &kernel->total;
        csv_add(csv, "%s %s %s %s %s %g %d", problem->ladder->operation.name,
                ladder_size_text(problem->ladder, problem->size, size), rung->rung->name, state_text(rung->state),
                rung->reason, rung->error, rung->findings);
        for (int i = 0; rung->count == 0 && i < 20; i++)
            csv_text(csv, ""); /* skipped, or not counted */
        if (rung->count > 0)
            csv_add(csv,
                    "%s %u %zu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu",
                    rung->kernels[k].name, kernel->threads_per_block, kernel->shared_per_block, kernel->touched_sectors,
                    c->flops, c->double_flops, c->tensor_flops, c->loads, c->load_sectors, c->load_bytes, c->stores,
                    c->store_sectors, c->store_bytes, c->shared, c->shared_passes, c->conflicts, c->atomics,
                    c->collisions, c->divergent, c->barriers);
        csv_end_row(csv);
    }
}

/* With the report of the library that counted (NULL: none did). */
static cJSON *
rung_json(const CountedRung *rung, const GpuCounters *counters)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "rung %s, file %s, state %s, error_in_tolerances %g", rung->rung->name, rung->rung->file,
             state_text(rung->state), rung->error);
    if (rung->state != ROW_MEASURED)
        json_add(json, "reason %s", rung->reason);
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

/* ---- one rung ---------------------------------------------------------------------------------------- */

/* A run at work. */
typedef struct Emulator {
    const Emulation *what;
    const GpuCounters *counters; /* NULL: nothing is counted */
    FILE *out;
    Csv *csv;
    cJSON *tables, *rows; /* NULL: not wanted */
} Emulator;

static void
verify(CountedRung *row, Problem *problem)
{
    Error reason = {""};
    char text[160];
    if (!rung_accepts(row->rung, problem->size, &reason)) {
        row->state = ROW_SKIPPED;
        snprintf(row->reason, sizeof row->reason, "%.300s", reason.text);
        return;
    }
    const Verdict verdict = problem_verify(problem, row->rung);
    row->error =
        verdict.max_error * (row->rung->tolerance_factor != NULL ? row->rung->tolerance_factor(problem->size) : 1.0);
    if (verdict_ok(&verdict) && operands_failure() == NULL)
        return;
    row->state = ROW_WRONG;
    verdict_print(&verdict, text, sizeof text);
    snprintf(row->reason, sizeof row->reason, "%.300s", operands_failure() != NULL ? operands_failure() : text);
}

static void
run_rung(const Emulator *e, Problem *problem, CountedRung *row)
{
    operands_forget();
    if (e->counters != NULL)
        e->counters->reset();
    verify(row, problem);
    const bool counted = e->counters != NULL && row->state != ROW_SKIPPED;
    if (counted)
        take_counts(row, e->counters);
    print_rung(row, e->what->counters, e->out);
    if (counted && e->what->lines)
        e->counters->report(e->out, e->what->gpu);
    else if (counted && row->findings > 0) /* mistakes always */
        e->counters->report_findings(e->out);
    fflush(e->out);
    if (e->csv != NULL)
        write_rows(e->csv, problem, row);
    if (e->rows != NULL)
        cJSON_AddItemToArray(e->rows, rung_json(row, e->counters));
}

/* ---- one size ---------------------------------------------------------------------------------------- */

static bool
run_size(Emulator *e, const int *size, bool *right, Error *error)
{
    Problem problem;
    const Ladder *ladder = e->what->ladder;
    char text[64], flops[UNITS_SIZE], bytes[UNITS_SIZE];
    if (!problem_create(&problem, ladder, size, e->what->seed, error))
        return false;
    fprintf(e->out, "\n%s %s: %s, %s\n", ladder->operation.name, ladder_size_text(ladder, problem.size, text),
            units_format(flops, ladder->operation.flops(size), "FLOP"),
            units_bytes(bytes, ladder->operation.bytes(size)));
    print_header(e->what->counters, e->out);
    if (e->tables != NULL) {
        cJSON *table = cJSON_CreateObject();
        cJSON_AddItemToArray(e->tables, table);
        json_add(table, "size %s", text);
        e->rows = cJSON_AddArrayToObject(table, "rows");
    }
    CountedRung *rows = ARRAY(CountedRung, ladder->count);
    int count = 0;
    for (int i = 0; i < ladder->count; i++) {
        if (!e->what->selected[i])
            continue;
        CountedRung *row = &rows[count++];
        row->rung = &ladder->rungs[i];
        run_rung(e, &problem, row);
        *right = *right && row->state != ROW_WRONG && row->findings == 0;
    }
    if (e->what->counters)
        print_predictions(rows, count, e->what->gpu, e->out);
    array_free(rows);
    problem_free(&problem);
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void
print_begin(const Emulation *what, FILE *out)
{
    const Operation *operation = &what->ladder->operation;
    fprintf(out, "%s: %s\n  right when %s\n  %s\n", operation->name, operation->formula, operation->tolerance,
            what->library->about);
    fprintf(out, "  error: the largest of an element, as a share of what is right; a rung whose way loses more may "
                 "have more\n");
    if (what->counters)
        fprintf(out,
                "  flops, requests of warps for loads and stores of device memory with the 32-byte sectors of each, "
                "accesses to shared memory with\n  the passes of each and those that banks in conflict added, "
                "branches that part the lanes of a warp, barriers and atomics\n");
}

bool
emulation_run(const Emulation *what, bool *right, FILE *out, Error *error)
{
    GpuCounters counters;
    Emulator e = {.what = what, .out = out};
    if (what->library->kind == GPU_EMULATOR_CHECKED) {
        if (!gpu_counters_open(&counters, what->library, error))
            return false;
        e.counters = &counters;
    }
    if (what->csv != NULL && (e.csv = csv_create(what->csv, CSV_HEADER, error)) == NULL)
        return false;
    cJSON *json = cJSON_CreateObject();
    json_add(json, "operation %s, device %s, seed %llu", what->ladder->operation.name, what->library->about,
             (unsigned long long)what->seed);
    cJSON_AddItemToObject(json, "host", json_host());
    e.tables = what->json != NULL ? cJSON_AddArrayToObject(json, "tables") : NULL;
    print_begin(what, out);
    bool done = true;
    *right = true;
    for (int i = 0; done && i < what->count; i++)
        done = run_size(&e, what->sizes[i], right, error);
    fprintf(out, "%s\n", what->library->about);
    const bool written = csv_close(e.csv, error) && (what->json == NULL || json_write(what->json, json, error));
    cJSON_Delete(json);
    return done && written;
}
