/* JUnit XML, made from a results.json.
 * SPDX-License-Identifier: MIT */
#include "core/atomic_file.h"
#include "grade_report.h"
#include <stdio.h>
#include <string.h>

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
    fprintf(out, "    <testcase classname=\"lab%s\" name=\"", grade_report_lab(row));
    write_xml(out, grade_report_text(row, "name"));
    fprintf(out, "\" time=\"%.3f\"", grade_report_seconds(row));
    if (strcmp(grade_report_text(row, "status"), "passed") == 0) {
        fputs("/>\n", out);
        return;
    }
    double got = grade_report_number(row, "score");
    fprintf(out, ">\n      <%s message=\"", grade_report_is_noisy(row) ? "skipped" : "failure");
    if (got > 0)
        fprintf(out, "%g of %g points: ", got, grade_report_number(row, "max_score"));
    write_xml(out, grade_report_text(row, "output"));
    fputs("\"/>\n    </testcase>\n", out);
}

/* The rows from `row` on that belong to the same lab. Returns the first row that does not. */
static const cJSON *
write_suite(FILE *out, const cJSON *row)
{
    const char *lab = grade_report_lab(row);
    int tests = 0, failures = 0, skipped = 0;
    double seconds = 0;
    for (const cJSON *r = row; r && strcmp(grade_report_lab(r), lab) == 0; r = r->next) {
        tests++;
        skipped += grade_report_is_noisy(r);
        failures += !grade_report_is_noisy(r) && strcmp(grade_report_text(r, "status"), "passed") != 0;
        seconds += grade_report_seconds(r);
    }
    fprintf(out,
            "  <testsuite name=\"lab %s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
            lab, tests, failures, skipped, seconds);
    for (; row && strcmp(grade_report_lab(row), lab) == 0; row = row->next)
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
