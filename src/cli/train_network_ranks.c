/* `rungs train` on several ranks: what they tell each other, so that all come to the same end. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "core/host.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#include "mpi/parallel/parallel.h"
#include "mpi/parallel/trace.h"
#include <unistd.h>

/* ---- meeting and parting ----------------------------------------------------------------------------------------------- */

void
train_meet(TrainRun *run)
{
    run->rank = process_rank();
    run->rank_count = process_count();
    const char *parallel = run->options.ranks.parallel;
    if (run->comm != NULL || (run->rank_count == 1 && (parallel == NULL || strcmp(parallel, "none") == 0)))
        return;
    process_start_alone();
    run->comm = comm_create(MPI_COMM_WORLD, 0);
}

void
train_part(TrainRun *run)
{
    parallel_free(run->parallel);
    grid_free(run->grid);
    comm_free(run->comm);
    run->parallel = NULL;
    run->grid = NULL;
    run->comm = NULL;
}

int
train_rank_threads(const TrainRun *run)
{
    if (run->comm == NULL || run->rank_count == 1 || getenv("OMP_NUM_THREADS") != NULL)
        return host_threads();
    const int cores = host_get()->cores, ranks = run->comm->node->size;
    return cores > ranks ? cores / ranks : 1;
}

/* ---- agreement --------------------------------------------------------------------------------------------------------- */

int
train_from_rank_0(const TrainRun *run, int number)
{
    if (run->comm != NULL)
        CHECK_MPI(MPI_Bcast(&number, 1, MPI_INT, 0, run->comm->mpi));
    return number;
}

int
train_largest(const TrainRun *run, int number)
{
    if (run->comm != NULL)
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, run->comm->mpi));
    return number;
}

bool
train_all_good(TrainRun *run, bool good, int *status, Error *error)
{
    if (run->comm == NULL)
        return good;
    if (!good && run->rank > 0 && error->text[0] == '\0')
        error_set(error, "its options are not those of rank 0");
    const int first = parallel_first_failed(run->comm, good, error);
    if (first < 0)
        return true;
    CHECK_MPI(MPI_Bcast(status, 1, MPI_INT, first, run->comm->mpi));
    return false;
}

/* FNV-1a. */
static void
add_to_hash(uint64_t *hash, const char *text)
{
    for (; *text; text++)
        *hash = (*hash ^ (unsigned char)*text) * 1099511628211u;
    *hash = (*hash ^ '\n') * 1099511628211u;
}

bool
train_same_as_rank_0(TrainRun *run, Error *error)
{
    if (run->comm == NULL)
        return true;
    char text[TRAIN_TEXT_SIZE];
    uint64_t mine = 14695981039346656037u;
    for (size_t i = 1; i < run->checkpoint.setting_count; i++) /* the first is the name of the data */
        add_to_hash(&mine, run->checkpoint.settings[i].value);
    for (int i = TRAIN_OWN_OPTIONS; run->table[i].name != NULL; i++)
        if (run->table[i].kind != OPTION_STRING)
            add_to_hash(&mine, train_option_text(&run->table[i], text));
    add_to_hash(&mine, run->options.ranks.collectives);
    snprintf(text, sizeof(text), "%d %d %llu", run->options.epochs, run->options.recompute,
             (unsigned long long)run->first_step); /* what is recomputed may communicate again */
    add_to_hash(&mine, text);
    uint64_t theirs = mine;
    CHECK_MPI(MPI_Bcast(&theirs, 1, MPI_UINT64_T, 0, run->comm->mpi));
    return mine == theirs || error_set(error, "its options, its data or its checkpoint are not those of rank 0: every "
                                              "machine must have the same files");
}

/* ---- training together ------------------------------------------------------------------------------------------------- */

bool
train_join(TrainRun *run, int *status, Error *error)
{
    const RankOptions *o = &run->options.ranks;
    if (run->comm == NULL)
        return true;
    *status = STATUS_USAGE;
    ParallelOptions options = {
        .strategy = o->parallel,
        .collectives = collectives_named(o->collectives, error),
        .own = strategy_values(run->strategy, &o->own),
    };
    if (o->straggler != NULL)
        train_straggler(o->straggler, &options.straggler, &options.straggler_seconds);
    GridShape shape = {.data = 1, .pipeline = 1, .tensor = 1};
    shape.size[run->strategy->axis] = run->rank_count;
    run->grid = grid_create(run->comm, shape, NULL, error);
    if (run->grid != NULL)
        run->parallel = parallel_create(run->grid->axis[run->strategy->axis], run->trainer, &options, error);
    return run->parallel != NULL;
}

enum { MOMENT = 1 }; /* seconds: longer than ranks that do the same are apart */

void
train_failed_step(const TrainRun *run, const Error *error)
{
    /* A sum over all ranks is the same on all of them, and so is what follows from it. */
    if (run->comm == NULL || run->ended_together || train_synchronous(run))
        return;
    /* The others may wait for this rank. Those that have the same to say let rank 0 speak. */
    if (run->rank > 0)
        sleep(MOMENT);
    fprintf(stderr, "%s: rank %d: %s\n", run->kind->command, run->rank, error->text);
    process_abort(STATUS_FAILED);
}

void
train_report_parallel(const TrainRun *run)
{
    if (run->parallel != NULL && run->parallel->report != NULL)
        run->parallel->report(run->parallel, stdout);
}

Trace *
train_trace_create(const TrainRun *run, Error *error)
{
    const char *path = run->options.trace;
    return run->comm != NULL ? parallel_trace_create(run->comm, path != NULL, path, error) : trace_create(path, error);
}

bool
train_trace_close(TrainRun *run, Error *error)
{
    if (run->comm != NULL && run->options.trace != NULL)
        parallel_trace_gather(run->comm, run->trace);
    Trace *trace = run->trace;
    run->trace = NULL;
    return trace_close(trace, error);
}

#else

void
train_meet(TrainRun *run)
{
    run->rank_count = 1;
}

void
train_part(TrainRun *run)
{
    (void)run;
}

int
train_rank_threads(const TrainRun *run)
{
    (void)run;
    return host_threads();
}

int
train_from_rank_0(const TrainRun *run, int number)
{
    (void)run;
    return number;
}

int
train_largest(const TrainRun *run, int number)
{
    (void)run;
    return number;
}

bool
train_all_good(TrainRun *run, bool good, int *status, Error *error)
{
    (void)run;
    (void)status;
    (void)error;
    return good;
}

bool
train_same_as_rank_0(TrainRun *run, Error *error)
{
    (void)run;
    (void)error;
    return true;
}

bool
train_join(TrainRun *run, int *status, Error *error)
{
    (void)run;
    (void)status;
    (void)error;
    return true;
}

void
train_failed_step(const TrainRun *run, const Error *error)
{
    (void)run;
    (void)error;
}

void
train_report_parallel(const TrainRun *run)
{
    (void)run;
}

Trace *
train_trace_create(const TrainRun *run, Error *error)
{
    return trace_create(run->options.trace, error);
}

bool
train_trace_close(TrainRun *run, Error *error)
{
    Trace *trace = run->trace;
    run->trace = NULL;
    return trace_close(trace, error);
}

#endif
