/* The labs' grader: tests with points, on Check. A lab is one file:
 *
 *     TEST(predict_bias) { Rng rng = grade_rng(); ... grade_that(got == want, "got %d, want %d", got, want); }
 *     GRADE_LAB("01", "The perceptron",
 *               {"01.1", "the bias counts", 10, &predict_bias, 2}, ...)
 *
 * Each test runs in a process of its own, and scores only if its body came to its end, made at least one comparison, and none
 * failed. A crash, an endless loop, exit(0) in the student's code, or an exercise that is not solved, costs that test alone.
 * What the student prints goes to a file, whose tail is shown when the test fails. It guards against accidents and simple
 * tricks; it is no jail: student's code and test share a process.
 *
 * A test of counted work ends with grade_counted, which gives a part of its points, the same on every machine.
 *
 * A test of speed ends with grade_ladder or grade_speed, which give a part of its points, or find that this run was too noisy
 * to say: such a test neither gives nor costs points.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_GRADE_H
#define TESTS_LABS_GRADE_H

#include "core/rng.h"
#include "ladder/ladder.h"
#include <check.h>
#include <stdbool.h>
#include <stddef.h>

#define TEST(name) START_TEST(name)

/* A test that is one call. */
#define TEST_CALL(name, call)                                                                                          \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        call;                                                                                                          \
    }

typedef struct GradeTest {
    const char *exercise; /* "01.1" */
    const char *title;    /* what is tested, under 50 letters; name the exercises that it stands on: "(uses 01.1)" */
    int points;
    const TTest **test; /* the address of what TEST declares */
    double seconds;     /* longer than this is an endless loop */
} GradeTest;

typedef struct GradeLab {
    const char *number; /* "01" */
    const char *title;
    const GradeTest *tests;
    size_t count;
    struct GradeLab *next;
} GradeLab;

/* Labs enter a list before main, ordered by their numbers: which labs a program grades is decided by linking. */
void grade_register(GradeLab *lab);
GradeLab *grade_labs(void);

#define GRADE_LAB(lab_number, lab_title, ...)                                                                          \
    static const GradeTest grade_tests[] = {__VA_ARGS__};                                                              \
    static GradeLab grade_lab = {lab_number, lab_title, grade_tests, sizeof(grade_tests) / sizeof(grade_tests[0]),     \
                                 NULL};                                                                                \
    __attribute__((constructor)) static void grade_register_lab(void)                                                  \
    {                                                                                                                  \
        grade_register(&grade_lab);                                                                                    \
    }

/* A test that needs several ranks starts this program again under mpirun with --ranks WHAT; each rank then runs this, and ends
 * with the status that it returns. A lab that has such tests sets it before main. */
extern int (*grade_ranks)(const char *what);

/* ---- for the tests ------------------------------------------------------------------------------------------------- */

/* Random inputs, other ones for each test and each seed (make grade SEED=7), so that answers cannot be written down. */
Rng grade_rng(void);
double grade_uniform(Rng *rng, double low, double high);
void grade_fill(Rng *rng, double *x, size_t n, double low, double high);

/* A NaN of our own everywhere: what the student's function must overwrite. The comparisons below know it again, and say
 * "not written" where it still stands. */
void grade_poison(double *x, size_t n);
void grade_poison_floats(float *x, size_t n);

/* The test may map this number of bytes from now on; GRADE_MEMORY when it begins. */
#define GRADE_MEMORY ((size_t)2 << 30)
void grade_limit_memory(size_t bytes);

/* Each comparison counts as one; the first that does not hold ends the test with its sentence. `what` is as printf. */
void grade_that(bool condition, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* got and want are [rows][columns], or vectors if columns is 1. "z^2: 3 of 5 wrong, first [0]: got 0.5, want 0.3775" */
void grade_doubles(const double *got, const double *want, size_t rows, size_t columns, double tolerance,
                   const char *what, ...) __attribute__((format(printf, 6, 7)));
void grade_floats(const float *got, const double *want, size_t rows, size_t columns, double tolerance, const char *what,
                  ...) __attribute__((format(printf, 6, 7)));

/* A gradient against finite differences; all zeros on both sides is a failure, because it would prove nothing. */
void grade_gradient(const double *got, const double *differences, size_t rows, size_t columns, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- counted work: grade_counted.c --------------------------------------------------------------------------------- */

/* What work is worth what: all points up to `full`, none from `none` on, and in between in proportion to log(work), so that
 * each halving is worth the same. 0 < full < none. */
typedef struct GradeCost {
    double full, none;
} GradeCost;

/* Gives the share of the points. At most once in a test, behind all other comparisons. `what` is what was counted, as printf:
 * "sectors for each load". NaN: it cannot be counted in this build; the test then neither gives nor costs points. */
void grade_counted(double work, GradeCost cost, const char *what, ...) __attribute__((format(printf, 3, 4)));

/* ---- speed: grade_speed.c ------------------------------------------------------------------------------------------ */

/* Which speed is worth what, in times as fast as something that was measured in the same run: no points up to `none`, all from
 * `full` on, and in between in proportion to log(ratio), so that each doubling is worth the same. 0 < none < full. */
typedef struct GradeScale {
    double none, full;
} GradeScale;

/* The share of a test's points, 0 .. 1. NaN if ratio is NaN. */
double grade_share(double ratio, GradeScale scale);

/* The interval is wider than LADDER_NOISE of its middle, and its two ends would get shares that differ by more than that. */
bool grade_too_noisy(Interval ratio, GradeScale scale);

/* Gives the share of the points, or none and no loss if it is too noisy. At most once in a test, behind all other comparisons.
 * `what` is what is compared, as printf: "packed, 512x512x512, against naive". If the ratio is NaN nothing was measured, and
 * `what` says why. */
void grade_speed(Interval ratio, GradeScale scale, const char *what, ...) __attribute__((format(printf, 3, 4)));

/* Measures rung `name` of the ladder at this size, interleaved with the ladder's first rung, and grades how many times as fast
 * it is; measures again, longer, while that is too noisy (three times in all). The first rung must be the grader's own. A rung
 * that is wrong, in a verification or in a timed call, or that refuses the size, fails the test. One measurement takes about
 * rounds * (0.04 s + 2 calls of each of the two), rounds = 11, 22, 44: choose size and GradeTest.seconds so that all fit. */
void grade_ladder(const Ladder *ladder, const char *name, const int *size, int threads, GradeScale scale);

#endif
