/* Messages, bytes and steps of each rung, counted as they are sent, beside the cost model's. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "core/checked_mpi.h"
#include "core/units.h"
#include "mpi/collectives/truth.h"
#include "mpi/model/fit.h"
#include "mpi/watch/watch.h"
#include <stdio.h>

/* One call, out of place where there is the choice. Private vectors also with --in-window, here and in the case below: vectors in
 * the window save copies, no messages. */
static WatchCounts
count_calls(const CollectiveBench *bench, const CollectiveRung *rung, size_t n)
{
    const CollectiveCase c = {
        .kind = bench->ladder->kind, .n = n, .type = bench->type, .op = bench->op, .root = bench->root};
    CollectiveVectors v = collective_vectors_create(&c, bench->comm, NULL);
    collective_vectors_fill(&c, bench->comm, &v);
    CHECK_MPI(MPI_Barrier(bench->comm->mpi));
    watch_begin();
    collective_run(bench->ladder, rung, bench->comm, v.x, v.y, n, c.type, c.op, c.root);
    const WatchCounts counts = watch_end(bench->comm->mpi);
    collective_vectors_free(&v);
    return counts;
}

static void
print_counts(const CollectiveBench *bench, const CollectiveRung *rung, size_t n, const WatchCounts *counts)
{
    const CostCase what = cost_case(bench->comm, bench->ladder->name, rung->name, n, bench->type, true);
    const WatchTraffic *busiest = &counts->busiest;
    Cost cost;
    printf("  %-22s %9lld %13lld", rung->name, (long long)busiest->sent, (long long)busiest->sent_bytes);
    if (counts->steps >= 0)
        printf(" %7lld", (long long)counts->steps);
    else
        printf(" %7s", "many"); /* more messages than the log holds */
    if (cost_of(&what, &cost, NULL))
        printf("   %9.0f %13.0f %7.0f%s\n", cost.messages, cost.sent, cost.steps,
               cost.messages == (double)busiest->sent && cost.sent == (double)busiest->sent_bytes
                   ? ""
                   : "  not as predicted");
    else
        printf("   %9s %13s %7s\n", "", "", "");
}

void
collective_count(const CollectiveBench *bench, const CollectiveTable *table)
{
    const int place = collective_has_place(bench->ladder->kind, OUT_OF_PLACE) ? OUT_OF_PLACE : IN_PLACE;
    const bool speaks = bench->comm->rank == 0;
    if (speaks)
        printf("  %-22s %9s %13s %7s   %9s %13s %7s\n", "one call, busiest rank", "messages", "bytes", "steps",
               "predicted", "bytes", "steps");
    for (int i = 0; i < table->rows; i++) {
        const CollectiveRow *row = &table->row[i];
        if (row->rung->peer || row->place[place].state != ROW_MEASURED)
            continue; /* what the library sends is its own */
        const WatchCounts counts = count_calls(bench, row->rung, table->n);
        if (speaks)
            print_counts(bench, row->rung, table->n, &counts);
    }
    fflush(stdout);
}

bool
collective_can_watch(const CollectiveBench *bench, Error *error)
{
    if (bench->messages_svg == NULL)
        return true;
    if (bench->comm->size == 1)
        return error_set(error,
                         "--messages-svg: one rank sends no message; start it on several: sh tools/mpirun.sh 4 ..");
    return (bench->count == 1 && !bench->rungs[0]->peer) ||
           error_set(error, "--messages-svg draws one rung of ours: name it, as in --rungs %s",
                     bench->ladder->rungs[0].name);
}

void
collective_watch(const CollectiveBench *bench, const CollectiveTable *table)
{
    count_calls(bench, bench->rungs[0], table->n);
}

bool
collective_messages_svg(const CollectiveReport *report, const char *path, Error *error)
{
    const CollectiveBench *bench = report->bench;
    char title[160], size[UNITS_SIZE];
    snprintf(title, sizeof title, "%s %s, %s, %d ranks", bench->ladder->name, bench->rungs[0]->name,
             units_bytes(size, (double)report->tables[0]->bytes), bench->comm->size);
    return watch_svg(path, title, error);
}

#endif
