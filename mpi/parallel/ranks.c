/* What the ranks of one command do together (mpi/parallel/ranks.h). It is compiled without MPI, too: comm is then always NULL.
 * SPDX-License-Identifier: MIT */
#include "mpi/parallel/ranks.h"
#include "core/process.h"
#include <stdio.h>
#ifdef HAVE_MPI
#include "core/checked_mpi.h"
#include "mpi/parallel/parallel.h"
#include "mpi/parallel/trace.h"
#endif

void
ranks_meet(Ranks *ranks, bool alone)
{
    ranks->rank = process_rank();
    ranks->count = process_count();
    if (ranks->comm == NULL)
        ranks->machines = ranks->on_machine = 1;
#ifdef HAVE_MPI
    if (ranks->comm != NULL || (ranks->count == 1 && !alone))
        return;
    process_start_alone();
    ranks->comm = comm_create(MPI_COMM_WORLD, 0);
    ranks->machines = ranks->comm->nodes;
    ranks->on_machine = ranks->comm->node->size;
#else
    (void)alone;
#endif
}

void
ranks_part(Ranks *ranks)
{
#ifdef HAVE_MPI
    parallel_free(ranks->parallel);
    grid_free(ranks->grid);
    comm_free(ranks->comm);
#endif
    ranks->comm = NULL;
    ranks->grid = NULL;
    ranks->parallel = NULL;
}

bool
ranks_agree(const Ranks *ranks, bool good, int *status, Error *error)
{
    if (ranks->comm == NULL)
        return good;
#ifdef HAVE_MPI
    const int first = parallel_first_failed(ranks->comm, good, error);
    if (first < 0)
        return true;
    CHECK_MPI(MPI_Bcast(status, 1, MPI_INT, first, ranks->comm->mpi));
#else
    (void)status, (void)error;
#endif
    return false;
}

int
ranks_largest(const Ranks *ranks, int number)
{
#ifdef HAVE_MPI
    if (ranks->comm != NULL)
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, ranks->comm->mpi));
#else
    (void)ranks;
#endif
    return number;
}

bool
ranks_same(const Ranks *ranks, uint64_t number)
{
    uint64_t first = number;
#ifdef HAVE_MPI
    if (ranks->comm != NULL)
        CHECK_MPI(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, ranks->comm->mpi));
#endif
    return ranks->comm == NULL || first == number;
}

bool
ranks_join(Ranks *ranks, Trainer *trainer, const RanksOptions *options, Error *error)
{
    if (ranks->comm == NULL)
        return true;
#ifdef HAVE_MPI
    const Strategy *strategy = options->strategy;
    const ParallelOptions own = {
        .strategy = strategy->name,
        .collectives = collectives_named(options->collectives, error),
        .own = strategy_values(strategy, options->values),
        .straggler = options->straggler,
        .straggler_seconds = options->straggler_seconds,
    };
    if (own.collectives == NULL)
        return error_set(error, "--collectives: %.400s", error->text);
    GridShape shape = {.data = 1, .pipeline = 1, .tensor = 1};
    shape.size[strategy->axis] = ranks->count;
    ranks->grid = grid_create(ranks->comm, shape, NULL, error);
    if (ranks->grid != NULL)
        ranks->parallel = parallel_create(ranks->grid->axis[strategy->axis], trainer, &own, error);
#else
    (void)trainer, (void)options, (void)error;
#endif
    return ranks->parallel != NULL;
}

void
ranks_report(const Ranks *ranks)
{
#ifdef HAVE_MPI
    if (ranks->parallel != NULL && ranks->parallel->report != NULL)
        ranks->parallel->report(ranks->parallel, stdout);
#else
    (void)ranks;
#endif
}

Trace *
ranks_trace_create(const Ranks *ranks, const char *path, Error *error)
{
#ifdef HAVE_MPI
    if (ranks->comm != NULL)
        return parallel_trace_create(ranks->comm, path != NULL, path, error);
#else
    (void)ranks;
#endif
    return trace_create(path, error);
}

bool
ranks_trace_close(const Ranks *ranks, Trace *trace, const char *path, Error *error)
{
#ifdef HAVE_MPI
    if (ranks->comm != NULL && path != NULL)
        parallel_trace_gather(ranks->comm, trace);
#else
    (void)ranks, (void)path;
#endif
    return trace_close(trace, error);
}
