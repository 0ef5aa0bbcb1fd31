/* When every instruction of a schedule begins, what the stages hold meanwhile, and with which weights they compute.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/pipeline/schedule.h"
#include <math.h>

double
pipeline_seconds(const PipelineSchedule *schedule, const PipelineTimes *times, PipelineKind kind)
{
    const double whole[PIPELINE_KINDS] = {times->forward, times->backward + (schedule->split ? 0 : times->weights),
                                          times->weights, 0};
    return whole[kind] / schedule->chunks;
}

/* ---- the clock ------------------------------------------------------------------------------------------------------------- */

/* When each instruction is done; NaN: not yet. */
typedef struct Clock {
    const PipelineSchedule *schedule;
    const PipelineTimes *times;
    double *done; /* [kind][depth][micro] */
} Clock;

static double *
done_at(const Clock *clock, PipelineKind kind, int micro, int depth)
{
    const size_t depths = (size_t)clock->schedule->stages * (size_t)clock->schedule->chunks;
    return &clock->done[((size_t)kind * depths + (size_t)depth) * (size_t)clock->schedule->micros + (size_t)micro];
}

/* When its result is on stage `stage`: sent there, unless it was computed there. */
static double
arrives(const Clock *clock, PipelineKind kind, int micro, int depth, int stage)
{
    int chunk;
    const int from = pipeline_stage_of(clock->schedule, depth, &chunk);
    return *done_at(clock, kind, micro, depth) + (from != stage ? clock->times[from].send : 0);
}

