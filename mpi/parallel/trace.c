/* Traces of all ranks in one file: see trace.h. SPDX-License-Identifier: MIT */
#include "mpi/parallel/trace.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "mpi/point.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* ---- clocks ------------------------------------------------------------------------------------------------------------ */

enum { ROUNDS = 100 };

/* The leader of a node is its first rank. */
static bool
beside_rank_0(const Comm *comm)
{
    int first = comm->rank;
    CHECK_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, comm->node->mpi));
    return first == 0;
}

/* Rank 0 answers `from` with the time. */
static void
tell_time(Comm *comm, int from)
{
    for (int i = 0; i < ROUNDS; i++) {
        double now;
        point_receive(comm, from, &now, 1, ELEMENT_DOUBLE);
        now = clock_now();
        point_send(comm, from, &now, 1, ELEMENT_DOUBLE);
    }
}

/*     rank 0   ---------- answer -------
 *                       /        \
 *     here     --- asked -------- told -
 *
 * Rank 0 reads its clock somewhere between the two readings here: in the middle, but for half of the round trip. The shortest of
 * many round trips says it best. */
static double
ask_time(Comm *comm, double *bound)
{
    double offset = 0, shortest = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        const double asked = clock_now();
        double answer = asked;
        point_send(comm, 0, &answer, 1, ELEMENT_DOUBLE);
        point_receive(comm, 0, &answer, 1, ELEMENT_DOUBLE);
        const double told = clock_now();
        if (told - asked < shortest) {
            shortest = told - asked;
            offset = answer - (asked + told) / 2;
        }
    }
    *bound = shortest / 2;
    return offset;
}

double
parallel_clock_offset(Comm *comm, double *bound)
{
    int *beside = ARRAY(int, (size_t)comm->size), mine = beside_rank_0(comm);
    double offset = 0;
    *bound = 0;
    CHECK_MPI(MPI_Allgather(&mine, 1, MPI_INT, beside, 1, MPI_INT, comm->mpi));
    for (int r = 1; r < comm->size; r++) {
        if (beside[r])
            continue;
        if (comm->rank == 0)
            tell_time(comm, r);
        else if (comm->rank == r)
            offset = ask_time(comm, bound);
    }
    array_free(beside);
    return offset;
}

/* ---- traces ------------------------------------------------------------------------------------------------------------ */

Trace *
parallel_trace_create(Comm *comm, bool recording, const char *path, Error *error)
{
    if (!recording)
        return trace_create(NULL, error);
    double bound;
    const double offset = parallel_clock_offset(comm, &bound);
    Trace *trace = comm->rank == 0 ? trace_create(path, error) : trace_create_in_memory();
    if (trace == NULL)
        return NULL;
    char name[32];
    snprintf(name, sizeof(name), "rank %d", comm->rank);
    trace_set_offset(trace, offset);
    trace_name_process(trace, comm->rank, name);
    trace_name_thread(trace, comm->rank, 0, "computation");
    trace_name_thread(trace, comm->rank, 1, "communication");
    return trace;
}

static void
take_in(Comm *comm, Trace *trace, int from)
{
    uint64_t length;
    point_receive(comm, from, &length, sizeof(length), ELEMENT_BYTE);
    char *text = ARRAY(char, length);
    point_receive(comm, from, text, length, ELEMENT_BYTE);
    trace_add(trace, text, length);
    array_free(text);
}

void
parallel_trace_gather(Comm *comm, Trace *trace)
{
    if (comm->rank == 0) {
        for (int r = 1; r < comm->size; r++)
            take_in(comm, trace, r);
        return;
    }
    size_t size;
    const char *text = trace_text(trace, &size);
    const uint64_t length = size;
    point_send(comm, 0, &length, sizeof(length), ELEMENT_BYTE);
    point_send(comm, 0, text, size, ELEMENT_BYTE);
}
