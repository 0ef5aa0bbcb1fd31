/* The driver of collectives: verifies and measures all rows, interleaved. It prints nothing.
 *
 * Ranks must agree on everything that decides who calls what next: so a time is the slowest rank's on all ranks, and so is a doubt.
 * SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective_row.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/rng.h"
#include "ladder/steal.h"
#include "mpi/window.h"
#include <math.h>
#include <string.h>

#define STEAL_LIMIT 0.01

enum { STREAM_ORDER = 1000 };

/* One size on this rank: the same memory serves both ways, one after the other. */
typedef struct Setting {
    CollectiveCase what[PLACES];
    void *memory;
    CollectiveVectors vectors[PLACES];
} Setting;

bool
collective_has_place(CollectiveKind kind, int place)
{
    if (kind == COLLECTIVE_BROADCAST)
        return place == IN_PLACE;
    return place == OUT_OF_PLACE || (kind != COLLECTIVE_ALL_TO_ALL && kind != COLLECTIVE_BARRIER);
}

size_t
collective_length(const CollectiveBench *bench, size_t bytes)
{
    const size_t count = bytes / element_size(bench->type);
    const size_t rows = (size_t)bench->comm->size;
    if (bench->ladder->kind == COLLECTIVE_BARRIER)
        return 0;
    return bench->ladder->kind != COLLECTIVE_ALL_TO_ALL ? count : count > rows ? count / rows : 1;
}

static CollectiveCase
case_of(const CollectiveBench *bench, size_t n, int place)
{
    return (CollectiveCase){.kind = bench->ladder->kind,
                            .n = n,
                            .type = bench->type,
                            .op = bench->op,
                            .root = bench->root,
                            .in_place = place == IN_PLACE};
}

size_t
collective_memory(const CollectiveBench *bench, size_t n)
{
    const CollectiveCase out = case_of(bench, n, OUT_OF_PLACE), in = case_of(bench, n, IN_PLACE);
    const size_t a = collective_vectors_bytes(&out, bench->comm), b = collective_vectors_bytes(&in, bench->comm);
    return a > b ? a : b;
}

/* ---- all rows --------------------------------------------------------------------------------------------------------- */

static BenchCall
call_of(const CollectiveBench *bench, Setting *setting, const CollectiveRow *row, int place)
{
    return (BenchCall){bench, row->rung, &setting->what[place], &setting->vectors[place]};
}

/* All rows once, both ways, in an order of this round's own: who comes after whom must not matter. */
static void
sample_all(const CollectiveBench *bench, CollectiveTable *table, Setting *setting, unsigned attempt)
{
    size_t order[LADDER_RUNGS * PLACES];
    const size_t count = (size_t)table->rows * PLACES;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    Rng rng = rng_create(bench->seed, STREAM_ORDER + attempt);
    rng_shuffle(&rng, order, count);
    for (size_t i = 0; i < count; i++) {
        CollectiveRow *row = &table->row[order[i] / PLACES];
        const int place = (int)(order[i] % PLACES);
        const BenchCall call = call_of(bench, setting, row, place);
        if (table->has[place] && row->place[place].state == ROW_MEASURED)
            bench_row_sample(&row->place[place], &call, table->rounds);
    }
}

static void
measure_rounds(const CollectiveBench *bench, CollectiveTable *table, Setting *setting)
{
    const double start = clock_now();
    for (unsigned attempt = 1; table->rounds < bench->rounds; attempt++) {
        const bool late = bench->seconds > 0 && clock_now() - start > bench->seconds;
        if (table->rounds >= LADDER_ROUNDS_MIN && bench_first_says(bench, late))
            break;
        setting->what[OUT_OF_PLACE].round = setting->what[IN_PLACE].round = (unsigned)bench->seed + attempt;
        const Steal before = steal_read();
        sample_all(bench, table, setting, attempt);
        if (bench_slowest(bench, steal_share(before, steal_read())) > STEAL_LIMIT && table->discarded < bench->rounds)
            table->discarded++; /* at most as many as are kept: some result is better than none */
        else
            table->rounds++;
    }
}

