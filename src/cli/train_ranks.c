/* `rungs train` on several ranks: what is made of the options that all strategies share, and what is said of it. What one strategy
 * alone knows is in its table (mpi/parallel/strategy.h). SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train.h"
#include "core/process.h"
#include "nn/rate_scale.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

void
train_print_strategies(FILE *out)
{
    fprintf(out, "Several ranks train one network where the command stands behind sh tools/mpirun.sh N build/. The "
                 "strategies of --parallel:\n");
    for (int i = 0; i < STRATEGIES; i++)
        fprintf(out, "  %-8s %s\n", strategies[i].name,
                strategies[i].create != NULL ? strategies[i].idea : "not in this build, which is without MPI");
    fprintf(out,
            "With none, data, server and pipeline the result is that of one process but for rounding (with batch "
            "normalisation: data\nwith --sync-batchnorm, pipeline with the same micro-batches); they may resume from "
            "each other's checkpoints, on any number of ranks, and "
            "on the same number\nwith the same bits; greedy and optimal, which measure times to make their buckets, up "
            "to rounding. Ctrl-C waits for\nthe end of the epoch with async, and with local and easgd for the next "
            "average.\n");
}

/* ---- what the strategy decides ---------------------------------------------------------------------------------------------- */

static bool
is_synchronous(const TrainRun *run)
{
    return run->strategy == NULL || run->strategy->synchronous;
}

bool
train_decides(const TrainRun *run, const Option *option)
{
    if (option->value == &run->options.parallel) /* what a checkpoint names is compared */
        return !is_synchronous(run) || (run->resumed.header && safetensors_metadata(&run->resumed, "parallel") != NULL);
    return strategy_decides(run->strategy, option->name);
}

int
train_workers(const TrainRun *run)
{
    const int replicas = strategy_replicas(run->strategy, &run->options.own, run->ranks.count);
    return replicas > 1 ? replicas : 1;
}

/* ---- decisions and refusals -------------------------------------------------------------------------------------------- */

/* "RANK:MS" */
static bool
parse_straggler(const char *text, int *rank, double *seconds)
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

static bool
choose_straggler(TrainRun *run)
{
    const char *text = run->options.straggler;
    const int servers = strategy_idle(run->strategy, &run->options.own);
    if (text == NULL)
        return true;
    if (!parse_straggler(text, &run->straggler, &run->straggler_seconds))
        return error_set(&run->error, "--straggler %s: expected a rank and milliseconds, as in 1:50", text);
    if (run->straggler >= run->ranks.count)
        return error_set(&run->error, "--straggler %s: there is no rank %d among %d", text, run->straggler,
                         run->ranks.count);
    return run->straggler >= servers ||
           error_set(&run->error, "--straggler %s: rank %d is a server, which does not train: those from %d on do",
                     text, run->straggler, servers);
}

/* A batch and a rate that were typed, and the defaults, are those of one rank; a checkpoint has the global batch and its rate,
 * whatever number of ranks wrote it. */
static bool
scale(TrainRun *run)
{
    TrainArguments *o = &run->options;
    const int workers = train_workers(run);
    RateScale how;
    if (!rate_scale_from_name(o->scale_rate, &how, &run->error))
        return false;
    if (how != RATE_SCALE_NONE && !o->weak)
        return error_set(&run->error,
                         "--scale-rate %s: a step has the same samples on any number of ranks: give --weak, too",
                         o->scale_rate);
    if (!o->weak)
        return true;
    if (train_typed(run, &o->batch) || !run->resumed.header) {
        if ((double)o->batch * workers > 1e9)
            return error_set(&run->error, "--weak: %d samples on each of %d ranks are more than a billion", o->batch,
                             workers);
        o->batch *= workers;
    }
    if (train_typed(run, &o->rate) || !run->resumed.header)
        o->rate = rate_for_batch(how, o->rate, workers);
    return true;
}

bool
train_choose_parallel(TrainRun *run)
{
    TrainArguments *o = &run->options;
    const int ranks = run->ranks.count;
    run->status = STATUS_USAGE;
    if (o->parallel == NULL)
        o->parallel = ranks > 1 ? "data" : "none";
    run->strategy = strategy_named(o->parallel);
    if (ranks > 1 && run->strategy == NULL)
        return error_set(&run->error,
                         "--parallel none: %d ranks would train the same network %d times over: start one without "
                         "mpirun, or give --parallel data",
                         ranks, ranks);
    if (!strategy_check(&o->own, &run->error))
        return false;
    if (run->strategy != NULL && run->strategy->create == NULL) {
        run->status = STATUS_FAILED;
        return error_set(
            &run->error,
            "--parallel %s: this build is without MPI: ./setup.sh installs Open MPI, and make must not say MPI=0",
            o->parallel);
    }
    return choose_straggler(run) && scale(run);
}

