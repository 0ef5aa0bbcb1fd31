/* A ladder: one operation, and the rungs that compute it, from the naive one to the fastest. The best-known libraries stand beside
 * them as peers. One driver verifies and measures any ladder; what it needs to know of the operation is an Operation.
 *
 *     Ladder         an Operation and its rungs: cpu/gemv/ladder.c is an example to copy
 *     Problem        the operation at one size: random inputs, a reference in double, a guarded output
 *     LadderTable    what one size and number of threads gave: a row for each rung
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_LADDER_H
#define LADDER_LADDER_H

#include "core/error.h"
#include "core/stats.h"
#include "ladder/machine.h"
#include "ladder/verify.h"
#include <stdint.h>
#include <stdio.h>

enum { LADDER_DIMENSIONS = 8, LADDER_RUNGS = 64 };

/* A rung's function, whatever its parameters: only the operation's `call` knows them, and casts back. */
typedef void LadderFunction(void);

/* Bytes that a rung moves through one level of memory: the level that takes longest for them. */
typedef struct Traffic {
    double bytes;
    int level; /* MACHINE_L1 .. */
} Traffic;

typedef struct Rung {
    const char *name; /* "vector" */
    const char *idea; /* one line */
    const char *file; /* where to read it: "cpu/gemv/03_vector.c" */
    LadderFunction *function;
    bool peer;      /* a library, not a rung of ours */
    bool reference; /* neither: measured beside the rungs to explain them, as a step without communication does */
    bool floats;    /* writes floats though the operation's output is whole numbers: what is right is the same */

    /* False with the reason if this rung cannot take the size: it is then skipped. NULL: it takes every size. */
    bool (*accepts)(const int *size, Error *reason);

    /* Seconds that one call should take, from what the machine was measured to do. NULL: nothing is predicted. */
    double (*predict)(const int *size, int threads, const Machine *machine);

    /* What it moves, for its place in the roofline. NULL: the least traffic of the operation. */
    Traffic (*traffic)(const int *size, int threads, const Machine *machine);

    /* How many times the operation's tolerance this rung has, a rung whose algorithm loses more: its file says why.
     * NULL: once. */
    double (*tolerance_factor)(const int *size);

    /* The algorithm that it chooses for the size. Static text. NULL: it has one only. */
    const char *(*algorithm)(const int *size);

    /* Around timed calls, not timed: takes the inputs in; writes what the calls gave to the output. For peers that keep tensors in
     * a layout of their own. NULL: the calls read the inputs and write the output. */
    void (*prepare)(const void *inputs);
    void (*fetch)(const void *inputs, void *output);

    /* Peers: library, version, processor core that it chose. Static text. NULL: nothing to say. */
    const char *(*describe)(void);

    /* Peers that have threads of their own: how many to use. NULL: they ask OpenMP. */
    void (*use_threads)(int threads);

    /* Peers that are programs of their own: seconds of a call, measured over about that long. NaN: it failed, with the sentence.
     * NULL: the driver calls and takes the time. */
    double (*measure)(const int *size, double seconds, Error *error);

    const void *context; /* whatever else the operation wants to know of it */
} Rung;

/* Whether the rung takes the size; false with the reason. */
bool rung_accepts(const Rung *rung, const int *size, Error *reason);

enum { COMPARED_LOWEST = 1, COMPARED_BEFORE = 2, COMPARED_PEER = 4 };

typedef enum OutputKind {
    OUTPUT_FLOAT, /* right within the tolerance */
    OUTPUT_INT32  /* right if equal */
} OutputKind;

typedef struct LadderTable LadderTable;
typedef struct LadderRow LadderRow;

/* A number beside a row's time: in the table, in the legend below it, and under its name in CSV and JSON. */
typedef struct Column {
    const char *name;    /* "busbw" */
    const char *unit;    /* "B/s", "s", "B"; "%": a share; "": a number without */
    const char *meaning; /* one line */
    double (*value)(const LadderTable *table, const LadderRow *row); /* NaN: not known */
} Column;

/* What went for the whole run, as text: "ranks" "2". In the head, in JSON, and as a column of the CSV. */
typedef struct Fact {
    const char *name, *value;
} Fact;

