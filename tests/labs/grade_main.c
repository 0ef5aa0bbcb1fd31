/* The program behind `make grade`: runs the tests of the labs that are linked in. tools/labs_grade.sh builds and calls it.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/json.h"
#include "core/options.h"
#include "grade_report.h"
#include "grade_run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char *exercises, *lab, *only, *json, *junit, *broken, *finished, *check, *ranks;
    uint64_t seed;
    bool quiet, shipped;
} options = {.seed = 1};

static const Option table[] = {
    {"exercises", OPTION_STRING, &options.exercises, "FILE", "titles and times of the exercises"},
    {"lab", OPTION_STRING, &options.lab, "02", "the tests of one lab"},
    {"only", OPTION_STRING, &options.only, "02.3", "the tests of one exercise"},
    {"seed", OPTION_SIZE, &options.seed, "N", "the random inputs of the tests"},
    {"json", OPTION_STRING, &options.json, "FILE", "results for Gradescope; rows of other labs in FILE are kept"},
    {"junit", OPTION_STRING, &options.junit, "FILE", "results as JUnit XML"},
    {"quiet", OPTION_FLAG, &options.quiet, NULL, "no table"},
    {"broken", OPTION_STRING, &options.broken, "FILE", "run nothing, give 0 points, and FILE as the reason"},
    {"shipped", OPTION_FLAG, &options.shipped, NULL, "succeed if each exercise is unsolved and says so itself"},
    {"finished", OPTION_STRING, &options.finished, "FILE", "made at the end: student's code may end this program"},
    {"check", OPTION_STRING, &options.check, "FILE", "run nothing, check FILE and add its points up"},
    {"ranks", OPTION_STRING, &options.ranks, "WHAT", "a test's work on one of several ranks: tests start this"},
    {0}};
static const Command command = {
    .name = "grade", .positional = "", .summary = "grade the labs that are linked in", .options = table};

static int
usage(const char *sentence)
{
    fprintf(stderr, "grade: %s\n", sentence);
    return 2;
}

/* --check: the sum over all labs, and the JUnit file if one is wanted. */
static int
check_file(void)
{
    Error error;
    GradeSum sum;
    cJSON *report = json_read(options.check, &error);
    bool ok = report && grade_report_sum(report, &sum, &error) &&
              (options.junit == NULL || grade_report_junit(options.junit, report, &error));
    cJSON_Delete(report);
    if (!ok) {
        fprintf(stderr, "grade: %s: %s\n", options.check, error.text);
        return 1;
    }
    if (!options.quiet)
        printf("\nAll labs: %g of %g points\n", sum.got, sum.most);
    if (!options.quiet && sum.noisy > 0)
        printf("  Another %g points were too noisy to grade.\n", sum.noisy);
    return sum.got == sum.most && sum.most > 0 ? 0 : 1;
}

/* All selected tests, not run yet. */
static GradeResult *
plan(size_t *count)
{
    *count = 0;
    for (const GradeLab *lab = grade_labs(); lab; lab = lab->next)
        *count += lab->count;
    GradeResult *results = ARRAY(GradeResult, *count);
    *count = 0;
    for (const GradeLab *lab = grade_labs(); lab; lab = lab->next)
        for (size_t i = 0; i < lab->count; i++) {
            if ((options.lab && strcmp(options.lab, lab->number) != 0) ||
                (options.only && strcmp(options.only, lab->tests[i].exercise) != 0))
                continue;
            results[*count] = (GradeResult){.lab = lab, .test = &lab->tests[i], .reason = "it was not run"};
            (*count)++;
        }
    return results;
}

/* Called before the first test and after each one: whatever ends this program, a valid file is left. */
static bool
write_json(const GradeResult *results, size_t count, const cJSON *others)
{
    if (options.json == NULL)
        return true;
    Error error;
    cJSON *report = grade_report_json(results, count, others);
    bool ok = json_write(options.json, report, &error);
    cJSON_Delete(report);
    if (!ok)
        fprintf(stderr, "grade: %s\n", error.text);
    return ok;
}

