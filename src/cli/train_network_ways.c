/* `rungs train` on several ranks: the ways of training together, by name, and what is said of them. SPDX-License-Identifier: MIT */
#include "cli/train_network.h"
#include "core/units.h"
#include <stdio.h>
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/parallel/parallel.h"
#endif

#ifdef HAVE_MPI
static const char *
idea_of(int i)
{
    return parallel_kinds[i] != NULL ? parallel_kinds[i]->idea : NULL;
}
static const char *
name_of(int i)
{
    return parallel_kinds[i]->name;
}
#else
/* Named, so that they are refused with the right reason. */
static const char *const names[] = {"data", "server", "async", "gossip", "local", "easgd"};
static const char *
idea_of(int i)
{
    return i < (int)(sizeof(names) / sizeof(names[0])) ? "not in this build, which is without MPI" : NULL;
}
static const char *
name_of(int i)
{
    return names[i];
}
#endif

const char *
train_parallel_names(void)
{
    static char text[256];
    size_t length = (size_t)snprintf(text, sizeof(text), "none");
    for (int i = 0; idea_of(i) != NULL && length < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "|%s", name_of(i));
    return text;
}

const char *
train_parallel_notes(void)
{
    static char text[2048];
    size_t length = (size_t)snprintf(text, sizeof(text),
                                     "Several ranks train one network where the command stands behind sh "
                                     "tools/mpirun.sh N build/. The ways of --parallel:\n");
    for (int i = 0; idea_of(i) != NULL && length < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "  %-8s %s\n", name_of(i), idea_of(i));
    if (length < sizeof(text))
        snprintf(text + length, sizeof(text) - length,
                 "With none, data and server the result is that of one process but for rounding: they may go on with "
                 "each other's checkpoints, on\nany number of ranks, and on the same number with the same bits; greedy "
                 "and optimal, which measure times to make their buckets, up to\nrounding. Ctrl-C waits for the end of "
                 "the epoch with async, and with local and easgd for the next average.\n");
    return text;
}

static bool
is_one_of(const char *name, const char *a, const char *b)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0;
}

bool
train_synchronous(const TrainRun *run)
{
    const char *parallel = run->options.ranks.parallel;
    return strcmp(parallel, "none") == 0 || is_one_of(parallel, "data", "server");
}

bool
train_rank_setting(const TrainRun *run, int i)
{
    const RankOptions *o = &run->options.ranks;
    switch (i) {
    case 0: /* parallel; what a checkpoint names is compared */
        return !train_synchronous(run) ||
               (run->resumed.header && safetensors_metadata(&run->resumed, "parallel") != NULL);
    case 1: /* bound */
        return strcmp(o->parallel, "async") == 0;
    case 2: /* every */
        return is_one_of(o->parallel, "local", "easgd");
    default: /* elasticity */
        return strcmp(o->parallel, "easgd") == 0;
    }
}

int
train_workers(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    const int servers = is_one_of(o->parallel, "server", "async") ? o->servers : 0;
    return run->rank_count > servers ? run->rank_count - servers : 1;
}

const char *
train_overlap(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    return strcmp(o->parallel, "data") == 0 ? o->overlap : "";
}

/* ---- what is said of them ---------------------------------------------------------------------------------------------- */

/* A note if the option was typed, and the way of training makes nothing of it. */
static void
note_unused(const TrainRun *run, const char *option, bool typed, bool used, const char *whose)
{
    if (typed && !used)
        printf("note      --%s says nothing here, where ranks train by --parallel %s: it is for %s\n", option,
               run->options.ranks.parallel, whose);
}

static void
print_unused(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks, *typed = &run->typed_ranks;
    const bool data = strcmp(o->parallel, "data") == 0, ddp = data && strcmp(o->overlap, "ddp") == 0;
    const bool together = strcmp(o->parallel, "none") != 0;
    note_unused(run, "overlap", typed->overlap != NULL, data, "data");
    note_unused(run, "bucket", typed->bucket > 0, ddp, "data with --overlap ddp");
    note_unused(run, "first-bucket", typed->first_bucket > 0, ddp, "data with --overlap ddp");
    note_unused(run, "servers", typed->servers > 0, is_one_of(o->parallel, "server", "async"), "server and async");
    note_unused(run, "bound", typed->bound >= -1, strcmp(o->parallel, "async") == 0, "async");
    note_unused(run, "every", typed->every > 0, is_one_of(o->parallel, "local", "easgd"), "local and easgd");
    note_unused(run, "elasticity", typed->elasticity >= 0, strcmp(o->parallel, "easgd") == 0, "easgd");
    note_unused(run, "collectives", typed->collectives != NULL, together, "all ways but none");
    note_unused(run, "straggler", typed->straggler != NULL, together, "all ways but none");
}

#ifdef HAVE_MPI
static void
print_how(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    char bucket[UNITS_SIZE], first[UNITS_SIZE];
    if (strcmp(o->parallel, "data") == 0)
        printf(", overlap %s", o->overlap);
    if (strcmp(o->parallel, "data") == 0 && strcmp(o->overlap, "ddp") == 0)
        printf(" in buckets of %s, the first of %s", units_bytes(bucket, (double)o->bucket),
               units_bytes(first, (double)o->first_bucket));
    if (is_one_of(o->parallel, "server", "async"))
        printf(", %d server%s", o->servers, o->servers == 1 ? "" : "s");
    if (strcmp(o->parallel, "async") == 0 && o->bound >= 0)
        printf(", at most %d steps apart", o->bound);
    if (is_one_of(o->parallel, "local", "easgd"))
        printf(", every %d steps", o->every);
    printf("; collectives %s\n", o->collectives);
}

void
train_print_parallel(const TrainRun *run)
{
    const RankOptions *o = &run->options.ranks;
    print_unused(run);
    if (run->parallel == NULL)
        return;
    const int p = run->rank_count, workers = run->parallel->workers, batch = run->options.batch;
    printf("parallel  %s: %s\n", o->parallel, parallel_kind(o->parallel)->idea);
    printf("          %d rank%s on %d machine%s, ", p, p == 1 ? "" : "s", run->comm->nodes,
           run->comm->nodes == 1 ? "" : "s");
    if (batch % workers == 0)
        printf("%d of %d samples each", batch / workers, batch);
    else
        printf("%d or %d of %d samples each", batch / workers, batch / workers + 1, batch);
    print_how(run);
    if (o->straggler != NULL)
        printf("note      --straggler %s: that rank sleeps so many milliseconds in every step\n", o->straggler);
    if (run->parallel_usual)
        printf("note      %d ranks were started without --parallel, so they train one network together\n", p);
    if (p == 1)
        printf("note      there is one rank: sh tools/mpirun.sh 4 build/%s --parallel %s starts four\n",
               run->kind->command, o->parallel);
}
#else
void
train_print_parallel(const TrainRun *run)
{
    print_unused(run);
}
#endif
