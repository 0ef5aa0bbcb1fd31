/* rungs schedule: what a schedule of a pipeline looks like, how long it takes and what it keeps, by simulation alone: nothing is
 * trained and nothing sent.
 * SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/schedule.h"
#include "cli/cli.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/json.h"
#include "mpi/parallel/pipeline/schedule_picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int stages, micros, chunks, columns;
    bool text, sweep;
    const char *file, *times, *svg, *csv, *json;
} o = {.stages = 4, .micros = 8, .columns = 132, .times = "1,1,1,0"};

static const Option options[] = {
    {"stages", OPTION_INT, &o.stages, "P", "stages of the pipeline", .min = 1, .max = PIPELINE_STAGES},
    {"micro-batches", OPTION_INT, &o.micros, "M", "micro-batches of a step", .min = 1, .max = PIPELINE_MICROS},
    {"chunks", OPTION_INT, &o.chunks, "V", "chunks of the layers on each stage; 0: what the schedule takes", .min = 0,
     .max = PIPELINE_CHUNKS},
    {"file", OPTION_STRING, &o.file, "FILE", "a schedule of your own, a line for each stage; it is checked first"},
    {"times", OPTION_STRING, &o.times, "F,B,W,C",
     "a stage's time for forward, backward of inputs, backward of weights, and a message"},
    {"columns", OPTION_INT, &o.columns, "N", "width of the drawing", .min = 40, .max = 100000},
    {"text", OPTION_FLAG, &o.text, NULL, "print the schedule as --file reads it, and nothing else"},
    {"sweep", OPTION_FLAG, &o.sweep, NULL, "the bubble for 2 to 64 stages and 8 to 512 micro-batches"},
    {"svg", OPTION_FIGURE, &o.svg, "FILE", "draw it, and what each stage keeps"},
    {"csv", OPTION_OUTPUT, &o.csv, "FILE", "every instruction, with its begin and end"},
    {"json", OPTION_OUTPUT, &o.json, "FILE", "length, bubble, and what each stage does and keeps"},
    {0}};

static const Command command = {
    .name = "rungs schedule",
    .positional = "[NAME]",
    .summary = "show a schedule of a pipeline: who computes what when, how long it takes, what it keeps",
    .options = options,
    .notes =
        "NAME is gpipe, 1f1b, interleaved, zb-h1, zb-h2, pipedream or 2bw; all, or no name, compares them.\n"
        "F2,5 is the forward pass of micro-batch 5 on stage 2, B its backward pass, W its gradients of weights, U an\n"
        "update; F2,5.1 is that of chunk 1. Without W in the schedule, B takes the time of both.\n"
        "Length is the time until all is done. The bubble is the idle part of the longest span between the first and "
        "last\n"
        "instruction of a stage, which is what a step costs when the next one follows at once.\n"
        "A file has a line for each stage, the first stage first: F0 F1 B0 B1 (F0.1: chunk 1; # begins a comment).\n"
        "\n  rungs schedule 1f1b --stages 4 --micro-batches 8 --svg 1f1b.svg\n"
        "  rungs schedule zb-h1 --text > own.txt; rungs schedule --file own.txt\n"
        "  rungs schedule interleaved --chunks 4 --sweep\n",
    .max_positional = 1};

/* F,B,W,C: the same of all stages. */
static bool
read_times(PipelineTimes *times, Error *error)
{
    double *const into[] = {&times->forward, &times->backward, &times->weights, &times->send};
    const char *at = o.times;
    for (int i = 0; i < 4; i++) {
        char *end;
        *into[i] = strtod(at, &end);
        if (end == at || !(*into[i] >= 0 && *into[i] <= 1e9) || *end != (i < 3 ? ',' : '\0'))
            return error_set(
                error, "--times is \"%s\", expected four numbers from 0 to 1e9 with commas between, as in 1,1,1,0",
                o.times);
        at = end + 1;
    }
    return times->forward + times->backward + times->weights > 0 ||
           error_set(error, "--times is \"%s\", expected an F, B or W above 0", o.times);
}

static PipelineRun
simulate(const PipelineSchedule *schedule, PipelineTimes time)
{
    PipelineTimes *times = ARRAY(PipelineTimes, (size_t)schedule->stages);
    for (int i = 0; i < schedule->stages; i++)
        times[i] = time;
    const PipelineRun run = pipeline_simulate(schedule, times);
    array_free(times);
    return run;
}

