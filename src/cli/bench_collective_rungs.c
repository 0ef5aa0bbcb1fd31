/* The rows of a bench of collectives. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "core/checked.h"
#include "mpi/collectives/allreduce/library_forced.h"

int
collective_rows(const CollectiveLadder *ladder, const CollectiveRung *rows[LADDER_RUNGS])
{
    const int forced = ladder->kind == COLLECTIVE_ALLREDUCE ? ALLREDUCE_FORCED : 0;
    CHECK_THAT(ladder->count + forced <= LADDER_RUNGS, "%d rungs of %s", ladder->count, ladder->name);
    for (int i = 0; i < ladder->count; i++)
        rows[i] = &ladder->rungs[i];
    for (int i = 0; i < forced; i++)
        rows[ladder->count + i] = &allreduce_forced[i];
    return ladder->count + forced;
}

/* Names are parsed as any ladder's are. */
bool
collective_select(CollectiveBench *bench, const char *text, Error *error)
{
    const CollectiveRung *rows[LADDER_RUNGS];
    Rung names[LADDER_RUNGS] = {{0}};
    bool selected[LADDER_RUNGS];
    const int count = collective_rows(bench->ladder, rows);
    for (int i = 0; i < count; i++)
        names[i].name = rows[i]->name;
    const Ladder ladder = {.operation.name = bench->ladder->name, .rungs = names, .count = count};
    if (!ladder_parse_rungs(&ladder, text, selected, error))
        return false;
    bench->count = 0;
    for (int i = 0; i < count; i++)
        if (selected[i])
            bench->rungs[bench->count++] = rows[i];
    return true;
}

int
collective_place(const CollectiveLadder *ladder, const CollectiveRung *rung)
{
    const CollectiveRung *rows[LADDER_RUNGS];
    const int count = collective_rows(ladder, rows);
    int place = 0;
    for (int i = 0; i < count && rows[i] != rung; i++)
        place += rows[i]->peer == rung->peer;
    return place;
}

#endif
