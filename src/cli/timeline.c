/* rungs timeline: lecture 7's examples of a step of data-parallel SGD, by the model alone: nothing is trained and nothing sent.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/model/timeline.h"
#endif

enum { LAYERS_MOST = 64 };

static struct {
    const char *backward, *bytes, *svg;
    double forward, update, latency, per_byte, first_bucket, bucket;
} o = {.backward = "4,3,2,1", .bytes = "1,2,3,4", .forward = 5, .latency = 3, .per_byte = 0.5};

static const Option options[] = {
    {"forward", OPTION_DOUBLE, &o.forward, "T", "milliseconds of the forward pass", .min = 0, .max = 1e9},
    {"backward", OPTION_STRING, &o.backward, "T,T,..", "milliseconds of each layer's backward pass, layer 1 first"},
    {"bytes", OPTION_STRING, &o.bytes, "N,N,..", "bytes of each layer's gradients"},
    {"update", OPTION_DOUBLE, &o.update, "T", "milliseconds of the update", .min = 0, .max = 1e9},
    {"latency", OPTION_DOUBLE, &o.latency, "A", "an all-reduce of n bytes takes A + B n milliseconds", .min = 0,
     .max = 1e9},
    {"per-byte", OPTION_DOUBLE, &o.per_byte, "B", "see there", .min = 0, .max = 1e9},
    {"bucket", OPTION_DOUBLE, &o.bucket, "N", "a bucket is full; 0: no row for buckets", .min = 0, .max = 1e18},
    {"first-bucket", OPTION_DOUBLE, &o.first_bucket, "N", "the first one is full", .min = 0, .max = 1e18},
    {"svg", OPTION_FIGURE, &o.svg, "FILE", "draw the steps, one above the other"},
    {0}};

static const Command command = {
    .name = "rungs timeline",
    .positional = "",
    .summary = "show how long a step of data-parallel SGD takes, by what is sent when",
    .options = options,
    .notes = "Layers in braces are sent together. Bytes may be any unit of length.\n"
             "\n  rungs timeline --backward 2,2,2,2,2,2 --bytes 0.1,0.1,0.1,0.1,0.1,5 --latency 3 --per-byte 1\n"};

/* Numbers >= 0, with commas between, into x[LAYERS_MOST]. Returns how many; 0 with a sentence. */
static int
read_numbers(const char *option, const char *text, double x[LAYERS_MOST], Error *error)
{
    int count = 0;
    for (const char *at = text;; at++) {
        char *end;
        if (count == LAYERS_MOST)
            return error_set(error, "--%s has more than %d numbers", option, LAYERS_MOST), 0;
        x[count] = strtod(at, &end);
        if (end == at || !(x[count] >= 0) || !isfinite(x[count]) || (*end != ',' && *end != '\0'))
            return error_set(error, "--%s is \"%s\", expected numbers from 0 on with commas between, as in 4,3,2,1",
                             option, text),
                   0;
        count++;
        if (*end == '\0')
            return count;
        at = end;
    }
}

#ifdef HAVE_MPI

static void
print_step(const char *mode, const Step *step)
{
    char groups[8 * LAYERS_MOST] = "";
    for (int g = 0; g < step->groups; g++)
        for (int l = step->group[g].last; l >= step->group[g].first; l--) {
            const size_t length = strlen(groups);
            snprintf(groups + length, sizeof(groups) - length, "%s%d%s", l == step->group[g].last ? " {" : " ", l,
                     l == step->group[g].first ? "}" : "");
        }
    printf("  %-8s %8g %14g %8g %8g  %s\n", mode, step->seconds, step->communication,
           fmax(step->communication - step->exposed, 0), step->exposed, groups);
}

/* The timeline is in seconds. */
static void
add_timeline(Timeline *timeline, const char *mode, Step *step)
{
    step->forward_end *= 1e-3;
    step->update_begin *= 1e-3;
    step->seconds *= 1e-3;
    for (int l = 0; l < step->layers; l++) {
        step->backward_begin[l] *= 1e-3;
        step->backward_end[l] *= 1e-3;
    }
    for (int g = 0; g < step->groups; g++) {
        step->group[g].begin *= 1e-3;
        step->group[g].end *= 1e-3;
    }
    *timeline = (Timeline){.name = mode};
    timeline_of_step(timeline, step, NULL);
}

/* All modes: a row each, and a timeline. */
static bool
show(int layers, const double *backward, const double *bytes, Error *error)
{
    static Step step; /* large */
    const AllReduceLine line = {o.latency, o.per_byte};
    const StepCase what = {layers, o.forward, backward, bytes, o.update, all_reduce_line(&line)};
    Timeline drawn[STEP_MODES] = {{0}};
    int count = 0;
    printf("  %-8s %8s %14s %8s %8s   sent together\n", "", "step", "communication", "hidden", "exposed");
    for (int m = 0; m < STEP_MODES; m++) {
        if (strcmp(step_modes[m], "ddp") == 0 && !(o.bucket > 0))
            continue;
        step_of_mode(step_modes[m], &what, o.first_bucket, o.bucket, &step);
        print_step(step_modes[m], &step);
        add_timeline(&drawn[count++], step_modes[m], &step);
    }
    const bool done =
        o.svg == NULL || timeline_svg(drawn, count, "A step of data-parallel SGD, predicted", o.svg, error);
    for (int i = 0; i < count; i++)
        timeline_free(&drawn[i]);
    return done;
}

#else

static bool
show(int layers, const double *backward, const double *bytes, Error *error)
{
    (void)layers, (void)backward, (void)bytes;
    return error_set(error,
                     "this build is without MPI, whose model it asks: ./setup.sh installs Open MPI, and make must "
                     "not say MPI=0");
}

#endif

int
command_timeline(int argc, char **argv)
{
    int positional, status;
    if (!cli_parse(&command, argc, argv, &positional, &status))
        return status;
    Error error = {""};
    double backward[LAYERS_MOST], bytes[LAYERS_MOST];
    const int layers = read_numbers("backward", o.backward, backward, &error);
    const int lengths = layers > 0 ? read_numbers("bytes", o.bytes, bytes, &error) : 0;
    if (lengths > 0 && lengths != layers)
        error_set(&error, "--backward has %d layers and --bytes %d: give as many of both", layers, lengths);
    if (error.text[0] != '\0')
        return cli_fail(command.name, STATUS_USAGE, &error);
    return show(layers, backward, bytes, &error) ? STATUS_DONE : cli_fail(command.name, STATUS_FAILED, &error);
}