/* Why nothing can be run: the end of the compiler's messages, the same for each test. */
static bool
read_broken(GradeResult *results, size_t count)
{
    char text[GRADE_REASON];
    FILE *file = fopen(options.broken, "r");
    if (file == NULL)
        return false;
    size_t length = fread(text, 1, sizeof(text) - 1, file); /* the first message matters most */
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        grade_clean(text, length, results[i].reason, sizeof(results[i].reason));
        results[i].outcome = GRADE_BROKEN;
    }
    return true;
}

/* The number of a test that nobody else has, so that its random inputs are its own also with --only. */
static uint64_t
stream_of(const GradeResult *result)
{
    uint64_t lab = 0;
    for (const GradeLab *l = grade_labs(); l && l != result->lab; l = l->next)
        lab++;
    return lab * 1000 + (uint64_t)(result->test - result->lab->tests);
}

static bool
run_all(GradeResult *results, size_t count, const cJSON *others, const GradeExercises *exercises)
{
    for (size_t i = 0; i < count; i++) {
        const GradeLab *lab = results[i].lab;
        if (!options.quiet && (i == 0 || results[i - 1].lab != lab))
            grade_table_begin(lab);
        if (options.broken == NULL)
            results[i] = grade_run(lab, results[i].test, stream_of(&results[i]));
        if (!write_json(results, count, others))
            return false;
        if (!options.quiet && options.broken == NULL)
            grade_table_row(results, i);
        if (!options.quiet && (i + 1 == count || results[i + 1].lab != lab))
            grade_table_end(lab, results, count, exercises);
    }
    return true;
}

/* The test met its own exercise unsolved, or one that its title says it uses. */
static bool
is_shipped(const GradeResult *result)
{
    return result->outcome == GRADE_UNSOLVED &&
           (strcmp(result->unsolved, result->test->exercise) == 0 || strstr(result->test->title, result->unsolved));
}

static bool
all_shipped(const GradeResult *results, size_t count)
{
    bool ok = count > 0;
    for (size_t i = 0; i < count; i++)
        if (!is_shipped(&results[i])) {
            fprintf(stderr, "grade: the skeleton of %s (%s) does not fail as `not solved`, but: %s\n",
                    results[i].test->exercise, results[i].test->title,
                    results[i].outcome == GRADE_PASSED ? "it passes" : results[i].reason);
            ok = false;
        }
    return ok;
}

/* Full points for all that could be graded. */
static bool
all_passed(const GradeResult *results, size_t count)
{
    size_t passed = 0, noisy = 0;
    for (size_t i = 0; i < count; i++) {
        passed += grade_passed(&results[i]);
        noisy += results[i].outcome == GRADE_NOISY;
    }
    return passed > 0 && passed + noisy == count;
}

static int
grade(void)
{
    Error error;
    GradeExercises exercises = {0};
    if (options.exercises && !grade_exercises_read(options.exercises, &exercises, &error))
        return usage(error.text);
    size_t count;
    GradeResult *results = plan(&count);
    if (count == 0)
        return usage("no test for that exercise is linked in");
    if (options.broken && !read_broken(results, count))
        return usage("the file of --broken cannot be read");
    cJSON *others = options.json ? json_read(options.json, NULL) : NULL; /* none yet is fine */
    bool ok = write_json(results, count, others) && run_all(results, count, others, &exercises);
    cJSON_Delete(others);
    ok = ok && (options.shipped ? all_shipped(results, count) : all_passed(results, count));
    array_free(results);
    array_free(exercises.items);
    return ok ? 0 : 1;
}

int
main(int argc, char **argv)
{
    int positional;
    OptionsResult parsed = options_parse(&command, argc, argv, &positional);
    if (parsed != OPTIONS_OK)
        return parsed == OPTIONS_HELP ? 0 : 2;
    if (options.ranks)
        return grade_ranks ? grade_ranks(options.ranks) : usage("no lab that is linked in works on several ranks");
    grade_start(options.seed);
    int status = options.check ? check_file() : grade();
    FILE *finished = options.finished ? fopen(options.finished, "w") : NULL;
    if (finished) {
        fprintf(finished, "%d\n", status);
        fclose(finished);
    }
    return status;
}
