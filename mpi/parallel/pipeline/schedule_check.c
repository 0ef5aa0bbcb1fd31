/* Whether a schedule can be computed, and if not, which line is wrong. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/parallel/pipeline/schedule.h"
#include <string.h>

/* Place of each instruction in a line, counted from 1; 0: it is not there. */
static int *
place_of(int *place, const PipelineSchedule *schedule, PipelineKind kind, int micro, int chunk)
{
    return &place[((size_t)kind * (size_t)schedule->chunks + (size_t)chunk) * (size_t)schedule->micros + (size_t)micro];
}

/* Each at most once, with numbers that exist. */
static bool
check_once(const PipelineSchedule *schedule, int stage, int *place, Error *error)
{
    const PipelineStage *line = &schedule->stage[stage];
    char label[PIPELINE_LABEL];
    for (int k = 0; k < line->count; k++) {
        const PipelineInstruction what = line->instruction[k];
        pipeline_label(schedule, what, label);
        if (what.kind == PIPELINE_U)
            continue;
        if (what.micro >= schedule->micros)
            return error_set(error, "line %d: %s, but there are %d micro-batches: their numbers are 0 to %d",
                             line->line, label, schedule->micros, schedule->micros - 1);
        if (what.chunk >= schedule->chunks)
            return error_set(error, "line %d: %c%d.%d, but a stage has %d chunk%s: write chunks 0 to %d", line->line,
                             pipeline_letters[what.kind], what.micro, what.chunk, schedule->chunks,
                             schedule->chunks == 1 ? "" : "s", schedule->chunks - 1);
        int *at = place_of(place, schedule, what.kind, what.micro, what.chunk);
        if (*at != 0)
            return error_set(error, "line %d: %s stands there twice, as instructions %d and %d: remove one", line->line,
                             label, *at, k + 1);
        *at = k + 1;
    }
    return true;
}

/* None is missing, and F, B and W of a micro-batch are in this order. */
static bool
check_order(const PipelineSchedule *schedule, int stage, int *place, Error *error)
{
    const int line = schedule->stage[stage].line, parts = schedule->split ? 3 : 2;
    for (int micro = 0; micro < schedule->micros; micro++)
        for (int chunk = 0; chunk < schedule->chunks; chunk++)
            for (int kind = 0, before = 0; kind < parts; kind++) {
                char label[PIPELINE_LABEL], other[PIPELINE_LABEL];
                const int at = *place_of(place, schedule, (PipelineKind)kind, micro, chunk);
                pipeline_label(schedule, (PipelineInstruction){(PipelineKind)kind, micro, chunk}, label);
                if (at == 0)
                    return error_set(error, "line %d: stage %d has no %s: every stage needs it once, so add it", line,
                                     stage, label);
                if (at < before)
                    return error_set(
                        error, "line %d: %s stands before %s, which it needs: move it behind", line, label,
                        pipeline_label(schedule, (PipelineInstruction){(PipelineKind)(kind - 1), micro, chunk}, other));
                before = at;
            }
    return true;
}

/* The updates of all stages stand behind the gradients of the same micro-batches. */
static bool
check_updates(const PipelineSchedule *schedule, int stage, Error *error)
{
    const PipelineStage *line = &schedule->stage[stage];
    const PipelineKind last = schedule->split ? PIPELINE_W : PIPELINE_B;
    const int each = schedule->updates > 0 ? schedule->micros / schedule->updates : 0;
    int updates = 0, gradients = 0;
    for (int k = 0; k < line->count; k++) {
        const PipelineInstruction what = line->instruction[k];
        const int group = each > 0 ? what.micro / each : 0;
        if (what.kind == PIPELINE_U && (each == 0 || ++updates * each * schedule->chunks != gradients))
            return error_set(error,
                             "line %d: U number %d follows %d gradients: it must follow those of %d micro-batches each",
                             line->line, updates, gradients, each);
        if (each > 0 && what.kind == last && group != updates)
            return error_set(error, "line %d: the gradient of micro-batch %d belongs to U number %d: move it there",
                             line->line, what.micro, group + 1);
        if (schedule->twice && each > 0 && what.kind == PIPELINE_F && group - 1 > updates)
            return error_set(error, "line %d: F%d uses the weights of U number %d, which is not done: move it behind",
                             line->line, what.micro, group - 1);
        gradients += what.kind == last;
    }
    return updates == schedule->updates ||
           error_set(error, "line %d: stage %d has %d U and stage 0 has %d: update as often on all stages", line->line,
                     stage, updates, schedule->updates);
}

/* The stage whose result the next instruction of `stage` waits for. */
static int
waits_for(const PipelineSchedule *schedule, const PipelineRun *run, int stage, PipelineInstruction *needs)
{
    const PipelineInstruction what = schedule->stage[stage].instruction[run->stage[stage].done];
    const int depth = pipeline_depth(schedule, stage, what.chunk);
    *needs = what;
    return pipeline_stage_of(schedule, depth + (what.kind == PIPELINE_F ? -1 : 1), &needs->chunk);
}

/* Plays it; stages that wait for each other for ever are found by going from one to the next. */
static bool
check_waits(const PipelineSchedule *schedule, Error *error)
{
    PipelineTimes *times = ARRAY(PipelineTimes, (size_t)schedule->stages);
    PipelineRun run = pipeline_simulate(schedule, times);
    int stuck = 0;
    while (stuck < run.stages && run.stage[stuck].done == schedule->stage[stuck].count)
        stuck++;
    const bool right = stuck == run.stages;
    if (!right) {
        PipelineInstruction needs;
        char label[PIPELINE_LABEL], other[PIPELINE_LABEL], front[PIPELINE_LABEL];
        for (int i = 0; i < run.stages; i++)
            stuck = waits_for(schedule, &run, stuck, &needs);
        const int from = waits_for(schedule, &run, stuck, &needs);
        const PipelineInstruction what = schedule->stage[stuck].instruction[run.stage[stuck].done];
        error_set(error,
                  "line %d: deadlock: stage %d waits at %s for %s of stage %d, which is behind %s there (line %d), "
                  "which waits, "
                  "too: move one of them",
                  schedule->stage[stuck].line, stuck, pipeline_label(schedule, what, label),
                  pipeline_label(schedule, needs, other), from,
                  pipeline_label(schedule, schedule->stage[from].instruction[run.stage[from].done], front),
                  schedule->stage[from].line);
    }
    pipeline_run_free(&run);
    array_free(times);
    return right;
}

bool
pipeline_check(const PipelineSchedule *schedule, Error *error)
{
    bool right = schedule->updates == 0 || schedule->micros % schedule->updates == 0 ||
                 error_set(error, "line %d: %d U cannot share %d micro-batches evenly: use a number that divides them",
                           schedule->stage[0].line, schedule->updates, schedule->micros);
    int *place = ARRAY(int, PIPELINE_U *(size_t)schedule->micros *(size_t)schedule->chunks);
    for (int pass = 0; pass < 2 && right; pass++)
        for (int i = 0; i < schedule->stages && right; i++) {
            memset(place, 0, PIPELINE_U * (size_t)schedule->micros * (size_t)schedule->chunks * sizeof *place);
            right = check_once(schedule, i, place, error) &&
                    (pass == 0 || (check_order(schedule, i, place, error) && check_updates(schedule, i, error)));
        }
    array_free(place);
    return right && check_waits(schedule, error);
}
