/* The schedules of the papers. With p stages, stage i counted from 0, and m micro-batches, each of them is: forward passes until
 * enough are in flight, then one backward and one forward in alternation, then the backward passes that are left.
 *
 *     in flight before the first backward     GPipe m, 1F1B p - i, ZB-H1 p - i with W postponed by i, ZB-H2 2 (p - i) - 1 and 2 i
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/schedule.h"
#include <string.h>

/* Stage i: `ahead` forward passes first; W, if there is any, follows its B by `late` micro-batches (-1: B is not split); U behind
 * every `each` backward passes (0: none). */
static void
alternate(PipelineSchedule *schedule, int i, int ahead, int late, int each)
{
    const int m = schedule->micros;
    int forward = 0, weights = 0;
    while (forward < m && forward < ahead)
        pipeline_append(schedule, i, PIPELINE_F, forward++, 0);
    for (int backward = 0; backward < m; backward++) {
        pipeline_append(schedule, i, PIPELINE_B, backward, 0);
        if (late >= 0 && backward >= late)
            pipeline_append(schedule, i, PIPELINE_W, weights++, 0);
        if (each > 0 && (backward + 1) % each == 0)
            pipeline_append(schedule, i, PIPELINE_U, 0, 0);
        if (forward < m)
            pipeline_append(schedule, i, PIPELINE_F, forward++, 0);
    }
    while (late >= 0 && weights < m)
        pipeline_append(schedule, i, PIPELINE_W, weights++, 0);
}

/* Huang et al., "GPipe", 2019, arXiv:1811.06965. */
static PipelineSchedule *
gpipe(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    for (int i = 0; i < p; i++)
        alternate(schedule, i, m, -1, 0);
    return schedule;
}

/* PipeDream-flush: Narayanan et al., 2021, arXiv:2006.09503. */
static PipelineSchedule *
one_forward_one_backward(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    for (int i = 0; i < p; i++)
        alternate(schedule, i, p - i, -1, 0);
    return schedule;
}

/* Qi et al., "Zero Bubble Pipeline Parallelism", 2023, arXiv:2401.10241: the same memory as 1F1B. */
static PipelineSchedule *
zb_h1(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    for (int i = 0; i < p; i++)
        alternate(schedule, i, p - i, i, 0);
    return schedule;
}

/* The same paper: 2 p - 1 micro-batches in flight, so that with F = B nobody waits. */
static PipelineSchedule *
zb_h2(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    for (int i = 0; i < p; i++)
        alternate(schedule, i, 2 * (p - i) - 1, 2 * i, 0);
    return schedule;
}

/* Narayanan et al., "PipeDream", 2019: an update for each micro-batch; p - i versions of the weights, staleness p - 1 - i. */
static PipelineSchedule *
pipedream(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    for (int i = 0; i < p; i++)
        alternate(schedule, i, p - i, -1, 1);
    return schedule;
}

/* PipeDream-2BW: Narayanan et al., 2021, arXiv:2006.09503: an update for at least p micro-batches, two versions. */
static PipelineSchedule *
pipedream_2bw(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    int each = p < m ? p : m;
    while (m % each != 0)
        each++;
    schedule->twice = true;
    for (int i = 0; i < p; i++)
        alternate(schedule, i, p - i, -1, each);
    return schedule;
}

/* Number k of the passes of all chunks: p micro-batches through a chunk, then the same ones through the next chunk. */
static void
append_pass(PipelineSchedule *schedule, int i, PipelineKind kind, int k)
{
    const int p = schedule->stages, round = p * schedule->chunks, chunk = k % round / p;
    pipeline_append(schedule, i, kind, k / round * p + k % p,
                    kind == PIPELINE_F ? chunk : schedule->chunks - 1 - chunk);
}

/* Interleaved 1F1B: Narayanan et al., 2021, arXiv:2104.04473. */
static PipelineSchedule *
interleaved(int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_create(p, m, chunks);
    const int passes = m * chunks;
    for (int i = 0; i < p; i++) {
        int forward = 0;
        for (const int ahead = 2 * (p - 1 - i) + (chunks - 1) * p + 1; forward < passes && forward < ahead; forward++)
            append_pass(schedule, i, PIPELINE_F, forward);
        for (int backward = 0; backward < passes; backward++) {
            append_pass(schedule, i, PIPELINE_B, backward);
            if (forward < passes)
                append_pass(schedule, i, PIPELINE_F, forward++);
        }
    }
    return schedule;
}

const PipelineIdea pipeline_ideas[PIPELINE_IDEAS] = {
    {"gpipe", "all forward passes, then all backward passes", gpipe, .chunks = 1},
    {"1f1b", "a backward pass as soon as there is one: at most p in flight", one_forward_one_backward, .chunks = 1},
    {"interleaved", "1F1B with several chunks of the layers on each stage", interleaved, .multiples = true},
    {"zb-h1", "B and W split: W fills the bubble, with the memory of 1F1B", zb_h1, .chunks = 1},
    {"zb-h2", "the same without any bubble for F = B = W, with 2 p - 1 in flight", zb_h2, .chunks = 1},
    {"pipedream", "asynchronous: an update for each micro-batch, p - i versions of the weights", pipedream,
     .chunks = 1},
    {"2bw", "asynchronous: an update for p micro-batches or more, two versions", pipedream_2bw, .chunks = 1},
};

const PipelineIdea *
pipeline_idea(const char *name)
{
    for (int i = 0; i < PIPELINE_IDEAS; i++)
        if (strcmp(pipeline_ideas[i].name, name) == 0)
            return &pipeline_ideas[i];
    return NULL;
}

PipelineSchedule *
pipeline_generate(const PipelineIdea *idea, int stages, int micros, int chunks, Error *error)
{
    chunks = chunks > 0 ? chunks : idea->chunks > 0 ? idea->chunks : 2;
    if (stages < 1 || stages > PIPELINE_STAGES || micros < 1 || micros > PIPELINE_MICROS || chunks > PIPELINE_CHUNKS)
        return error_set(error, "%s of %d stages, %d micro-batches and %d chunks: expected 1 to %d, %d and %d",
                         idea->name, stages, micros, chunks, PIPELINE_STAGES, PIPELINE_MICROS, PIPELINE_CHUNKS),
               NULL;
    if (idea->chunks > 0 && chunks != idea->chunks)
        return error_set(error, "%s has %d chunk on each stage, not %d: interleaved takes any number", idea->name,
                         idea->chunks, chunks),
               NULL;
    if (idea->multiples && micros % stages != 0)
        return error_set(error, "%s needs the micro-batches to be a multiple of the %d stages, not %d", idea->name,
                         stages, micros),
               NULL;
    if ((double)stages * micros * chunks * PIPELINE_U > PIPELINE_INSTRUCTIONS)
        return error_set(error, "%d stages x %d micro-batches x %d chunks are more than %d instructions: take fewer",
                         stages, micros, chunks, PIPELINE_INSTRUCTIONS),
               NULL;
    return idea->generate(stages, micros, chunks);
}
