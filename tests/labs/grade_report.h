/* What a grading leaves behind: a table on stdout, results.json as Gradescope reads it, JUnit XML.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_GRADE_REPORT_H
#define TESTS_LABS_GRADE_REPORT_H

#include "core/error.h"
#include "grade_run.h"
#include <cjson/cJSON.h>

/* An exercise as its mark in the reference file describes it: a line of the list that tools/labs_list.sh makes. */
typedef struct GradeExercise {
    char number[16]; /* "02.3" */
    int minutes;
    char file[256]; /* the student's */
    char title[128];
} GradeExercise;

typedef struct GradeExercises {
    GradeExercise *items;
    size_t count;
} GradeExercises;

/* Lines of number, minutes, lines, reference, student's file, title, with tabs between. Free the items with array_free. */
bool grade_exercises_read(const char *path, GradeExercises *exercises, Error *error);

/* ---- table --------------------------------------------------------------------------------------------------------- */

void grade_table_begin(const GradeLab *lab);

/* Test results[i], and why it failed, unless a test before it failed for the same reason: that is said once. */
void grade_table_row(const GradeResult *results, size_t i);

/* The points by exercise, the expected time, and what to do next. */
void grade_table_end(const GradeLab *lab, const GradeResult *results, size_t count, const GradeExercises *exercises);

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* One row for each result, behind the rows of other labs in `others` (an earlier results.json, may be NULL). A test that was
 * too noisy has a row without a score; the sum at the top ("score", which Gradescope then takes instead of its own) is scaled so
 * that full points for the rest are full points. */
cJSON *grade_report_json(const GradeResult *results, size_t count, const cJSON *others);

/* One <testsuite> for each lab: grade_junit.c. JUnit knows no parts of points: less than all is a failure, too noisy is skipped. */
bool grade_report_junit(const char *path, const cJSON *report, Error *error);

typedef struct GradeSum {
    double got, most;
    double noisy; /* points of tests that were too noisy, in neither of the two */
} GradeSum;

/* Is this a results.json, each score a number from 0 to max_score, each status in line with it? Adds the points up. */
bool grade_report_sum(const cJSON *report, GradeSum *sum, Error *error);

/* The row of a test that was too noisy. */
bool grade_report_is_noisy(const cJSON *row);

/* Strings and numbers of a row, and of its extra_data; "" and 0 if they are not there. */
const char *grade_report_text(const cJSON *row, const char *name);
double grade_report_number(const cJSON *row, const char *name);
const char *grade_report_lab(const cJSON *row);
double grade_report_seconds(const cJSON *row);

#endif
