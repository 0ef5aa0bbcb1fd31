/* What must hold of every ladder: its rungs and peers are right on new inputs, it rejects others, and refuses impossible sizes.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_LADDER_CASE_H
#define TESTS_CPU_LADDER_CASE_H

#include "cpu/ladders.h"
#include "tests/testing.h"

/* Every rung and peer that takes the size, on three inputs; `twice`: also run twice in a row, as operations in place are. */
static inline void
ladder_check(const Ladder *ladder, const int *size, bool twice)
{
    Problem problem;
    char text[64];
    ck_assert_ok(problem_create(&problem, ladder, size, 11, &error));
    for (uint64_t round = 1; round <= 3; round++) {
        for (int r = 0; r < ladder->count; r++) {
            const Rung *rung = &ladder->rungs[r];
            if (!rung_accepts(rung, size, NULL))
                continue;
            Verdict verdict = problem_verify(&problem, rung);
            if (twice && verdict_ok(&verdict)) {
                problem_begin(&problem);
                problem_run(&problem, rung);
                problem_run(&problem, rung);
                verdict = problem_compare(&problem);
            }
            ck_assert_verdict(verdict, "%s %s, %s, round %d", ladder->operation.name,
                              ladder_size_text(ladder, size, text), rung->name, (int)round);
        }
        problem_refresh(&problem, round);
    }
    problem_free(&problem);
}

/* How many elements of a rung's result are wrong in round `round`, where they are those of the round before. */
static inline size_t
ladder_old_wrong(const Ladder *ladder, const int *size, const Rung *rung, uint64_t round)
{
    Problem problem;
    ck_assert_ok(problem_create(&problem, ladder, size, 1, &error));
    for (uint64_t before = 1; before < round; before++)
        problem_refresh(&problem, before);
    problem_run(&problem, rung);
    problem_refresh(&problem, round);
    const size_t wrong = problem_compare(&problem).wrong;
    problem_free(&problem);
    return wrong;
}

/* A broken version is rejected. */
static inline void
ladder_rejects(const Ladder *ladder, const int *size, const Rung *broken)
{
    Problem problem;
    ck_assert_ok(problem_create(&problem, ladder, size, 2, &error));
    const Verdict verdict = problem_verify(&problem, broken);
    ck_assert_msg(!verdict_ok(&verdict), "%s: \"%s\" was accepted", ladder->operation.name, broken->name);
    problem_free(&problem);
}

/* What the driver of `rungs bench` measures of these rungs. */
static inline LadderTable *
ladder_measure_rungs(const Ladder *ladder, const Rung *rungs, int count, const int *size)
{
    Ladder own = *ladder;
    own.rungs = rungs;
    own.count = count;
    const LadderPlan plan = {.threads = 1, .rounds = 3, .sample_seconds = 1e-5, .seed = 3};
    LadderTable *table = ladder_measure(&own, size, &plan, &error);
    ck_assert_ok(table);
    return table;
}

static inline void
ladder_refuses(const Ladder *ladder, const int *size, const char *words)
{
    Problem problem;
    ck_assert_refused(problem_create(&problem, ladder, size, 1, &error), words);
}

/* A processor that is not: 2e10 to 4e11 bytes per second, the same multiples of it with two threads but from memory. */
static inline Machine
invented_machine(void)
{
    Machine machine = {.capacity = {1 << 15, 1 << 20, 1 << 25}, .chain = 1e-9};
    machine.one = (MachinePeaks){.threads = 1, .fma = 2e11, .fma256 = 1e11, .read = {4e11, 2e11, 1e11, 2e10}};
    machine.all = (MachinePeaks){.threads = 2, .fma = 4e11, .fma256 = 2e11, .read = {8e11, 4e11, 1e11, 2e10}};
    return machine;
}

#endif
