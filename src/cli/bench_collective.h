/* Collectives, measured: `rungs bench allreduce` and its like.
 *
 *     bench_collective.c          the command: options, what is refused, all ranks' exit status
 *     bench_collective_rungs.c    which rows: the ladder's rungs, the library, the library told which way to go
 *     bench_collective_measure.c  the driver: all rows interleaved, verified, the slowest rank's time
 *     bench_collective_row.c      one of them: its calls, timed and verified
 *     bench_collective_model.c    what the cost model says beside it
 *     bench_collective_count.c    what each rung sends, counted
 *     bench_collective_report.c   tables in nccl-tests' columns;  bench_collective_export.c  CSV, JSON, SVG
 *
 * All ranks measure and know the same numbers; rank 0 prints and writes.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_COLLECTIVE_H
#define CLI_BENCH_COLLECTIVE_H

#include "ladder/ladder.h"
#include "mpi/collectives/collectives.h"

/* A vector's two ways: the output beside the input, or in its place. Some operations know but one. */
enum { OUT_OF_PLACE, IN_PLACE, PLACES };

typedef struct CollectiveBench {
    const CollectiveLadder *ladder;
    const CollectiveRung *rungs[LADDER_RUNGS]; /* the selected ones */
    int count;
    Comm *comm;
    Element type;
    Reduction op;
    int root, rounds;
    double seconds, longest; /* as in LadderPlan; longest: of a measured call */
    uint64_t seed;
    const char *csv, *json, *svg, *messages_svg; /* files to write; NULL: not wanted */
    bool model;                                  /* print it */
    bool count_messages, strict;                 /* say what each rung sends; sends wait for their receivers */
    bool in_window;                              /* vectors lie in memory that the node shares */

    /* Bytes/s of one rank while all others do the same, in this run: reading from the cache that they share; reading and writing
     * memory. */
    double read, write_read;
} CollectiveBench;

/* One rung, one of the two ways. */
typedef struct CollectiveTime {
    RowState state;
    char reason[256];
    double *seconds; /* [rounds] of one call, the slowest rank's; owned */
    size_t calls;    /* in one sample */
    bool long_call;
    size_t wrong; /* elements, on all ranks, over all checks */
    Stats time;
    const CollectiveRung *peer;       /* the library's fastest row; NULL: there is nothing to compare with */
    Comparison times_mpi, times_peer; /* how many times as fast as the library's own choice, as its fastest */
    double predicted; /* seconds by the fitted model; NaN: it does not know the rung, or one rank has nothing to send */
    bool noisy;       /* it would know, but could not be fitted: predicted is NaN */
    double moved;     /* bytes through memory on the busiest rank; NaN: not known */
    double limit;     /* seconds that these need */
} CollectiveTime;

typedef struct CollectiveRow {
    const CollectiveRung *rung;
    CollectiveTime place[PLACES];
} CollectiveRow;

/* One size. */
typedef struct CollectiveTable {
    size_t n, count, bytes; /* n: as collective_run wants it; of the whole vector: elements, bytes */
    int rounds, discarded;
    bool has[PLACES];
    int rows;
    CollectiveRow row[LADDER_RUNGS];
} CollectiveTable;

typedef struct CollectiveReport {
    const CollectiveBench *bench;
    const CollectiveTable *const *tables;
    int count;
} CollectiveReport;

/* ---- bench_collective.c ---- */

/* Measures vectors of so many bytes each, prints, writes the files. Returns the exit status, the same on all ranks: 1 if a row was
 * wrong. */
int collective_bench(CollectiveBench *bench, const size_t *bytes, int count);

/* ---- bench_collective_rungs.c ---- */

/* All rows of the ladder, "naive" .. "mpi", "mpi:ring": at most LADDER_RUNGS; returns how many. */
int collective_rows(const CollectiveLadder *ladder, const CollectiveRung *rows[LADDER_RUNGS]);

/* "naive,ring" or "all" into bench->rungs. False with a sentence. */
bool collective_select(CollectiveBench *bench, const char *text, Error *error);

/* How many of ours, or of the library's, stand before it. */
int collective_place(const CollectiveLadder *ladder, const CollectiveRung *rung);

/* ---- bench_collective_measure.c ---- */

/* Elements for so many bytes: fewer where they do not fill an element, at least one for each row of all_to_all. */
size_t collective_length(const CollectiveBench *bench, size_t bytes);
CollectiveTable *collective_measure(const CollectiveBench *bench, size_t n);
void collective_table_free(CollectiveTable *table);
bool collective_table_ok(const CollectiveTable *table);
bool collective_has_place(CollectiveKind kind, int place);

/* Bytes that a rank needs for it, both ways of it. */
size_t collective_memory(const CollectiveBench *bench, size_t n);

/* ---- bench_collective_model.c ---- */

/* Fits the model, if it is not: collective. What is measured after it need not wait for it. */
void collective_fit(const CollectiveBench *bench);

/* Fills predicted, moved and limit of all rows. Collective. */
void collective_predict(const CollectiveBench *bench, CollectiveTable *table);

/* Measures bench->read and bench->write_read. */
void collective_measure_memory(CollectiveBench *bench);

/* alpha, beta and gamma as fitted; what they say of each of our rungs at the largest size, and where the best one changes. */
void collective_print_model(const CollectiveReport *report);

/* algbw times this is busbw: what each rank's line must carry, as nccl-tests defines it (doc/PERFORMANCE.md there). */
double collective_bus_factor(CollectiveKind kind, int p);

/* ---- bench_collective_count.c ---- */

/* Calls each measured rung of ours once more and prints what its busiest rank sent. Collective. */
void collective_count(const CollectiveBench *bench, const CollectiveTable *table);

/* Watches a call of the first rung: collective. Then rank 0 draws its messages. False with a sentence where bench->messages_svg is
 * asked for and there is not one rung with messages that can be seen: the library's are its own. */
bool collective_can_watch(const CollectiveBench *bench, Error *error);
void collective_watch(const CollectiveBench *bench, const CollectiveTable *table);
bool collective_messages_svg(const CollectiveReport *report, const char *path, Error *error);

/* ---- bench_collective_report.c, bench_collective_export.c ---- */

void collective_print_head(const CollectiveBench *bench);
void collective_print_table(const CollectiveBench *bench, const CollectiveTable *table);
bool collective_csv(const CollectiveReport *report, const char *path, Error *error);
bool collective_json(const CollectiveReport *report, const char *path, Error *error);
bool collective_svg(const CollectiveReport *report, const char *path, Error *error);

/* "sum" where ranks reduce, else "none"; the root, or -1. */
const char *collective_redop(const CollectiveBench *bench);
int collective_root(const CollectiveBench *bench);

/* Bytes/s of the whole vector; times the bus factor. */
double collective_bus_bandwidth(const CollectiveBench *bench, const CollectiveTable *table, const CollectiveTime *time);

#endif
