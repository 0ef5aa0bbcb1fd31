/* See compare.h. SPDX-License-Identifier: MIT */
#include "gpu/compare.h"
#include "core/clock.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 5 };

/* Seconds: a call that is predicted to take longer is not measured; its reference would take minutes. */
#define LONGEST 0.1

/* ---- predicted ----------------------------------------------------------------------------------------- */

/* PCI Express Base Specification: 8, 16, 32 GT/s a lane for 3.0, 4.0, 5.0, 16 lanes, 128 bits of data in 130. Which GPU has which:
 * NVIDIA's data sheets. Times of a launch and a copy are orders of magnitude: they depend on host and driver. */
static const struct {
    const char *gpu, *link;
    double transfers;
} links[] = {{"P100", "PCIe 3.0 x16", 8e9},
             {"V100", "PCIe 3.0 x16", 8e9},
             {"A100", "PCIe 4.0 x16", 16e9},
             {"H100", "PCIe 5.0 x16", 32e9},
             {"H200", "PCIe 5.0 x16", 32e9}};
enum { LINKS = sizeof(links) / sizeof(links[0]) };
#define LINK_SHARE     0.8
#define LAUNCH_SECONDS 5e-6
#define COPY_SECONDS   10e-6

static int
link_of(const GpuSpecs *gpu)
{
    int i = 0;
    while (i < LINKS - 1 && strcmp(links[i].gpu, gpu->name) != 0)
        i++;
    return i;
}

const char *
compare_link_name(const GpuSpecs *gpu)
{
    return links[link_of(gpu)].link;
}

GpuModel
compare_model(const GpuSpecs *gpu, double link)
{
    const double full = links[link_of(gpu)].transfers * 16 / 8 * 128 / 130;
    return (GpuModel){gpu, link > 0.0 ? link : LINK_SHARE * full, LAUNCH_SECONDS, COPY_SECONDS, 3};
}

double
compare_predict_cpu(const Operation *operation, const int *size, int threads, const Machine *machine)
{
    const double flops = operation->flops(size), bytes = operation->bytes(size);
    const double times = operation->times_peak > 0.0 ? operation->times_peak : 1.0;
    return fmax(flops / (times * machine_flops(machine, threads)), bytes / machine_read(machine, threads, bytes));
}

double
compare_predict_gpu(const Operation *operation, const int *size, const GpuModel *model, bool copied)
{
    const double flops = operation->flops(size), bytes = operation->bytes(size);
    const double kernel = model->launch + fmax(flops / gpu_peak(model->gpu), bytes / gpu_bandwidth(model->gpu));
    return copied ? kernel + bytes / model->link + model->copies * model->copy : kernel;
}

/* ---- measured ------------------------------------------------------------------------------------------ */

double
compare_measure(const Ladder *ladder, const int *size, int threads, uint64_t seed, int *rung, Error *error)
{
    bool selected[LADDER_RUNGS] = {false};
    for (int i = ladder->count - 1, left = 2; i >= 0; i--) /* the fastest is one of the last two that we have */
        selected[i] = !ladder->rungs[i].peer && ladder->rungs[i].tolerance_factor == NULL && left-- > 0;
    const LadderPlan plan = {.threads = threads,
                             .rounds = ROUNDS,
                             .sample_seconds = 2e-3,
                             .seconds = 5.0,
                             .seed = seed,
                             .selected = selected};
    LadderTable *table = ladder_measure(ladder, size, &plan, error);
    double best = NAN;
    for (int i = 0; table != NULL && i < table->count; i++) {
        const LadderRow *row = &table->rows[i];
        if (row->state == ROW_WRONG)
            error_set(error, "%s is wrong: %s", row->rung->name, row->reason);
        if (row->state != ROW_MEASURED || row->time.median >= best)
            continue;
        best = row->time.median;
        *rung = (int)(row->rung - ladder->rungs);
    }
    ladder_table_free(table);
    return best;
}

