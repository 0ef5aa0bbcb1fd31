/* rungs bench OPERATION --device: on a GPU with the driver of all ladders, on the emulator without times.
 * SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/cli.h"
#include "gpu/emulated.h"
#include "gpu/emulator/gpu_specs.h"
#include "gpu/operands.h"
#include <stdio.h>
#include <string.h>

/* "emulator" begins "emulator-checked". */
static bool
device_is(const BenchOptions *o, const char *name)
{
    return strncmp(o->device, name, strlen(name)) == 0;
}

static bool
ladder_is_there(const BenchEntry *entry, const BenchOptions *o, Error *error)
{
    const char *name = entry->operation->name;
    if (o->compare != NULL && (entry->cpu == NULL || entry->gpu == NULL))
        return error_set(error, "%s has no ladder for the %s: there is nothing to compare", name,
                         entry->cpu == NULL ? "CPU" : "GPU");
    if (o->compare == NULL && device_is(o, "cpu") && entry->cpu == NULL)
        return error_set(error, "%s has no ladder for the CPU: add --device gpu or --device emulator", name);
    if (!device_is(o, "cpu") && entry->gpu == NULL)
        return error_set(error, "%s has no ladder for the GPU: 'rungs bench --help' says which have", name);
    return true;
}

bool
bench_options_fit(const BenchEntry *entry, const BenchOptions *o, Error *error)
{
    const bool emulated = device_is(o, "emulator"), draws = o->svg != NULL || o->roofline != NULL;
    if (o->floors.count > 0 && (emulated || o->compare != NULL))
        return error_set(error, "--floor judges times beside each other: leave --%s out",
                         emulated ? "device emulator" : "compare");
    if (o->compare != NULL && (o->counters || o->lines || draws))
        return error_set(error, "--compare prints one table: leave --counters, --lines, --svg and --roofline out");
    if (!emulated && (o->counters || o->lines))
        return error_set(error, "--%s is for the emulator: add --device emulator", o->counters ? "counters" : "lines");
    if (!emulated && o->compare == NULL && o->gpu != NULL)
        return error_set(error, "--gpu is for predictions: add --device emulator --counters, or --compare cpu,gpu");
    if (emulated && draws)
        return error_set(error, "--%s draws times, which mean nothing on the emulator: leave it out",
                         o->svg != NULL ? "svg" : "roofline");
    if (device_is(o, "gpu") && o->roofline != NULL)
        return error_set(error, "--roofline draws the peaks of the processor: leave it out with --device gpu");
    if (o->gpu != NULL && gpu_specs_named(o->gpu) == NULL)
        return error_set(error, "--gpu %s is not known, expected one of %s", o->gpu, gpu_specs_names());
    return ladder_is_there(entry, o, error);
}

/* The emulator shows no times; the driver of the ladders would. */
static int
on_emulator(const char *name, const BenchEntry *entry, const BenchOptions *o, const GpuLibrary *library)
{
    Error error = {""};
    const Status status = cli_check_outputs(o->table, &error);
    if (status != STATUS_DONE)
        return cli_fail(name, status, &error);
    Ladder *ladder = gpu_ladder_bind(entry->gpu, library, &error);
    if (ladder == NULL)
        return cli_fail(name, STATUS_FAILED, &error);
    bool selected[LADDER_RUNGS], right = false, done = false;
    int sizes[BENCH_SIZES][LADDER_DIMENSIONS];
    const int count = ladder_parse_sizes(ladder, o->sizes != entry->sizes ? o->sizes : entry->gpu->emulator_sizes,
                                         BENCH_SIZES, sizes, &error);
    const bool usable = count > 0 && ladder_parse_rungs(ladder, o->rungs, selected, &error);
    if (usable)
        done =
            emulation_run(&(Emulation){.ladder = ladder,
                                       .library = library,
                                       .selected = selected,
                                       .sizes = (const int(*)[LADDER_DIMENSIONS])sizes,
                                       .count = count,
                                       .gpu = o->gpu,
                                       .csv = o->csv,
                                       .json = o->json,
                                       .seed = o->seed,
                                       .counters = library->kind == GPU_EMULATOR_CHECKED && (o->counters || !o->lines),
                                       .lines = o->lines},
                          &right, stdout, &error);
    if (done && !right)
        error_set(&error, "at least one rung is WRONG or has a mistake, see above");
    gpu_ladder_free(ladder);
    return done && right ? STATUS_DONE : cli_fail(name, usable ? STATUS_FAILED : STATUS_USAGE, &error);
}

static const char *about;

static void
print_device(FILE *out)
{
    fprintf(out, "  %s; a time is that of a launch and of waiting for its end, without copies\n", about);
}

int
bench_gpu(const char *name, const BenchEntry *entry, const BenchOptions *options)
{
    Error error = {""};
    const bool checked = options->counters || options->lines || device_is(options, "emulator-checked");
    const GpuKind kind = device_is(options, "gpu") ? GPU_DEVICE : checked ? GPU_EMULATOR_CHECKED : GPU_EMULATOR;
    const GpuLibrary *library = gpu_library(kind, &error);
    if (library == NULL) {
        const size_t length = strlen(error.text);
        if (kind == GPU_DEVICE)
            snprintf(error.text + length, sizeof error.text - length, "; --device emulator runs the same kernels here");
        return cli_fail(name, STATUS_FAILED, &error);
    }
    if (library->properties.emulated)
        return on_emulator(name, entry, options, library);
    Ladder *ladder = gpu_ladder_bind(entry->gpu, library, &error);
    if (ladder == NULL)
        return cli_fail(name, STATUS_FAILED, &error);
    about = library->about;
    const int status = bench_run(&(Bench){.name = name, .o = options, .ladder = ladder, .head = print_device});
    if (operands_failure() != NULL) {
        error_set(&error, "the device said: %s", operands_failure());
        cli_fail(name, status, &error);
    }
    gpu_ladder_free(ladder);
    return status;
}
