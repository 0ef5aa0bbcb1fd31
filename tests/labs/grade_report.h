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

/* One test, and why it failed, unless the one before (may be NULL) was not solved for the same reason. */
void grade_table_row(const GradeResult *result, const GradeResult *before);

/* The points by exercise, the expected time, and what to do next. */
void grade_table_end(const GradeLab *lab, const GradeResult *results, size_t count, const GradeExercises *exercises);

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* One row for each result, behind the rows of other labs in `others` (an earlier results.json, may be NULL). */
cJSON *grade_report_json(const GradeResult *results, size_t count, const cJSON *others);

/* One <testsuite> for each lab. */
bool grade_report_junit(const char *path, const cJSON *report, Error *error);

/* Is this a results.json, each score a number from 0 to max_score, each status in line with it? Adds the points up. */
bool grade_report_points(const cJSON *report, double *score, double *max_score, Error *error);

#endif