/* Copies the inputs, computes, copies the output. */
static double
time_copied(Problem *problem, const Rung *rung)
{
    problem_begin(problem);
    const double start = clock_now();
    problem_prepare(problem, rung);
    problem_run(problem, rung);
    rung->fetch(problem->inputs, problem->output.x);
    return clock_now() - start;
}

double
compare_measure_copied(const Ladder *bound, int rung, const int *size, uint64_t seed, Error *error)
{
    Problem problem;
    double seconds[ROUNDS];
    if (!problem_create(&problem, bound, size, seed, error))
        return NAN;
    time_copied(&problem, &bound->rungs[rung]); /* makes room on the device */
    for (int i = 0; i < ROUNDS; i++)
        seconds[i] = time_copied(&problem, &bound->rungs[rung]);
    const Verdict verdict = problem_compare(&problem);
    problem_free(&problem);
    if (verdict_ok(&verdict))
        return stats_of(seconds, ROUNDS).median;
    error_set(error, "%s is wrong", bound->rungs[rung].name);
    return NAN;
}

/* ---- one size ------------------------------------------------------------------------------------------ */

bool
compare_size(const Comparer *c, Compared *row, Error *error)
{
    const Operation *operation = &c->cpu->operation;
    int rung = 0;
    double *seconds = row->seconds;
    error->text[0] = '\0';
    for (int i = 0; i < TIMES; i++)
        seconds[i] = NAN;
    seconds[CPU_PREDICTED] = compare_predict_cpu(operation, row->size, c->threads, &c->machine);
    seconds[GPU_PREDICTED] = compare_predict_gpu(operation, row->size, &c->model, false);
    seconds[GPU_COPIED_PREDICTED] = compare_predict_gpu(operation, row->size, &c->model, true);
    if (seconds[CPU_PREDICTED] > LONGEST)
        return true;
    seconds[CPU_MEASURED] = compare_measure(c->cpu, row->size, c->threads, c->seed, &rung, error);
    if (c->device != NULL && !isnan(seconds[CPU_MEASURED])) {
        seconds[GPU_MEASURED] = compare_measure(c->device, row->size, 1, c->seed, &rung, error);
        if (!isnan(seconds[GPU_MEASURED]))
            seconds[GPU_COPIED_MEASURED] = compare_measure_copied(c->device, rung, row->size, c->seed, error);
    }
    return error->text[0] == '\0';
}

/* ---- where the GPU overtakes --------------------------------------------------------------------------- */

static bool
overtakes(const Comparer *c, const int *size, bool copied)
{
    return compare_predict_gpu(&c->cpu->operation, size, &c->model, copied) <
           compare_predict_cpu(&c->cpu->operation, size, c->threads, &c->machine);
}

/* Halves the way from a size where it does not to one where it does. */
static void
find_crossing(const Comparer *c, const int *slower, const int *faster, bool copied, int *size)
{
    double low = 0.0, high = 1.0;
    memcpy(size, faster, sizeof(int) * LADDER_DIMENSIONS);
    for (int step = 0; step < 20; step++) {
        int middle[LADDER_DIMENSIONS];
        const double part = (low + high) / 2;
        memcpy(middle, faster, sizeof middle);
        for (int d = 0; d < c->cpu->operation.dimension_count; d++)
            middle[d] = (int)lround(slower[d] + part * (faster[d] - slower[d]));
        if (overtakes(c, middle, copied)) {
            high = part;
            memcpy(size, middle, sizeof middle);
        } else {
            low = part;
        }
    }
}

int
compare_crossing(const Comparer *c, const Compared *rows, int count, bool copied, int *size)
{
    int i = 0;
    while (i < count && !overtakes(c, rows[i].size, copied))
        i++;
    if (i > 0 && i < count)
        find_crossing(c, rows[i - 1].size, rows[i].size, copied, size);
    return i;
}
