/* `rungs train` on several ranks: the options, and what is made of them.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "nn/rate_scale.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/collectives/collectives.h"
#endif

RankOptions
train_rank_defaults(void)
{
    return (RankOptions){
        .overlap = "ddp",
        .collectives = "ring",
        .scale_rate = "none",
        .bucket = 25 << 20,
        .first_bucket = 1 << 20,
        .servers = 1,
        .bound = -1,
        .every = 4,
    };
}

RankOptions
train_rank_untyped(void)
{
    return (RankOptions){.bound = -2, .elasticity = -1};
}

void
train_rank_option_table(RankOptions *o, Option table[RANK_OPTIONS])
{
    const Option options[RANK_OPTIONS] = {
        {"parallel", OPTION_CHOICE, &o->parallel, "KIND",
         "how ranks train together, see below; of itself data on several ranks, none on one", train_parallel_names()},
        {"bound", OPTION_INT, &o->bound, "N", "async: steps that the fastest may be ahead of the slowest; -1: any",
         .min = -1, .max = 1e6},
        {"every", OPTION_INT, &o->every, "N", "local, easgd: steps between two averages", .min = 1, .max = 1e6},
        {"elasticity", OPTION_DOUBLE, &o->elasticity, "X",
         "easgd: the share of the difference to the centre that moves; 0: 0.9 / ranks", .min = 0, .max = 1},
        {"overlap", OPTION_CHOICE, &o->overlap, "HOW", "data: which gradients travel together, and when",
         "naive|fused|wfbp|ddp|greedy|optimal"},
        {"bucket", OPTION_BYTES, &o->bucket, "SIZE", "data, ddp: a bucket of gradients is sent when it has reached it"},
        {"first-bucket", OPTION_BYTES, &o->first_bucket, "SIZE",
         "data, ddp: that of the first bucket, small to begin early"},
        {"collectives", OPTION_STRING, &o->collectives, "NAME",
         "what ranks communicate by: ring, naive, auto or another rung of rungs bench allreduce, or mpi"},
        {"servers", OPTION_INT, &o->servers, "N", "server, async: ranks that keep the weights and do not train",
         .min = 1, .max = 1e6},
        {"straggler", OPTION_STRING, &o->straggler, "RANK:MS",
         "that rank, not a server, sleeps so many milliseconds in every step"},
        {"weak", OPTION_FLAG, &o->weak, "", "--batch is of each rank: a step has as many more samples as ranks train"},
        {"scale-rate", OPTION_CHOICE, &o->scale_rate, "HOW", "with --weak: --lr grows with the batch; add a warmup",
         "none|linear|sqrt"},
    };
    memcpy(table, options, sizeof(options));
}

/* ---- decisions and refusals -------------------------------------------------------------------------------------------- */

#ifdef HAVE_MPI
static bool
check_build(const TrainRun *run, int *status, Error *error)
{
    (void)status;
    const RankOptions *o = &run->options.ranks;
    return strcmp(o->parallel, "none") == 0 || collectives_named(o->collectives, error) != NULL ||
           error_set(error, "--collectives: %.400s", error->text);
}
#else
static bool
check_build(const TrainRun *run, int *status, Error *error)
{
    if (strcmp(run->options.ranks.parallel, "none") == 0)
        return true;
    *status = STATUS_FAILED;
    return error_set(
        error, "--parallel %s: this build is without MPI: ./setup.sh installs Open MPI, and make must not say MPI=0",
        run->options.ranks.parallel);
}
#endif

static bool
check_straggler(const TrainRun *run, Error *error)
{
    int rank;
    double seconds;
    const char *text = run->options.ranks.straggler;
    if (text == NULL)
        return true;
    if (!train_straggler(text, &rank, &seconds))
        return error_set(error, "--straggler %s: expected a rank and milliseconds, as in 1:50", text);
    if (rank >= run->rank_count)
        return error_set(error, "--straggler %s: there is no rank %d among %d", text, rank, run->rank_count);
    const int servers = run->rank_count - train_workers(run);
    return rank >= servers ||
           error_set(error, "--straggler %s: rank %d is a server, which does not train: those from %d on do", text,
                     rank, servers);
}

bool
train_straggler(const char *text, int *rank, double *seconds)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != ':' || number > 1000000)
        return false;
    const char *rest = end + 1;
    const double milliseconds = strtod(rest, &end);
    if (strspn(rest, "0123456789.") != strlen(rest) || end == rest || *end != '\0' || !(milliseconds <= 1e7))
        return false;
    *rank = (int)number;
    *seconds = milliseconds / 1e3;
    return true;
}

/* A batch and a rate that were typed are those of one rank; a checkpoint has the whole batch and its rate, whatever ranks it was
 * written by. */
static bool
scale(TrainRun *run, Error *error)
{
    TrainArguments *o = &run->options;
    const int workers = train_workers(run);
    RateScale how;
    if (!rate_scale_from_name(o->ranks.scale_rate, &how, error))
        return false;
    if (how != RATE_SCALE_NONE && !o->ranks.weak)
        return error_set(error, "--scale-rate %s: a step has the same samples on any number of ranks: give --weak, too",
                         o->ranks.scale_rate);
    if (!o->ranks.weak)
        return true;
    if (run->batch_typed && (double)o->batch * workers > 1e9)
        return error_set(error, "--weak: %d samples on each of %d ranks are more than a billion", o->batch, workers);
    if (run->batch_typed)
        o->batch *= workers;
    run->wanted_batch *= workers;
    if (run->rate_typed || !run->resumed.header)
        o->rate = rate_for_batch(how, o->rate, workers);
    return true;
}

bool
train_choose_parallel(TrainRun *run, int *status, Error *error)
{
    RankOptions *o = &run->options.ranks;
    *status = STATUS_USAGE;
    run->parallel_usual = o->parallel == NULL;
    if (run->parallel_usual)
        o->parallel = run->rank_count > 1 ? "data" : "none";
    if (run->rank_count > 1 && strcmp(o->parallel, "none") == 0)
        return error_set(error,
                         "--parallel none: %d ranks would train the same network %d times over: start one without "
                         "mpirun, or give --parallel data",
                         run->rank_count, run->rank_count);
    if (o->bucket == 0 || o->first_bucket == 0)
        return error_set(error, "--%s: a bucket of 0 bytes holds nothing: give 1 or more, as in 25MB",
                         o->bucket == 0 ? "bucket" : "first-bucket");
    return check_build(run, status, error) && check_straggler(run, error) && scale(run, error);
}
