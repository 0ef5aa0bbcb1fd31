/* results.json, as Gradescope reads it (github.com/gradescope/autograder_samples, specs.md).
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "grade_report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const outcome_names[] = {
    [GRADE_NOT_RUN] = "not run", [GRADE_PASSED] = "passed",   [GRADE_PARTLY] = "partly",
    [GRADE_NOISY] = "too noisy", [GRADE_WRONG] = "wrong",     [GRADE_UNSOLVED] = "not solved",
    [GRADE_CRASHED] = "crashed", [GRADE_ENDLESS] = "endless", [GRADE_ENDED] = "ended",
    [GRADE_BROKEN] = "broken",
};

/* To the microsecond, or a millionth: more digits would only be noise. */
static double
rounded(double x)
{
    return round(x * 1e6) / 1e6;
}

/* cJSON gives NULL when there is no memory, which cannot be handled here. */
static cJSON *
some(cJSON *item)
{
    CHECK_THAT(item != NULL, "no memory for the results");
    return item;
}

/* What a student reads: the reason, and what the program printed if that may tell why. */
static void
add_output(cJSON *row, const GradeResult *result)
{
    char output[GRADE_REASON + GRADE_OUTPUT + 64];
    bool explain = !grade_passed(result) && !result->timed && result->output[0];
    snprintf(output, sizeof(output), "%s%s%s", result->reason[0] ? result->reason : "right",
             explain ? "\n\nThe end of what the program printed:\n" : "", explain ? result->output : "");
    cJSON_AddStringToObject(row, "output", output);
}

static cJSON *
extra_json(const GradeResult *result)
{
    cJSON *extra = some(cJSON_CreateObject());
    cJSON_AddStringToObject(extra, "lab", result->lab->number);
    cJSON_AddStringToObject(extra, "outcome", outcome_names[result->outcome]);
    cJSON_AddNumberToObject(extra, "seconds", rounded(result->seconds));
    if (result->outcome == GRADE_NOISY)
        cJSON_AddNumberToObject(extra, "points", result->test->points);
    if (result->timed) {
        cJSON *ratio = some(cJSON_AddObjectToObject(extra, "ratio"));
        cJSON_AddNumberToObject(ratio, "value", rounded(result->ratio.value));
        cJSON_AddNumberToObject(ratio, "low", rounded(result->ratio.low));
        cJSON_AddNumberToObject(ratio, "high", rounded(result->ratio.high));
    }
    return extra;
}

static cJSON *
result_json(const GradeResult *result)
{
    char name[160];
    snprintf(name, sizeof(name), "%s  %s%s", result->test->exercise, result->test->title,
             result->outcome == GRADE_NOISY ? " (too noisy to grade)" : "");
    cJSON *row = some(cJSON_CreateObject());
    if (result->outcome != GRADE_NOISY) {
        cJSON_AddNumberToObject(row, "score", grade_points(result));
        cJSON_AddNumberToObject(row, "max_score", result->test->points);
        cJSON_AddStringToObject(row, "status", grade_passed(result) ? "passed" : "failed");
    }
    cJSON_AddStringToObject(row, "name", name);
    cJSON_AddStringToObject(row, "number", result->test->exercise);
    add_output(row, result);
    cJSON_AddStringToObject(row, "visibility", "visible");
    cJSON_AddItemToObject(row, "extra_data", extra_json(result));
    return row;
}

const char *
grade_report_text(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

double
grade_report_number(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *
grade_report_lab(const cJSON *row)
{
    return grade_report_text(cJSON_GetObjectItemCaseSensitive(row, "extra_data"), "lab");
}

double
grade_report_seconds(const cJSON *row)
{
    return grade_report_number(cJSON_GetObjectItemCaseSensitive(row, "extra_data"), "seconds");
}

static bool
is_graded_here(const cJSON *row, const GradeResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(grade_report_lab(row), results[i].lab->number) == 0)
            return true;
    return false;
}

bool
grade_report_is_noisy(const cJSON *row)
{
    const cJSON *extra = cJSON_GetObjectItemCaseSensitive(row, "extra_data");
    return strcmp(grade_report_text(extra, "outcome"), outcome_names[GRADE_NOISY]) == 0;
}

/* Points that nobody could get are shared out among the others. Gradescope demands a score here if a test has none. */
static void
add_scaled_score(cJSON *report)
{
    Error error;
    GradeSum sum;
    if (!grade_report_sum(report, &sum, &error) || sum.noisy == 0)
        return;
    double scaled = sum.most > 0 ? sum.got * (sum.most + sum.noisy) / sum.most : 0;
    char text[256];
    snprintf(text, sizeof(text),
             "Tests of %g points were too noisy to grade. They neither give nor cost points: %g of the other %g points "
             "count as %.2f of %g. Grade again for a better answer.",
             sum.noisy, sum.got, sum.most, scaled, sum.most + sum.noisy);
    cJSON_AddNumberToObject(report, "score", round(100 * scaled) / 100);
    cJSON_AddStringToObject(report, "output", text);
}

cJSON *
grade_report_json(const GradeResult *results, size_t count, const cJSON *others)
{
    cJSON *report = some(cJSON_CreateObject()), *tests = some(cJSON_CreateArray());
    double seconds = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(others, "tests"))
    {
        if (is_graded_here(row, results, count))
            continue;
        cJSON_AddItemToArray(tests, some(cJSON_Duplicate(row, true)));
        seconds += grade_report_seconds(row);
    }
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(tests, result_json(&results[i]));
        seconds += results[i].seconds;
    }
    cJSON_AddNumberToObject(report, "execution_time", rounded(seconds));
    cJSON_AddStringToObject(report, "visibility", "visible");
    cJSON_AddStringToObject(report, "stdout_visibility", "visible");
    cJSON_AddItemToObject(report, "tests", tests);
    add_scaled_score(report);
    return report;
}

static bool
add_row(const cJSON *row, GradeSum *sum, Error *error)
{
    const cJSON *got = cJSON_GetObjectItemCaseSensitive(row, "score");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(row, "max_score");
    const char *status = grade_report_text(row, "status"), *number = grade_report_text(row, "number");
    if (*number == '\0' || *grade_report_text(row, "name") == '\0')
        return error_set(error, "a test has no number or no name");
    if (grade_report_is_noisy(row)) {
        sum->noisy += grade_report_number(cJSON_GetObjectItemCaseSensitive(row, "extra_data"), "points");
        return (!got && !most && !*status) ||
               error_set(error, "test \"%s\" is too noisy to grade, but has a score or a status", number);
    }
    if (!cJSON_IsNumber(got) || !cJSON_IsNumber(most) ||
        !(got->valuedouble >= 0 && got->valuedouble <= most->valuedouble))
        return error_set(error, "test \"%s\" has no score between 0 and its max_score", number);
    if (strcmp(status, got->valuedouble == most->valuedouble ? "passed" : "failed") != 0)
        return error_set(error, "test \"%s\": status \"%s\" does not fit its score", number, status);
    sum->got += got->valuedouble;
    sum->most += most->valuedouble;
    return true;
}

bool
grade_report_sum(const cJSON *report, GradeSum *sum, Error *error)
{
    const cJSON *tests = cJSON_GetObjectItemCaseSensitive(report, "tests"), *row;
    *sum = (GradeSum){0};
    if (!cJSON_IsArray(tests))
        return error_set(error,
                         "there is no array \"tests\"; expected a results.json as `make grade JSON=FILE` writes it");
    cJSON_ArrayForEach(row, tests)
    {
        if (!add_row(row, sum, error))
            return false;
    }
    return true;
}
