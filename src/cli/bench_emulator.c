/* See bench_emulator.h. SPDX-License-Identifier: MIT */
#include "cli/bench_emulator.h"
#include "cli/bench.h"
#include "cli/bench_counters.h"
#include "cli/cli.h"
#include "core/array.h"
#include "core/units.h"
#include "gpu/operands.h"
#include <stdio.h>
#include <string.h>

/* Where results go besides the terminal. */
typedef struct Outputs {
    Csv *csv;
    cJSON *json, *sizes;
} Outputs;

/* ---- one rung ---------------------------------------------------------------------------------------- */

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
    row->error = verdict.max_error * (row->rung->looser != NULL ? row->rung->looser(problem->size) : 1.0);
    if (verdict_ok(&verdict) && operands_failure() == NULL)
        return;
    row->state = ROW_WRONG;
    verdict_print(&verdict, text, sizeof text);
    snprintf(row->reason, sizeof row->reason, "%.300s", operands_failure() != NULL ? operands_failure() : text);
}

/* What the emulator says of the run: mistakes always, all lines if wanted. */
static void
print_report(const EmulatorBench *bench, const GpuCounters *counters, const CountedRung *row)
{
    if (bench->lines)
        counters->report(stdout, bench->gpu);
    else if (row->findings > 0)
        counters->report_findings(stdout);
}

static void
run_rung(const EmulatorBench *bench, const GpuCounters *counters, Problem *problem, CountedRung *row, Outputs *outputs)
{
    operands_forget();
    if (counters != NULL)
        counters->reset();
    verify(row, problem);
    if (counters != NULL && row->state != ROW_SKIPPED)
        counted_take(row, counters);
    counted_print(row, bench->counters);
    if (counters != NULL && row->state != ROW_SKIPPED)
        print_report(bench, counters, row);
    fflush(stdout);
    if (outputs->csv != NULL)
        counted_csv_rung(outputs->csv, problem->ladder, problem->size, row);
    if (outputs->sizes != NULL)
        cJSON_AddItemToArray(outputs->sizes, counted_json(row, counters));
}

/* ---- one size ---------------------------------------------------------------------------------------- */

static void
begin_size(const Ladder *ladder, const int *size, bool counters, Outputs *outputs)
{
    char text[64], flops[UNITS_SIZE], bytes[UNITS_SIZE];
    printf("\n%s %s: %s, %s\n", ladder->operation.name, ladder_size_text(ladder, size, text),
           units_format(flops, ladder->operation.flops(size), "FLOP"),
           units_bytes(bytes, ladder->operation.bytes(size)));
    counted_header(counters);
    if (outputs->json == NULL)
        return;
    cJSON *table = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItem(outputs->json, "tables"), table);
    cJSON_AddStringToObject(table, "size", text);
    outputs->sizes = cJSON_AddArrayToObject(table, "rows");
}

/* 0: all right, 1: something is not, 2: the problem cannot be made. */
static int
run_size(const EmulatorBench *bench, const GpuCounters *counters, const Ladder *ladder, const bool *selected,
         const int *size, Outputs *outputs, Error *error)
{
    Problem problem;
    if (!problem_create(&problem, ladder, size, bench->seed, error))
        return 2;
    CountedRung *rows = ARRAY(CountedRung, ladder->count);
    int count = 0, wrong = 0;
    begin_size(ladder, problem.size, bench->counters, outputs);
    for (int i = 0; i < ladder->count; i++) {
        if (!selected[i])
            continue;
        CountedRung *row = &rows[count++];
        row->rung = &ladder->rungs[i];
        run_rung(bench, counters, &problem, row, outputs);
        wrong = wrong || row->state == ROW_WRONG || row->findings > 0;
    }
    if (bench->counters)
        counted_print_predictions(rows, count, bench->gpu);
    array_free(rows);
    problem_free(&problem);
    return wrong;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static void
print_begin(const EmulatorBench *bench)
{
    const Operation *operation = bench->ladder->operation;
    printf("%s: %s\n  right when %s\n  %s\n", operation->name, operation->formula, operation->tolerance,
           bench->library->about);
    printf(
        "  error: the largest of an element, as a share of what is right; a rung whose way loses more may have more\n");
    if (bench->counters)
        printf("  flops, requests of warps for loads and stores of device memory with the 32-byte sectors of each, "
               "accesses to shared memory with\n  the passes of each and those that banks in conflict added, branches "
               "that part the lanes of a warp, barriers and atomics\n");
}

static bool
open_outputs(const EmulatorBench *bench, Outputs *outputs, Error *error)
{
    if (bench->csv != NULL && (outputs->csv = counted_csv_create(bench->csv, error)) == NULL)
        return false;
    if (bench->json == NULL)
        return true;
    outputs->json = cJSON_CreateObject();
    cJSON_AddStringToObject(outputs->json, "operation", bench->ladder->operation->name);
    cJSON_AddStringToObject(outputs->json, "device", bench->library->about);
    cJSON_AddNumberToObject(outputs->json, "seed", (double)bench->seed);
    cJSON_AddItemToObject(outputs->json, "host", json_host());
    cJSON_AddArrayToObject(outputs->json, "tables");
    return true;
}

static bool
close_outputs(const EmulatorBench *bench, Outputs *outputs, Error *error)
{
    const bool done =
        csv_close(outputs->csv, error) && (outputs->json == NULL || json_write(bench->json, outputs->json, error));
    cJSON_Delete(outputs->json);
    return done;
}

static int
run_all(const EmulatorBench *bench, const GpuCounters *counters, const Ladder *ladder)
{
    Error error = {""};
    bool selected[LADDER_RUNGS];
    int sizes[BENCH_SIZES][LADDER_DIMENSIONS], wrong = 0;
    Outputs outputs = {0};
    const int count = ladder_parse_sizes(ladder, bench->sizes, BENCH_SIZES, sizes, &error);
    if (count == 0 || !ladder_parse_rungs(ladder, bench->rungs, selected, &error))
        return bench_fail("rungs bench", STATUS_USAGE, &error);
    if (!open_outputs(bench, &outputs, &error))
        return bench_fail("rungs bench", STATUS_FAILED, &error);
    print_begin(bench);
    for (int i = 0; i < count && wrong < 2; i++) {
        const int result = run_size(bench, counters, ladder, selected, sizes[i], &outputs, &error);
        wrong = result > wrong ? result : wrong;
    }
    printf("%s\n", bench->library->about);
    if (!close_outputs(bench, &outputs, &error) || wrong == 2)
        return bench_fail("rungs bench", STATUS_FAILED, &error);
    if (wrong)
        fprintf(stderr, "rungs bench: at least one rung is WRONG or has a mistake, see above\n");
    return wrong ? STATUS_FAILED : STATUS_DONE;
}

int
bench_emulator(const EmulatorBench *bench)
{
    Error error = {""};
    GpuCounters counters;
    const bool counts = bench->library->kind == GPU_EMULATOR_CHECKED;
    if (counts && !gpu_counters_open(&counters, bench->library, &error))
        return bench_fail("rungs bench", STATUS_FAILED, &error);
    Ladder *ladder = gpu_ladder_bind(bench->ladder, bench->library, &error);
    if (ladder == NULL)
        return bench_fail("rungs bench", STATUS_FAILED, &error);
    const int status = run_all(bench, counts ? &counters : NULL, ladder);
    gpu_ladder_free(ladder);
    return status;
}