typedef struct Operation {
    const char *name;       /* "gemv" */
    const char *formula;    /* "y[M] = A[M][N] x" */
    const char *dimensions; /* what the numbers of a size are: "M x N" */
    int dimension_count;
    int counts; /* the first `counts` are 1 or more where there is anything to measure; 0: all. A padding is not one of them */
    /* Ways to store the inputs, "nn", "nt", NULL at the end: written behind a size, as in 512:nt. A size then has one number more,
     * size[dimension_count], which is the index here. NULL: there is one way. */
    const char *const *variants;
    size_t unit; /* bytes of an element: a size is shown as its number times unit. 0: as its number */
    OutputKind output;
    const char *tolerance; /* how far from the reference an element may be, as a formula: printed with the results */
    const char *lecture;

    /* Allocates the inputs and draws them from the seed: never zeros, on which processors and memories are faster. NULL with a
     * sentence if the size is impossible. */
    void *(*create)(const int *size, uint64_t seed, Error *error);

    /* Draws inputs anew, so that every element of the output changes: an old result is then a wrong one. */
    void (*refresh)(void *inputs, uint64_t round);

    /* want[outputs] summed in double; tolerance[outputs] by the formula. */
    void (*reference)(const void *inputs, double *want, double *tolerance);

    /* Calls the rung's function. It must not depend on what output held. output: floats, or int32_t if the kind says so. */
    void (*call)(LadderFunction *function, const void *inputs, void *output);
    void (*destroy)(void *inputs);

    /* Operations that keep their outputs themselves have these in place of call, reference and outputs. verify may call the rung
     * again, on inputs that it makes anew; `what` of its verdict says what was wrong. */
    void (*run)(const Rung *rung, void *inputs);
    Verdict (*verify)(const Rung *rung, void *inputs);

    /* When all was measured, before the inputs go: may fill in what is predicted from it. NULL: nothing is left to do. */
    void (*conclude)(void *inputs, LadderTable *table);

    /* For rungs that are made when the program runs, in place of their own accepts and predict. NULL: they have these. */
    bool (*accepts)(const Rung *rung, const int *size, Error *reason);
    double (*predict)(const Rung *rung, const int *size);

    const Column *columns; /* name NULL at the end. NULL: operations, traffic, share of the bound */
    unsigned compared;     /* COMPARED_LOWEST | ..: which ratios the table shows. 0: all */
    const Fact *facts;     /* name NULL at the end. NULL: none */

    /* Prints what else there is to say below a table. NULL: nothing. */
    void (*note)(const LadderTable *table, FILE *out);

    /* NULL: the output is only written. Otherwise the operation changes it in place, and this writes what stands there before the
     * first call and forgets earlier calls; the reference, asked after the calls, is that of as many calls as there were since. */
    void (*begin)(void *inputs, void *output);

    size_t (*outputs)(const int *size); /* elements of the output */
    double (*flops)(const int *size);
    double (*bytes)(const int *size); /* the least traffic: every input read once, every output written once */

    /* How many times as many operations as of floats the widest vectors can do: 2 for bf16 and 4 for int8 where this build has
     * instructions for them. For the bound. 0 stands for 1. */
    double times_peak;

    /* It goes through long arrays, reading and writing, and computes little: from memory its bound is the rate of the triad, which
     * does the same, and not that of reading alone. Both count as STREAM does, each array that is named: a step in place, whose
     * lines are not read only to be written, may pass 100 %. */
    bool streams;
} Operation;

typedef struct Ladder {
    Operation operation;
    const Rung *rungs; /* from the bottom to the top, then the peers */
    int count;
} Ladder;

/* ---- one problem: ladder/problem.c ------------------------------------------------------------------------------------ */

typedef struct Problem {
    const Ladder *ladder;
    int size[LADDER_DIMENSIONS];
    void *inputs;
    size_t outputs;
    Guarded output;
    OutputKind written;       /* what the last run left there */
    const Rung *last;         /* whose run it was */
    double *want, *tolerance; /* [outputs] */
} Problem;

bool problem_create(Problem *problem, const Ladder *ladder, const int *size, uint64_t seed, Error *error);
void problem_free(Problem *problem);

/* New inputs and their reference. */
void problem_refresh(Problem *problem, uint64_t round);

/* Runs the rung once. */
void problem_run(Problem *problem, const Rung *rung);

/* Makes the output ready for calls: NaN, or what the operation begins with. */
void problem_begin(Problem *problem);

/* Lets the rung take in the inputs as they are now: to be called before its first run on them. */
void problem_prepare(Problem *problem, const Rung *rung);

/* Compares what is in the output, guards included. */
Verdict problem_compare(const Problem *problem);

/* problem_begin, one run, and the comparison. */
Verdict problem_verify(Problem *problem, const Rung *rung);

/* ---- measuring: ladder/measure.c -------------------------------------------------------------------------------------- */

/* Processes that measure together. All must agree on whatever decides what is called next, so a time is the slowest rank's on all
 * ranks, and so is a doubt. */
typedef struct LadderRanks {
    int rank, count;
    void (*synchronise)(void);   /* returns when all have called */
    double (*most)(double mine); /* the largest of all, on all */
} LadderRanks;

