/* One operation at one size: inputs, reference, guarded output. It measures nothing.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "ladder/ladder.h"
#include <string.h>

bool
rung_accepts(const Rung *rung, const int *size, Error *reason)
{
    return rung->accepts == NULL || rung->accepts(size, reason);
}

static bool
size_is_possible(const Ladder *ladder, const int *size, Error *error)
{
    for (int i = 0; i < ladder->operation.dimension_count; i++)
        if (size[i] < 0)
            return error_set(error, "size %d of %s is %d, but must be 0 or more", i + 1, ladder->operation.name,
                             size[i]);
    return true;
}

bool
problem_create(Problem *problem, const Ladder *ladder, const int *size, uint64_t seed, Error *error)
{
    *problem = (Problem){.ladder = ladder};
    if (!size_is_possible(ladder, size, error))
        return false;
    memcpy(problem->size, size, sizeof(int) * (size_t)ladder_size_numbers(ladder));
    problem->inputs = ladder->operation.create(size, seed, error);
    if (problem->inputs == NULL)
        return false;
    if (ladder->operation.verify != NULL)
        return true;
    problem->outputs = ladder->operation.outputs(size);
    problem->want = array_try_create(problem->outputs, sizeof(double), error);
    problem->tolerance = problem->want ? array_try_create(problem->outputs, sizeof(double), error) : NULL;
    if (problem->tolerance == NULL) {
        problem_free(problem);
        return false;
    }
    problem->output = guarded_create(problem->outputs);
    ladder->operation.reference(problem->inputs, problem->want, problem->tolerance);
    return true;
}

void
problem_free(Problem *problem)
{
    if (problem->inputs != NULL)
        problem->ladder->operation.destroy(problem->inputs);
    array_free(problem->want);
    array_free(problem->tolerance);
    guarded_free(&problem->output);
    *problem = (Problem){0};
}

void
problem_refresh(Problem *problem, uint64_t round)
{
    problem->ladder->operation.refresh(problem->inputs, round);
    if (problem->ladder->operation.verify == NULL)
        problem->ladder->operation.reference(problem->inputs, problem->want, problem->tolerance);
}

void
problem_run(Problem *problem, const Rung *rung)
{
    problem->written = rung->floats ? OUTPUT_FLOAT : problem->ladder->operation.output;
    problem->last = rung;
    if (problem->ladder->operation.run != NULL)
        problem->ladder->operation.run(rung, problem->inputs);
    else
        problem->ladder->operation.call(rung->function, problem->inputs, problem->output.x);
}

void
problem_prepare(Problem *problem, const Rung *rung)
{
    if (rung->prepare != NULL)
        rung->prepare(problem->inputs);
}

void
problem_begin(Problem *problem)
{
    if (problem->output.base != NULL)
        guarded_poison(&problem->output);
    if (problem->ladder->operation.begin != NULL)
        problem->ladder->operation.begin(problem->inputs, problem->output.x);
}

/* Within the tolerance times the factor that the rung is given. */
static Verdict
compare_floats(const Problem *problem)
{
    const Rung *rung = problem->last;
    if (rung == NULL || rung->tolerance_factor == NULL)
        return verify_within(problem->output.x, problem->want, problem->tolerance, problem->outputs);
    const double times = rung->tolerance_factor(problem->size);
    double *tolerance = ARRAY(double, problem->outputs);
    for (size_t i = 0; i < problem->outputs; i++)
        tolerance[i] = times * problem->tolerance[i];
    const Verdict verdict = verify_within(problem->output.x, problem->want, tolerance, problem->outputs);
    array_free(tolerance);
    return verdict;
}

Verdict
problem_compare(const Problem *problem)
{
    if (problem->ladder->operation.verify != NULL)
        return problem->ladder->operation.verify(problem->last, problem->inputs);
    if (problem->ladder->operation.begin != NULL)
        problem->ladder->operation.reference(problem->inputs, problem->want, problem->tolerance);
    if (problem->last != NULL && problem->last->fetch != NULL)
        problem->last->fetch(problem->inputs, problem->output.x);
    Verdict verdict = problem->written == OUTPUT_INT32
                          ? verify_integers(problem->output.x, problem->want, problem->outputs)
                          : compare_floats(problem);
    verdict.overrun = !guarded_intact(&problem->output);
    return verdict;
}

Verdict
problem_verify(Problem *problem, const Rung *rung)
{
    problem_prepare(problem, rung);
    problem_begin(problem);
    problem_run(problem, rung);
    return problem_compare(problem);
}
