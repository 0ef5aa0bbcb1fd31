/* See rung_counts.h. SPDX-License-Identifier: MIT */
#include "mpi/watch/rung_counts.h"
#include "core/checked_mpi.h"

WatchCounts
rung_counts(const CollectiveSetting *setting, const CollectiveRung *rung, size_t n, int place)
{
    const CollectiveCase c = {.kind = setting->ladder->kind,
                              .n = n,
                              .type = setting->type,
                              .op = setting->op,
                              .root = setting->root,
                              .in_place = place == IN_PLACE};
    CollectiveVectors v = collective_vectors_create(&c, setting->comm, NULL);
    collective_vectors_fill(&c, setting->comm, &v);
    CHECK_MPI(MPI_Barrier(setting->comm->mpi));
    watch_begin();
    collective_run(setting->ladder, rung, setting->comm, v.x, v.y, n, c.type, c.op, c.root);
    const WatchCounts counts = watch_end(setting->comm->mpi);
    collective_vectors_free(&v);
    return counts;
}

static void
print_counts(const CollectiveSetting *setting, const CollectiveRung *rung, size_t n, const WatchCounts *counts,
             FILE *out)
{
    const CostCase what = collective_cost(setting, rung->name, n, OUT_OF_PLACE);
    const WatchTraffic *busiest = &counts->busiest;
    Cost cost;
    fprintf(out, "  %-22s %9lld %13lld", rung->name, (long long)busiest->sent, (long long)busiest->sent_bytes);
    if (counts->steps >= 0)
        fprintf(out, " %7lld", (long long)counts->steps);
    else
        fprintf(out, " %7s", "many"); /* more messages than the log holds */
    if (cost_of(&what, &cost, NULL))
        fprintf(out, "   %9.0f %13.0f %7.0f%s", cost.messages, cost.sent, cost.steps,
                cost.messages == (double)busiest->sent && cost.sent == (double)busiest->sent_bytes
                    ? ""
                    : "  not as predicted");
    fprintf(out, "\n");
}

void
rung_counts_print(const CollectiveSetting *setting, LadderTable *const *tables, int count, FILE *out)
{
    const int place = tables[0]->size[1];
    for (int t = 0; t < count; t++) {
        const size_t n = (size_t)tables[t]->size[0];
        char size[64];
        if (tables[t]->size[1] != place)
            continue;
        if (setting->comm->rank == 0)
            fprintf(out, "\n  %-22s %9s %13s %7s   %9s %13s %7s\n",
                    ladder_size_text(tables[t]->ladder, tables[t]->size, size), "messages", "bytes", "steps",
                    "predicted", "bytes", "steps");
        for (int i = 0; i < tables[t]->count; i++) {
            const LadderRow *row = &tables[t]->rows[i];
            if (row->rung->peer || row->state != ROW_MEASURED)
                continue; /* what the library sends is its own */
            const WatchCounts counts = rung_counts(setting, row->rung->context, n, place);
            if (setting->comm->rank == 0)
                print_counts(setting, row->rung->context, n, &counts, out);
        }
    }
}