/* ---- one schedule ---- */

static void
print_stages(const PipelineSchedule *schedule, const PipelineRun *run)
{
    const bool weights = schedule->updates > 0;
    printf("\n  %-6s %10s %8s %12s%s\n", "stage", "busy", "idle", "in flight", weights ? "   versions  staleness" : "");
    for (int i = 0; i < run->stages; i++) {
        const PipelineStageRun *stage = &run->stage[i];
        printf("  %-6d %10.6g %7.2f%% %12.4g", i, stage->busy, 100 * (1 - stage->busy / run->longest),
               (double)stage->peak / schedule->chunks);
        if (weights)
            printf(" %10d %10d", stage->versions, stage->staleness);
        printf("\n");
    }
}

static bool
write_csv(const PipelineSchedule *schedule, const PipelineRun *run, Error *error)
{
    Csv *csv = o.csv != NULL ? csv_create(o.csv, "stage,kind,micro_batch,chunk,begin,end", error) : NULL;
    for (int i = 0; csv != NULL && i < run->stages; i++)
        for (int k = 0; k < run->stage[i].done; k++) {
            const PipelineInstruction what = schedule->stage[i].instruction[k];
            const char letter[] = {pipeline_letters[what.kind], '\0'};
            csv_add(csv, "%d %s %d %d %g %g\n", i, letter, what.micro, what.chunk, run->stage[i].start[k],
                    run->stage[i].end[k]);
        }
    return o.csv == NULL || (csv != NULL && csv_close(csv, error));
}

static bool
write_json(const char *name, const PipelineSchedule *schedule, const PipelineRun *run, Error *error)
{
    if (o.json == NULL)
        return true;
    cJSON *json = cJSON_CreateObject();
    json_add(json, "schedule %s, stages %d, micro_batches %d, chunks %d, length %g, bubble %g", name, schedule->stages,
             schedule->micros, schedule->chunks, run->length, run->bubble);
    cJSON *stages = cJSON_AddArrayToObject(json, "stage");
    for (int i = 0; i < run->stages; i++) {
        const PipelineStageRun *stage = &run->stage[i];
        cJSON *one = cJSON_CreateObject();
        json_add(one, "busy %g, in_flight %g, versions %d, staleness %d", stage->busy,
                 (double)stage->peak / schedule->chunks, stage->versions, stage->staleness);
        cJSON_AddItemToArray(stages, one);
    }
    const bool written = json_write(o.json, json, error);
    cJSON_Delete(json);
    return written;
}

static bool
show(const char *name, const PipelineSchedule *schedule, PipelineTimes time, Error *error)
{
    char title[256];
    PipelineRun run = simulate(schedule, time);
    snprintf(title, sizeof title, "%s: %d stage%s, %d micro-batch%s, length %g, bubble %.2f %%", name, schedule->stages,
             schedule->stages == 1 ? "" : "s", schedule->micros, schedule->micros == 1 ? "" : "es", run.length,
             100 * run.bubble);
    printf("%s\n\n", title);
    pipeline_picture_text(schedule, &run, o.columns, stdout);
    print_stages(schedule, &run);
    const bool done = write_csv(schedule, &run, error) && write_json(name, schedule, &run, error) &&
                      (o.svg == NULL || pipeline_picture_svg(schedule, &run, title, o.svg, error));
    pipeline_run_free(&run);
    return done;
}

/* ---- several ---- */

/* Activations and gradients that go from one stage to another. */
static long long
messages(const PipelineSchedule *schedule)
{
    long long crossings = 0;
    int chunk;
    for (int depth = 1; depth < schedule->stages * schedule->chunks; depth++)
        crossings += pipeline_stage_of(schedule, depth, &chunk) != pipeline_stage_of(schedule, depth - 1, &chunk);
    return 2 * crossings * schedule->micros;
}