typedef struct LadderPlan {
    int threads;           /* at least 1 */
    int rounds;            /* samples of each rung, at least 1 */
    double sample_seconds; /* a sample repeats the call until it is at least so long */
    double seconds;        /* no round begins when so long has passed, LADDER_ROUNDS_MIN excepted. 0: no limit */
    double longest;        /* a rung whose call is predicted to take longer, or does so twice, is skipped. 0: none is */
    uint64_t seed;
    const bool *selected;     /* [ladder->count]: which rungs; NULL: all */
    const Machine *machine;   /* for predictions and the bound; NULL: none */
    const LadderRanks *ranks; /* NULL: this process alone */
} LadderPlan;

typedef enum RowState { ROW_MEASURED, ROW_SKIPPED, ROW_WRONG } RowState;

enum { LADDER_ROUNDS_MIN = 5 };

/* Ratios are times as fast as, with their interval. One wider than LADDER_NOISE says little about how much faster; if it also
 * holds 1, it does not even say which is faster, and that is too noisy to say. */
#define LADDER_NOISE 0.10
typedef struct Comparison {
    const Rung *with; /* NULL: there is nothing to compare with */
    Interval ratio;
    bool wide, noisy;
} Comparison;

/* Fills wide and noisy from the interval. */
void ladder_judge(Comparison *comparison);

struct LadderRow {
    const Rung *rung;
    RowState state;
    char reason[256];               /* why it was skipped, or what was wrong */
    double *seconds;                /* [rounds] of one call, owned */
    size_t calls;                   /* in one sample */
    bool long_call;                 /* one call is enough, and needs no other to warm the caches */
    Stats time;                     /* of seconds */
    double error;                   /* largest error seen, in tolerances */
    double predicted;               /* seconds; NaN: not predicted */
    Comparison naive, before, peer; /* with the lowest rung, the rung before, the fastest peer */
};

/* What the roofline model names as the limit: reading from where the working set fits, the triad in memory, arithmetic. */
typedef enum { ROOF_READ, ROOF_TRIAD, ROOF_PEAK } Roof;

struct LadderTable {
    const Ladder *ladder;
    int size[LADDER_DIMENSIONS];
    int threads;
    int ranks;     /* 0: one process, that knows of no others */
    uint64_t seed; /* of intervals */
    int rounds;    /* kept */
    int discarded; /* rounds in which another machine stole more than 1 % of the processors' time */
    double flops, bytes;
    Roof roof;
    /* [rounds] interleaved with the rungs: bytes/s of the triad, or FLOP/s. NULL: ROOF_READ, or no machine. */
    double *roof_rate;
    double bound; /* seconds that the machine needs at least; NaN: not known */
    int count;
    LadderRow rows[LADDER_RUNGS];
};

/* Verifies every rung, then measures those that are right: round by round all of them one after the other, each round with new
 * inputs and another order, each output poisoned before and verified after the timed calls. A rung that is ever wrong has no time.
 * NULL with a sentence if the problem cannot be made. */
LadderTable *ladder_measure(const Ladder *ladder, const int *size, const LadderPlan *plan, Error *error);
void ladder_table_free(LadderTable *table);

/* How many times as fast as the other row. with is NULL where one of them was not measured, and where they are the same. */
Comparison ladder_compare(const LadderTable *table, const LadderRow *row, const LadderRow *other);

/* False if any row is wrong. */
bool ladder_table_ok(const LadderTable *table);

/* How many numbers a size has: its dimensions, and the variant if there are any. */
int ladder_size_numbers(const Ladder *ladder);

/* "1003x999", "512x512x512:nt" */
const char *ladder_size_text(const Ladder *ladder, const int *size, char text[64]);

/* "256", "1003x999,64:nt" into sizes; one number stands for all dimensions. Returns how many, or 0 with a sentence. */
int ladder_parse_sizes(const Ladder *ladder, const char *text, int max, int (*sizes)[LADDER_DIMENSIONS], Error *error);

/* "4,1K,64K", "4..256M": numbers of bytes with K, M or G behind them (2^10, 2^20, 2^30); a range goes up by factors of 4 and has
 * its end too if it meets it. Returns how many there are, or 0 with a sentence. */
int ladder_parse_bytes(const char *text, int max, size_t *bytes, Error *error);

/* "naive,rows", "all", or "auto,all", which is all of them, into selected[ladder->count]. */
bool ladder_parse_rungs(const Ladder *ladder, const char *text, bool *selected, Error *error);

/* Whether such a list has "all" in it: its rungs are then not wanted by name, and those that take too long may be left out. */
bool ladder_selects_all(const char *text);

#endif
