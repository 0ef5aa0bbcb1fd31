/* How many times as fast MPI_Allreduce is on the drop-in library as on the MPI library itself: `make bench-dropin` runs this with
 * LD_PRELOAD=build/librungs_mpi.so, and without, where the answer must be 1.
 *
 *     dropin_times ROUNDS SIZES FLOOR..        4..16M, program/library=1.00 (src/ladder/floor.h)
 *
 * A foreign program: of MPI it knows the names only. MPI_Allreduce ("program") is the drop-in's where that is loaded,
 * PMPI_Allreduce ("library") always the library's; the driver of all ladders measures both in turn, on private vectors of floats.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "ladder/floor.h"
#include "ladder/report.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERIOD = 251, SIZES = 32 };

typedef int AllReduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static int p, r;

typedef struct Vectors {
    float *x, *y;
    int n;
    bool in_place;
    int calls; /* since they were filled */
} Vectors;

/* The sum is known exactly, whatever its order; the output is poisoned. */
static void
fill(void *inputs, void *output)
{
    Vectors *v = inputs;
    (void)output;
    for (int i = 0; i < v->n; i++) {
        v->x[i] = (float)(r + 1) * (float)(i % PERIOD + 1);
        v->y[i] = v->in_place ? v->x[i] : NAN;
    }
    v->calls = 0;
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    (void)seed, (void)error;
    Vectors *v = ARRAY(Vectors, 1);
    *v = (Vectors){ARRAY(float, size[0]), ARRAY(float, size[0]), size[0], size[1] == 1, 0};
    fill(v, NULL);
    return v;
}

static void
destroy(void *inputs)
{
    Vectors *v = inputs;
    array_free(v->x);
    array_free(v->y);
    array_free(v);
}

static void
refresh(void *inputs, uint64_t round)
{
    (void)inputs, (void)round;
}

static void
run(const Rung *rung, void *inputs)
{
    Vectors *v = inputs;
    CHECK_MPI(((AllReduce *)rung->function)(v->in_place ? MPI_IN_PLACE : v->x, v->y, v->n, MPI_FLOAT, MPI_SUM,
                                            MPI_COMM_WORLD));
    v->calls++;
}

/* In place a sum of sums is no longer known: one more call is. */
static Verdict
verify(const Rung *rung, void *inputs)
{
    Vectors *v = inputs;
    if (v->in_place && v->calls != 1) {
        fill(v, NULL);
        run(rung, v);
    }
    long wrong = 0;
    for (int i = 0; i < v->n; i++)
        wrong += !(v->y[i] == (float)(p * (p + 1) / 2) * (float)(i % PERIOD + 1));
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    return (Verdict){
        .count = (size_t)v->n * (size_t)p, .wrong = (size_t)wrong, .what = "elements of all ranks are wrong"};
}

static double
no_flops(const int *size)
{
    (void)size;
    return 0;
}

static double
bytes(const int *size)
{
    return 4.0 * size[0];
}

static void
synchronise(void)
{
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
}

static double
most(double mine)
{
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return mine;
}

int
main(int argc, char **argv)
{
    static const Column columns[] = {{0}};
    static const char *const places[] = {"out", "in", NULL};
    const Rung rungs[] = {{.name = "program", .function = (LadderFunction *)MPI_Allreduce},
                          {.name = "library", .function = (LadderFunction *)PMPI_Allreduce, .peer = true}};
    const Ladder ladder = {.operation = {.name = "MPI_Allreduce",
                                         .dimension_count = 1,
                                         .variants = places,
                                         .unit = sizeof(float),
                                         .create = create,
                                         .refresh = refresh,
                                         .begin = fill,
                                         .run = run,
                                         .verify = verify,
                                         .destroy = destroy,
                                         .flops = no_flops,
                                         .bytes = bytes,
                                         .columns = columns,
                                         .compared = COMPARED_PEER},
                           .rungs = rungs,
                           .count = 2};
    size_t lengths[SIZES];
    LadderTable *tables[2 * SIZES];
    Error error = {""};
    CHECK_MPI(MPI_Init(&argc, &argv));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &p));
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    CHECK_THAT(argc > 2, "usage: dropin_times ROUNDS SIZES FLOOR..");
    const int sizes = ladder_parse_bytes(argv[2], SIZES, lengths, &error);
    CHECK_THAT(sizes > 0, "%s", error.text);
    const LadderRanks ranks = {r, p, synchronise, most};
    const LadderPlan plan = {
        .threads = 1, .rounds = atoi(argv[1]), .sample_seconds = 4e-3, .seconds = 6, .seed = 1, .ranks = &ranks};
    bool right = true;
    for (int i = 0; i < 2 * sizes; i++) {
        const int size[LADDER_DIMENSIONS] = {(int)(lengths[i / 2] / sizeof(float)), i % 2};
        tables[i] = ladder_measure(&ladder, size, &plan, &error);
        CHECK_THAT(tables[i] != NULL, "%s", error.text);
        right = right && ladder_table_ok(tables[i]);
        if (r == 0)
            report_table(tables[i], NULL, stdout);
    }
    FILE *out = r == 0 ? stdout : fopen("/dev/null", "w");
    for (int i = 3; i < argc; i++) {
        Floor floor;
        CHECK_THAT(floor_parse(&ladder, NULL, argv[i], &floor, &error), "%s", error.text);
        right = floor_judge(&floor, tables, 2 * sizes, out) && right;
    }
    for (int i = 0; i < 2 * sizes; i++)
        ladder_table_free(tables[i]);
    CHECK_MPI(MPI_Finalize());
    return !right;
}
