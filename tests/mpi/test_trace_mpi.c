/* Timelines of all ranks in one file. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/json.h"
#include "mpi/parallel/trace.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"

enum { SPANS = 300 };

/* Every rank's spans, in the file of rank 0, once each; names before them. */
static bool
file_is_right(const char *path, int ranks)
{
    cJSON *json = json_read(path, &error);
    const cJSON *events = cJSON_GetObjectItem(json, "traceEvents"), *event;
    int names = 0, spans = 0;
    double sum = 0;
    cJSON_ArrayForEach(event, events)
    {
        const int rank = cJSON_GetObjectItem(event, "pid")->valueint;
        const bool name = strcmp(cJSON_GetObjectItem(event, "ph")->valuestring, "M") == 0;
        names += name;
        spans += !name;
        sum += name ? 0 : (rank + 1) * cJSON_GetObjectItem(event, "tid")->valuedouble;
    }
    cJSON_Delete(json);
    const int count = SPANS * (SPANS - 1) / 2, weight = ranks * (ranks + 1) / 2;
    return names == 3 * ranks && spans == SPANS * ranks && sum == (double)weight * count;
}

TEST_WITH_COMM(all_ranks_are_in_one_file)
{
    const char *path = testing_path("ranks.json");
    Trace *trace = parallel_trace_create(comm, true, comm->rank == 0 ? path : NULL, &error);
    bool good = trace != NULL;
    for (int i = 0; i < SPANS; i++)
        trace_span(trace, "work", "train", comm->rank, i, i, i + 1);
    parallel_trace_gather(comm, trace);
    good = trace_close(trace, &error) && good && (comm->rank != 0 || file_is_right(path, comm->size));
    good = all_agree(good);
    ck_assert(good);
}

TEST_WITH_COMM(nothing_is_recorded_where_nobody_asked)
{
    size_t length = 1;
    Trace *trace = parallel_trace_create(comm, false, NULL, &error);
    trace_span(trace, "work", "train", comm->rank, 0, 0, 1);
    parallel_trace_gather(comm, trace);
    trace_text(trace, &length);
    const bool good = all_agree(trace_close(trace, &error) && length == 0);
    ck_assert(good);
}

/* Where every rank is a node of its own, the clocks are compared, although they are one: it must come out, as far as it can say. */
TEST(clocks_are_compared)
{
    Comm *one = comm_create(MPI_COMM_WORLD, 0), *many = comm_create(MPI_COMM_WORLD, 1);
    double bound = -1, none = -1;
    const double same = parallel_clock_offset(one, &none), offset = parallel_clock_offset(many, &bound);
    const bool good = one->nodes > 1 || (same == 0 && none == 0 && fabs(offset) <= bound + 1e-9 &&
                                         (many->rank == 0 ? bound == 0 : bound > 0 && bound < 10));
    const bool all = all_agree(good);
    comm_free(one);
    comm_free(many);
    ck_assert(all);
}

TEST_MAIN_MPI("trace_mpi")