/* NaN is larger than everything. */
static double
later(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* When all inputs of an instruction are there; NaN: not known yet. */
static double
ready(const Clock *clock, int stage, PipelineInstruction what)
{
    const int depth = pipeline_depth(clock->schedule, stage, what.chunk);
    const bool last = depth == clock->schedule->stages * clock->schedule->chunks - 1;
    switch (what.kind) {
    case PIPELINE_F:
        return depth == 0 ? 0 : arrives(clock, PIPELINE_F, what.micro, depth - 1, stage);
    case PIPELINE_B:
        return later(arrives(clock, PIPELINE_F, what.micro, depth, stage),
                     last ? 0 : arrives(clock, PIPELINE_B, what.micro, depth + 1, stage));
    case PIPELINE_W:
        return arrives(clock, PIPELINE_B, what.micro, depth, stage);
    default:
        return 0;
    }
}

/* Goes on with the stage until an instruction has to wait for one that was not played yet. True if it came further. */
static bool
play_stage(const Clock *clock, int stage, PipelineStageRun *run)
{
    const PipelineStage *line = &clock->schedule->stage[stage];
    const int before = run->done;
    for (; run->done < line->count; run->done++) {
        const PipelineInstruction what = line->instruction[run->done];
        const double begin = ready(clock, stage, what);
        if (isnan(begin))
            break;
        const double seconds = pipeline_seconds(clock->schedule, &clock->times[stage], what.kind);
        run->start[run->done] = fmax(begin, run->last);
        run->last = run->end[run->done] = run->start[run->done] + seconds;
        run->busy += seconds;
        if (what.kind != PIPELINE_U)
            *done_at(clock, what.kind, what.micro, pipeline_depth(clock->schedule, stage, what.chunk)) = run->last;
    }
    return run->done > before;
}

/* ---- memory and weights ---------------------------------------------------------------------------------------------------- */

static void
count_flight(const PipelineSchedule *schedule, int stage, PipelineStageRun *run)
{
    const PipelineStage *line = &schedule->stage[stage];
    const PipelineKind last = schedule->split ? PIPELINE_W : PIPELINE_B;
    int held = 0;
    for (int k = 0; k < line->count; k++) {
        held += (line->instruction[k].kind == PIPELINE_F) - (line->instruction[k].kind == last);
        run->peak = held > run->peak ? held : run->peak;
    }
}

/* The number of updates in the weights that forward of `micro` uses when `updates` have been done. */
static int
version_of(const PipelineSchedule *schedule, int micro, int updates)
{
    const int each = schedule->micros / schedule->updates; /* micro-batches of an update */
    if (!schedule->twice)
        return updates;
    return micro / each > 1 ? micro / each - 1 : 0;
}

/* Version of the micro-batch that F begins next, from instruction k on; `updates` where there is none. */
static int
next_version(const PipelineSchedule *schedule, const PipelineStage *line, int k, int updates)
{
    while (schedule->twice && k < line->count && line->instruction[k].kind != PIPELINE_F)
        k++;
    return schedule->twice && k < line->count ? version_of(schedule, line->instruction[k].micro, updates) : updates;
}

static void
count_versions(const PipelineSchedule *schedule, int stage, PipelineStageRun *run)
{
    const PipelineStage *line = &schedule->stage[stage];
    run->versions = 1;
    if (schedule->updates == 0)
        return;
    int *version = ARRAY(int, (size_t)schedule->micros), *users = ARRAY(int, (size_t)schedule->updates + 1);
    int updates = 0, oldest = 0;
    const int each = schedule->micros / schedule->updates;
    const PipelineKind last = schedule->split ? PIPELINE_W : PIPELINE_B;
    for (int k = 0; k < line->count; k++) {
        const PipelineInstruction what = line->instruction[k];
        if (what.kind == PIPELINE_F)
            users[version[what.micro] = version_of(schedule, what.micro, updates)]++;
        else if (what.kind == PIPELINE_U)
            updates++;
        else if (what.kind == last) {
            const int stale = what.micro / each - version[what.micro];
            run->staleness = stale > run->staleness ? stale : run->staleness;
            users[version[what.micro]]--;
        }
        const int next = next_version(schedule, line, k + 1, updates);
        while (oldest < updates && users[oldest] == 0 && oldest < next)
            oldest++;
        if (k + 1 < line->count && updates - oldest + 1 > run->versions)
            run->versions = updates - oldest + 1;
    }
    array_free(version);
    array_free(users);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

static void
summarise(PipelineRun *run)
{
    double busy = 0;
    for (int i = 0; i < run->stages; i++) {
        PipelineStageRun *stage = &run->stage[i];
        stage->first = stage->done > 0 ? stage->start[0] : 0;
        run->length = fmax(run->length, stage->last);
        run->longest = fmax(run->longest, stage->last - stage->first);
        busy += stage->busy / run->stages;
    }
    run->bubble = run->longest > 0 ? 1 - busy / run->longest : 0;
}

PipelineRun
pipeline_simulate(const PipelineSchedule *schedule, const PipelineTimes *times)
{
    const size_t cells = PIPELINE_U * (size_t)schedule->stages * (size_t)schedule->chunks * (size_t)schedule->micros;
    PipelineRun run = {.stages = schedule->stages, .stage = ARRAY(PipelineStageRun, (size_t)schedule->stages)};
    const Clock clock = {schedule, times, ARRAY(double, cells)};
    for (size_t i = 0; i < cells; i++)
        clock.done[i] = NAN;
    for (int i = 0; i < run.stages; i++) {
        run.stage[i].start = ARRAY(double, (size_t)schedule->stage[i].count);
        run.stage[i].end = ARRAY(double, (size_t)schedule->stage[i].count);
        count_flight(schedule, i, &run.stage[i]);
        count_versions(schedule, i, &run.stage[i]);
    }
    for (bool further = true; further;) {
        further = false;
        for (int i = 0; i < run.stages; i++)
            further = play_stage(&clock, i, &run.stage[i]) || further;
    }
    array_free(clock.done);
    summarise(&run);
    return run;
}

void
pipeline_run_free(PipelineRun *run)
{
    for (int i = 0; i < run->stages; i++) {
        array_free(run->stage[i].start);
        array_free(run->stage[i].end);
    }
    array_free(run->stage);
    *run = (PipelineRun){0};
}

double
pipeline_peak(const PipelineSchedule *schedule, const PipelineRun *run)
{
    int peak = 0;
    for (int i = 0; i < run->stages; i++)
        peak = run->stage[i].peak > peak ? run->stage[i].peak : peak;
    return (double)peak / schedule->chunks;
}
