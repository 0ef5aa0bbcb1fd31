/* results.json, as Gradescope reads it (github.com/gradescope/autograder_samples, specs.md), and JUnit XML made from it.
 * SPDX-License-Identifier: MIT */
#include "core/atomic_file.h"
#include "core/checked.h"
#include "grade_report.h"
#include <math.h>
#include <string.h>

static const char *const outcome_names[] = {
    [GRADE_NOT_RUN] = "not run", [GRADE_PASSED] = "passed",   [GRADE_WRONG] = "wrong", [GRADE_UNSOLVED] = "not solved",
    [GRADE_CRASHED] = "crashed", [GRADE_ENDLESS] = "endless", [GRADE_ENDED] = "ended", [GRADE_BROKEN] = "broken",
};

/* To the microsecond: more digits would only be noise. */
static double
rounded(double seconds)
{
    return round(seconds * 1e6) / 1e6;
}

/* cJSON gives NULL when there is no memory, which nobody here can mend. */
static cJSON *
some(cJSON *item)
{
    CHECK_THAT(item != NULL, "no memory for the results");
    return item;
}

static cJSON *
result_json(const GradeResult *result)
{
    char name[160], output[GRADE_REASON + GRADE_OUTPUT + 64];
    bool passed = result->outcome == GRADE_PASSED;
    snprintf(name, sizeof(name), "%s  %s", result->test->exercise, result->test->title);
    snprintf(output, sizeof(output), "%s%s%s", passed ? "right" : result->reason,
             !passed && result->output[0] ? "\n\nThe end of what the program printed:\n" : "",
             passed ? "" : result->output);

    cJSON *row = some(cJSON_CreateObject()), *extra = some(cJSON_CreateObject());
    cJSON_AddNumberToObject(row, "score", passed ? result->test->points : 0);
    cJSON_AddNumberToObject(row, "max_score", result->test->points);
    cJSON_AddStringToObject(row, "status", passed ? "passed" : "failed");
    cJSON_AddStringToObject(row, "name", name);
    cJSON_AddStringToObject(row, "number", result->test->exercise);
    cJSON_AddStringToObject(row, "output", output);
    cJSON_AddStringToObject(row, "visibility", "visible");
    cJSON_AddStringToObject(extra, "lab", result->lab->number);
    cJSON_AddStringToObject(extra, "outcome", outcome_names[result->outcome]);
    cJSON_AddNumberToObject(extra, "seconds", rounded(result->seconds));
    cJSON_AddItemToObject(row, "extra_data", extra);
    return row;
}

static const char *
text_of(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double
number_of(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *
lab_of(const cJSON *row)
{
    return text_of(cJSON_GetObjectItemCaseSensitive(row, "extra_data"), "lab");
}

static double
seconds_of(const cJSON *row)
{
    return number_of(cJSON_GetObjectItemCaseSensitive(row, "extra_data"), "seconds");
}

static bool
is_graded_here(const cJSON *row, const GradeResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(lab_of(row), results[i].lab->number) == 0)
            return true;
    return false;
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
        seconds += seconds_of(row);
    }
    for (size_t i = 0; i < count; i++) {
        cJSON_AddItemToArray(tests, result_json(&results[i]));
        seconds += results[i].seconds;
    }
    cJSON_AddNumberToObject(report, "execution_time", rounded(seconds));
    cJSON_AddStringToObject(report, "visibility", "visible");
    cJSON_AddStringToObject(report, "stdout_visibility", "visible");
    cJSON_AddItemToObject(report, "tests", tests);
    return report;
}

bool
grade_report_points(const cJSON *report, double *score, double *max_score, Error *error)
{
    const cJSON *tests = cJSON_GetObjectItemCaseSensitive(report, "tests"), *row;
    *score = *max_score = 0;
    if (!cJSON_IsArray(tests))
        return error_set(error,
                         "there is no array \"tests\"; expected a results.json as `make grade JSON=FILE` writes it");
    cJSON_ArrayForEach(row, tests)
    {
        const cJSON *got = cJSON_GetObjectItemCaseSensitive(row, "score");
        const cJSON *most = cJSON_GetObjectItemCaseSensitive(row, "max_score");
        const char *status = text_of(row, "status"), *number = text_of(row, "number");
        if (!cJSON_IsNumber(got) || !cJSON_IsNumber(most) ||
            !(got->valuedouble >= 0 && got->valuedouble <= most->valuedouble))
            return error_set(error, "test \"%s\" has no score between 0 and its max_score", number);
        bool full = got->valuedouble == most->valuedouble;
        if (strcmp(status, full ? "passed" : "failed") != 0 || *number == '\0' || *text_of(row, "name") == '\0')
            return error_set(error, "test \"%s\": status \"%s\" does not fit its score, or name or number is missing",
                             number, status);
        *score += got->valuedouble;
        *max_score += most->valuedouble;
    }
    return true;
}

/* ---- JUnit --------------------------------------------------------------------------------------------------------- */

/* The text is clean already (grade_clean): only the letters that mean something in XML are left to be written otherwise. */
static void
write_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<'    ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '&'  ? "&amp;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\n' ? "&#10;"
                                             : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

static void
write_testcase(FILE *out, const cJSON *row)
{
    fprintf(out, "    <testcase classname=\"lab%s\" name=\"", lab_of(row));
    write_xml(out, text_of(row, "name"));
    fprintf(out, "\" time=\"%.3f\"", seconds_of(row));
    if (strcmp(text_of(row, "status"), "passed") == 0) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n      <failure message=\"", out);
    write_xml(out, text_of(row, "output"));
    fputs("\"/>\n    </testcase>\n", out);
}

/* The rows from `row` on that belong to the same lab. Returns the first row that does not. */
static const cJSON *
write_suite(FILE *out, const cJSON *row)
{
    const char *lab = lab_of(row);
    int tests = 0, failures = 0;
    double seconds = 0;
    for (const cJSON *r = row; r && strcmp(lab_of(r), lab) == 0; r = r->next) {
        tests++;
        failures += strcmp(text_of(r, "status"), "passed") != 0;
        seconds += seconds_of(r);
    }
    fprintf(out,
            "  <testsuite name=\"lab %s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"0\" time=\"%.3f\">\n",
            lab, tests, failures, seconds);
    for (; row && strcmp(lab_of(row), lab) == 0; row = row->next)
        write_testcase(out, row);
    fputs("  </testsuite>\n", out);
    return row;
}

bool
grade_report_junit(const char *path, const cJSON *report, Error *error)
{
    AtomicFile file;
    if (!atomic_open(&file, path, error))
        return false;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file.stream);
    const cJSON *tests = cJSON_GetObjectItemCaseSensitive(report, "tests");
    for (const cJSON *row = tests ? tests->child : NULL; row;)
        row = write_suite(file.stream, row);
    fputs("</testsuites>\n", file.stream);
    return atomic_commit(&file, error);
}