/* ---- together ---------------------------------------------------------------------------------------------------------- */

static void
add_to_sum(uLong *sum, const char *text)
{
    *sum = crc32_z(*sum, (const Bytef *)text, strlen(text) + 1);
}

bool
train_same_on_all_ranks(TrainRun *run)
{
    char text[TRAIN_TEXT_SIZE];
    uLong sum = 0;
    for (size_t i = 1; i < run->checkpoint.setting_count; i++) /* the first is the name of the data */
        add_to_sum(&sum, run->checkpoint.settings[i].value);
    for (int i = 0; run->table[i].name != NULL; i++)
        if (run->role[i] == ROLE_RANKS && run->table[i].value != &run->options.straggler)
            add_to_sum(&sum, option_text(&run->table[i], text, sizeof(text)));
    snprintf(text, sizeof(text), "%d %d %llu", run->options.epochs, run->options.recompute,
             (unsigned long long)run->first_step); /* what is recomputed may communicate again */
    add_to_sum(&sum, text);
    run->status = STATUS_FAILED;
    const bool same = ranks_same(&run->ranks, sum) ||
                      error_set(&run->error, "its options, its data or its checkpoint are not those of rank 0: every "
                                             "machine must have the same files");
    return ranks_agree(&run->ranks, same, &run->status, &run->error);
}

bool
train_join(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    run->status = STATUS_USAGE;
    return ranks_join(&run->ranks, run->trainer,
                      &(RanksOptions){.strategy = run->strategy,
                                      .values = &o->own,
                                      .collectives = o->collectives,
                                      .straggler = run->straggler,
                                      .straggler_seconds = run->straggler_seconds},
                      &run->error);
}

enum { MOMENT = 1 }; /* seconds: longer than ranks that do the same are apart */

void
train_failed_step(const TrainRun *run)
{
    /* A sum over all ranks is the same on all of them, and so is what follows from it. */
    if (run->ranks.comm == NULL || run->ended_together || is_synchronous(run))
        return;
    /* The others may wait for this rank. Those that have the same to say let rank 0 speak. */
    if (run->ranks.rank > 0)
        sleep(MOMENT);
    fprintf(stderr, "%s: rank %d: %s\n", run->command, run->ranks.rank, run->error.text);
    process_abort(STATUS_FAILED);
}

/* ---- what is said of it ---------------------------------------------------------------------------------------------------- */

/* A note on each option that was typed and is ignored. */
static void
print_ignored(const TrainRun *run)
{
    const TrainArguments *o = &run->options;
    for (int i = 0; run->table[i].name != NULL; i++) {
        const Option *option = &run->table[i];
        char users[128];
        const bool shared = strategy_users(option->name, users, sizeof(users))[0] == '\0';
        if (run->role[i] != ROLE_RANKS || !run->typed[i] || strategy_uses(run->strategy, &o->own, option->name) ||
            (shared && run->strategy != NULL) || option->value == &o->parallel || option->value == &o->weak ||
            option->value == &o->scale_rate) /* of these scale() speaks */
            continue;
        printf("note      --%s is ignored with --parallel %s: it is for %s\n", option->name, o->parallel,
               shared ? "every strategy but none" : users);
    }
}

void
train_print_parallel(const TrainRun *run)
{
    const TrainArguments *o = &run->options;
    const Ranks *ranks = &run->ranks;
    const int p = ranks->count, workers = train_workers(run), each = o->batch / workers;
    print_ignored(run);
    if (ranks->parallel == NULL)
        return;
    printf("parallel  %s: %s\n", run->strategy->name, run->strategy->idea);
    printf("          %d rank%s on %d machine%s, ", p, p == 1 ? "" : "s", ranks->machines,
           ranks->machines == 1 ? "" : "s");
    if (o->batch % workers == 0)
        printf("%d of %d samples each", each, o->batch);
    else
        printf("%d or %d of %d samples each", each, each + 1, o->batch);
    strategy_describe(run->strategy, &o->own, stdout);
    printf("; collectives %s\n", o->collectives);
    if (o->straggler != NULL)
        printf("note      --straggler %s: rank %d sleeps %g ms in every step\n", o->straggler, run->straggler,
               run->straggler_seconds * 1e3);
    if (p > 1 && !train_typed(run, &o->parallel) &&
        !(run->resumed.header && safetensors_metadata(&run->resumed, "parallel")))
        printf("note      %d ranks were started without --parallel, so they train one network together\n", p);
    if (p == 1)
        printf("note      there is one rank: sh tools/mpirun.sh 4 build/%s --parallel %s starts four\n", run->command,
               o->parallel);
}
