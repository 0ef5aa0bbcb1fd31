/* `rungs train` on several ranks: the options that all strategies share, what is made of them, and what is said of them. What one
 * strategy alone knows stands in its table (mpi/parallel/strategy.h). SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "nn/rate_scale.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/parallel/parallel.h"
#endif

/* ---- options --------------------------------------------------------------------------------------------------------------- */

RankOptions
train_rank_defaults(void)
{
    return (RankOptions){.collectives = "ring", .scale_rate = "none", .own = strategy_defaults()};
}

/* The names of --parallel, joined by '|'. */
static const char *
strategy_names(void)
{
    static char text[256];
    size_t length = (size_t)snprintf(text, sizeof(text), "none");
    for (int i = 0; i < STRATEGIES && length < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "|%s", strategies[i].name);
    return text;
}

void
train_rank_option_table(RankOptions *o, Option *table)
{
    const Option shared[] = {
        {"collectives", OPTION_STRING, &o->collectives, "NAME",
         "what ranks communicate by: ring, naive, auto or another rung of rungs bench allreduce, or mpi"},
        {"straggler", OPTION_STRING, &o->straggler, "RANK:MS",
         "that rank, not a server, sleeps so many milliseconds in every step"},
        {"weak", OPTION_FLAG, &o->weak, "", "--batch is of each rank: a step has as many more samples as ranks train"},
        {"scale-rate", OPTION_CHOICE, &o->scale_rate, "HOW", "with --weak: --lr grows with the batch; add a warmup",
         "none|linear|sqrt"},
        {0},
    };
    *table++ = (Option){"parallel",
                        OPTION_CHOICE,
                        &o->parallel,
                        "KIND",
                        "how ranks train together, see below; if not given, data on several ranks, none on one",
                        strategy_names()};
    strategy_options(&o->own, table);
    table += STRATEGY_OPTIONS;
    memcpy(table, shared, sizeof(shared));
}

const char *
train_parallel_notes(void)
{
    static char text[2048];
    size_t length = (size_t)snprintf(text, sizeof(text),
                                     "Several ranks train one network where the command stands behind sh "
                                     "tools/mpirun.sh N build/. The strategies of --parallel:\n");
    for (int i = 0; i < STRATEGIES && length < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "  %-8s %s\n", strategies[i].name,
                                   strategies[i].create != NULL ? strategies[i].idea
                                                                : "not in this build, which is without MPI");
    if (length < sizeof(text))
        snprintf(text + length, sizeof(text) - length,
                 "With none, data and server the result is that of one process but for rounding (with batch "
                 "normalisation: data "
                 "with --sync-batchnorm);\nthey may go on with "
                 "each other's checkpoints, on\nany number of ranks, and on the same number with the same bits; greedy "
                 "and optimal, which measure times to make their buckets, up to\nrounding. Ctrl-C waits for the end of "
                 "the epoch with async, and with local and easgd for the next average.\n");
    return text;
}

/* ---- what is asked of the strategy ------------------------------------------------------------------------------------------ */

bool
train_synchronous(const TrainRun *run)
{
    return run->strategy == NULL || run->strategy->synchronous;
}

bool
train_decides(const TrainRun *run, const Option *option)
{
    if (strcmp(option->name, "parallel") == 0) /* what a checkpoint names is compared */
        return !train_synchronous(run) ||
               (run->resumed.header && safetensors_metadata(&run->resumed, "parallel") != NULL);
    return strategy_decides(run->strategy, option->name);
}

int
train_workers(const TrainRun *run)
{
    const int idle = strategy_idle(run->strategy, &run->options.ranks.own);
    return run->rank_count > idle ? run->rank_count - idle : 1;
}

const char *
train_overlap(const TrainRun *run)
{
    for (const Option *option = run->table; option->name != NULL; option++)
        if (strcmp(option->name, "overlap") == 0 && strategy_uses(run->strategy, &run->options.ranks.own, option->name))
            return *(const char **)option->value;
    return "";
}

/* ---- decisions and refusals -------------------------------------------------------------------------------------------- */

/* Whether this build can do it. */
static bool
check_build(const TrainRun *run, int *status, Error *error)
{
    const RankOptions *o = &run->options.ranks;
    if (run->strategy == NULL)
        return true;
    if (run->strategy->create == NULL) {
        *status = STATUS_FAILED;
        return error_set(
            error,
            "--parallel %s: this build is without MPI: ./setup.sh installs Open MPI, and make must not say MPI=0",
            o->parallel);
    }
#ifdef HAVE_MPI
    if (collectives_named(o->collectives, error) == NULL)
        return error_set(error, "--collectives: %.400s", error->text);
#endif
    return true;
}

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
    run->strategy = strategy_named(o->parallel);
    if (run->rank_count > 1 && run->strategy == NULL)
        return error_set(error,
                         "--parallel none: %d ranks would train the same network %d times over: start one without "
                         "mpirun, or give --parallel data",
                         run->rank_count, run->rank_count);
    return strategy_check(&o->own, error) && check_build(run, status, error) && check_straggler(run, error) &&
           scale(run, error);
}

/* ---- what is said of it ---------------------------------------------------------------------------------------------------- */

/* A note on each option that was typed and is ignored. */
static void
print_unused(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    for (const Option *option = run->table + TRAIN_OWN_OPTIONS + 1; option->name != NULL; option++) {
        char users[128];
        const bool shared = strcmp(strategy_users(option->name, users, sizeof(users)), "") == 0;
        if (!options_given(run->argc, run->argv, option->name) || strategy_uses(run->strategy, &o->own, option->name) ||
            (shared && run->strategy != NULL) || option->value == &o->weak ||
            option->value == &o->scale_rate) /* of these two scale() speaks */
            continue;
        printf("note      --%s says nothing here, where ranks train by --parallel %s: it is for %s\n", option->name,
               o->parallel, shared ? "all ways but none" : users);
    }
}

#ifdef HAVE_MPI
/* How the ranks train. */
static void
print_strategy(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    const Strategy *strategy = run->strategy;
    const int p = run->rank_count, workers = run->parallel->workers, batch = run->options.batch;
    printf("parallel  %s: %s\n", strategy->name, strategy->idea);
    printf("          %d rank%s on %d machine%s, ", p, p == 1 ? "" : "s", run->comm->nodes,
           run->comm->nodes == 1 ? "" : "s");
    if (batch % workers == 0)
        printf("%d of %d samples each", batch / workers, batch);
    else
        printf("%d or %d of %d samples each", batch / workers, batch / workers + 1, batch);
    strategy_describe(strategy, &o->own, stdout);
    printf("; collectives %s\n", o->collectives);
}
#endif

void
train_print_parallel(const TrainRun *run)
{
    print_unused(run);
    if (run->parallel == NULL)
        return;
#ifdef HAVE_MPI
    print_strategy(run);
#endif
    const RankOptions *o = &run->options.ranks;
    if (o->straggler != NULL)
        printf("note      --straggler %s: that rank sleeps so many milliseconds in every step\n", o->straggler);
    if (run->parallel_usual)
        printf("note      %d ranks were started without --parallel, so they train one network together\n",
               run->rank_count);
    if (run->rank_count == 1)
        printf("note      there is one rank: sh tools/mpirun.sh 4 build/%s --parallel %s starts four\n",
               run->kind->command, o->parallel);
}