/* ---- comparing -------------------------------------------------------------------------------------------------------- */

static Comparison
compare(const CollectiveBench *bench, int rounds, const CollectiveTime *time, const CollectiveTime *other)
{
    Comparison comparison = {.ratio = stats_ratio(other->seconds, time->seconds, (size_t)rounds, bench->seed)};
    ladder_judge(&comparison);
    return comparison;
}

static void
compare_place(const CollectiveBench *bench, CollectiveTable *table, int place)
{
    const CollectiveRow *mpi = NULL, *fastest = NULL;
    for (int i = 0; i < table->rows; i++) {
        CollectiveTime *time = &table->row[i].place[place];
        if (time->state != ROW_MEASURED)
            continue;
        time->time = stats_of(time->seconds, (size_t)table->rounds);
        if (!table->row[i].rung->peer)
            continue;
        if (strcmp(table->row[i].rung->name, "mpi") == 0)
            mpi = &table->row[i];
        if (fastest == NULL || time->time.median < fastest->place[place].time.median)
            fastest = &table->row[i];
    }
    for (int i = 0; i < table->rows; i++) {
        CollectiveTime *time = &table->row[i].place[place];
        if (mpi == NULL || time->state != ROW_MEASURED)
            continue;
        time->peer = fastest->rung;
        time->times_mpi = compare(bench, table->rounds, time, &mpi->place[place]);
        time->times_peer = compare(bench, table->rounds, time, &fastest->place[place]);
    }
}

/* ---- one size --------------------------------------------------------------------------------------------------------- */

static Setting
setting_create(const CollectiveBench *bench, size_t n)
{
    const size_t bytes = collective_memory(bench, n);
    Setting setting = {.memory = bench->in_window ? window_allocate(bench->comm, bytes) : array_create(bytes, 1)};
    for (int place = 0; place < PLACES; place++) {
        setting.what[place] = case_of(bench, n, place);
        setting.vectors[place] = collective_vectors_create(&setting.what[place], bench->comm, setting.memory);
    }
    return setting;
}

static void
setting_free(const CollectiveBench *bench, Setting *setting)
{
    for (int place = 0; place < PLACES; place++)
        collective_vectors_free(&setting->vectors[place]);
    if (bench->in_window)
        window_free(bench->comm, setting->memory);
    else
        array_free(setting->memory);
}

CollectiveTable *
collective_measure(const CollectiveBench *bench, size_t n)
{
    const CollectiveKind kind = bench->ladder->kind;
    CollectiveTable *table = ARRAY(CollectiveTable, 1);
    *table = (CollectiveTable){.n = n, .rows = bench->count};
    table->count = kind == COLLECTIVE_ALL_TO_ALL ? n * (size_t)bench->comm->size : n;
    table->bytes = table->count * element_size(bench->type);
    Setting setting = setting_create(bench, n);
    for (int place = 0; place < PLACES; place++) {
        table->has[place] = collective_has_place(kind, place);
        for (int i = 0; i < table->rows; i++) {
            CollectiveRow *row = &table->row[i];
            row->rung = bench->rungs[i];
            row->place[place] = (CollectiveTime){.predicted = NAN, .moved = NAN, .limit = NAN};
            const BenchCall call = call_of(bench, &setting, row, place);
            if (table->has[place])
                bench_row_begin(&row->place[place], &call);
            else
                row->place[place].state = ROW_SKIPPED;
        }
    }
    measure_rounds(bench, table, &setting);
    for (int place = 0; place < PLACES; place++)
        compare_place(bench, table, place);
    setting_free(bench, &setting);
    return table;
}

void
collective_table_free(CollectiveTable *table)
{
    for (int i = 0; i < table->rows; i++)
        for (int place = 0; place < PLACES; place++)
            array_free(table->row[i].place[place].seconds);
    array_free(table);
}

bool
collective_table_ok(const CollectiveTable *table)
{
    for (int i = 0; i < table->rows; i++)
        for (int place = 0; place < PLACES; place++)
            if (table->row[i].place[place].state == ROW_WRONG)
                return false;
    return true;
}

#endif