static void
compare(PipelineTimes time)
{
    printf("%d stages, %d micro-batches\n\n  %-12s %10s %9s %10s %7s %9s\n", o.stages, o.micros, "schedule", "length",
           "bubble", "in flight", "chunks", "messages");
    for (int n = 0; n < PIPELINE_IDEAS; n++) {
        Error why = {""};
        const PipelineIdea *idea = &pipeline_ideas[n];
        PipelineSchedule *schedule = pipeline_generate(idea, o.stages, o.micros, idea->chunks > 0 ? 0 : o.chunks, &why);
        if (schedule == NULL) {
            printf("  %-12s %s\n", idea->name, why.text);
            continue;
        }
        PipelineRun run = simulate(schedule, time);
        printf("  %-12s %10.6g %8.2f%% %10.4g %7d %9lld\n", idea->name, run.length, 100 * run.bubble,
               pipeline_peak(schedule, &run), schedule->chunks, messages(schedule));
        pipeline_run_free(&run);
        pipeline_free(schedule);
    }
}

/* The papers' table: the bubble against stages and micro-batches. False with a sentence if no cell has a schedule. */
static bool
sweep(const PipelineIdea *idea, PipelineTimes time, Error *error)
{
    static const int micros[] = {8, 32, 128, 512};
    enum { COLUMNS = sizeof micros / sizeof micros[0] };
    int cells = 0;
    printf("%s: bubble in %%\n\n  %-7s", idea->name, "stages");
    for (int c = 0; c < COLUMNS; c++)
        printf(" %5s%4d", "m =", micros[c]);
    printf("\n");
    for (int stages = 2; stages <= 64; stages *= 2) {
        printf("  %-7d", stages);
        for (int c = 0; c < COLUMNS; c++) {
            PipelineSchedule *schedule = pipeline_generate(idea, stages, micros[c], o.chunks, error);
            if (schedule == NULL) {
                printf(" %9s", "-");
                continue;
            }
            PipelineRun run = simulate(schedule, time);
            printf(" %9.3f", 100 * run.bubble);
            cells++;
            pipeline_run_free(&run);
            pipeline_free(schedule);
        }
        printf("\n");
    }
    return cells > 0;
}

/* ---- the command ---- */

/* The sentence for options that do not go together. */
static bool
check_options(const char *name, Error *error)
{
    const bool all = name == NULL && o.file == NULL;
    if (o.file != NULL && (name != NULL || o.sweep))
        return error_set(error, "--file is a schedule itself: leave out %s", name != NULL ? "the name" : "--sweep");
    if (all && o.sweep)
        return error_set(error, "--sweep needs the name of a schedule, as in rungs schedule 1f1b --sweep");
    if ((all || o.sweep) && (o.text || o.svg != NULL || o.csv != NULL || o.json != NULL))
        return error_set(error, "--text, --svg, --csv and --json are of one schedule: give its name, without --sweep");
    return true;
}

static PipelineSchedule *
obtain(const PipelineIdea *idea, Error *error)
{
    PipelineSchedule *schedule =
        idea != NULL ? pipeline_generate(idea, o.stages, o.micros, o.chunks, error) : pipeline_read(o.file, error);
    if (schedule == NULL || pipeline_check(schedule, error))
        return schedule;
    pipeline_free(schedule);
    return NULL;
}

int
command_schedule(int argc, char **argv)
{
    int positional, status;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    Error error = {""};
    const char *name = positional > 0 && strcmp(argv[1], "all") != 0 ? argv[1] : NULL;
    const PipelineIdea *idea = name != NULL ? pipeline_idea(name) : NULL;
    PipelineTimes time = {0};
    if (name != NULL && idea == NULL) {
        Nearest nearest = nearest_to(name);
        for (int i = 0; i < PIPELINE_IDEAS; i++)
            nearest_offer(&nearest, pipeline_ideas[i].name);
        return cli_unknown("rungs schedule", "schedule ", &nearest, "rungs schedule ", "'rungs schedule' lists them");
    }
    if (!check_options(name, &error) || !read_times(&time, &error))
        return cli_fail(command.name, STATUS_USAGE, &error);
    if (idea == NULL && o.file == NULL)
        return compare(time), STATUS_DONE;
    if (o.sweep)
        return sweep(idea, time, &error) ? STATUS_DONE : cli_fail(command.name, STATUS_USAGE, &error);
    PipelineSchedule *schedule = obtain(idea, &error);
    if (schedule == NULL)
        return cli_fail(command.name, idea != NULL ? STATUS_USAGE : STATUS_FAILED, &error);
    bool done = true;
    if (o.text)
        pipeline_write(schedule, stdout);
    else
        done = show(idea != NULL ? idea->name : o.file, schedule, time, &error);
    pipeline_free(schedule);
    return done ? STATUS_DONE : cli_fail(command.name, STATUS_FAILED, &error);
}
