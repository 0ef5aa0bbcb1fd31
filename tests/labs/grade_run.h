/* Runs one test of a lab in a process of its own and says how it ended.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_GRADE_RUN_H
#define TESTS_LABS_GRADE_RUN_H

#include "grade.h"
#include <stdint.h>

typedef enum GradeOutcome {
    GRADE_NOT_RUN,
    GRADE_PASSED,
    GRADE_PARTLY,   /* a part of the points, by speed or counted work */
    GRADE_NOISY,    /* it could not be measured, or not counted: neither gives nor costs points */
    GRADE_WRONG,    /* a comparison failed */
    GRADE_UNSOLVED, /* it met EXERCISE_NOT_SOLVED */
    GRADE_CRASHED,  /* a signal */
    GRADE_ENDLESS,  /* the time was up */
    GRADE_ENDED,    /* the process ended before the test did */
    GRADE_BROKEN,   /* nothing could be run: the student's files do not compile */
} GradeOutcome;

enum { GRADE_REASON = 1024, GRADE_OUTPUT = 2048 };

typedef struct GradeResult {
    const GradeLab *lab;
    const GradeTest *test;
    GradeOutcome outcome;
    double seconds;
    double share; /* of the points, 0 .. 1 */
    bool timed;   /* a test of speed, with this ratio: */
    Interval ratio;
    bool unwritten;            /* a wrong value was never written */
    char unsolved[16];         /* the exercise that was met unsolved */
    char reason[GRADE_REASON]; /* one sentence; empty if passed, but for speed and counted work */
    char output[GRADE_OUTPUT]; /* the end of what the student's code printed */
} GradeResult;

/* Fills outcome, share and reason of a test that was run; check is NULL if Check lost it. result->output is there already. */
void grade_judge(GradeResult *result, TestResult *check);

/* Full points. */
bool grade_passed(const GradeResult *result);

/* What the test gives, to a hundredth of a point; how many it could have given. Both are 0 if it is too noisy. */
double grade_points(const GradeResult *result);
double grade_most_points(const GradeResult *result);

/* What the test's process tells the grader through a page that both see. An exit status would not do: Check counts
 * exit(0) in the middle of a test as a pass. */
typedef struct GradeShared {
    uint64_t seed, stream;
    unsigned comparisons;
    bool finished;     /* the body of the test has returned */
    bool unwritten;    /* the comparison that failed met the poison */
    bool timed, noisy; /* grade_speed was called; it found the ratio too noisy */
    bool counted;      /* grade_counted was called */
    Interval ratio;
    double share;
    char speed[512];   /* the sentence of either */
    char exercise[16]; /* set by EXERCISE_NOT_SOLVED, with file and line */
    char file[256];
    int line;
} GradeShared;
extern GradeShared *grade_shared;

/* Built with AddressSanitizer: several times slower, and reserves terabytes of addresses. */
extern const bool grade_sanitized;

/* Makes the shared page. Call once, before anything else. */
void grade_start(uint64_t seed);

/* stream: another one for each test. */
GradeResult grade_run(const GradeLab *lab, const GradeTest *test, uint64_t stream);

/* Copies the end of `from` (at most size - 1 bytes, whole lines where it was cut), with everything that JSON, XML or a terminal
 * could stumble over replaced by '?'. */
void grade_clean(const char *from, size_t length, char *to, size_t size);

#endif
