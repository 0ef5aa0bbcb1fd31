/* The table that a student reads, and the list of exercises that it takes titles and times from.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "grade_report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies the next of the fields between tabs, cut to size; false if there is none. */
static bool
next_field(char **line, char *field, size_t size)
{
    char *text = strsep(line, "\t\n");
    if (text == NULL)
        return false;
    snprintf(field, size, "%s", text);
    return true;
}

static bool
read_exercise(char *line, GradeExercise *exercise)
{
    char minutes[16], skipped[256];
    bool ok = next_field(&line, exercise->number, sizeof(exercise->number)) &&
              next_field(&line, minutes, sizeof(minutes)) && next_field(&line, skipped, sizeof(skipped)) &&
              next_field(&line, skipped, sizeof(skipped)) &&
              next_field(&line, exercise->file, sizeof(exercise->file)) &&
              next_field(&line, exercise->title, sizeof(exercise->title));
    exercise->minutes = ok ? atoi(minutes) : 0;
    return ok;
}

bool
grade_exercises_read(const char *path, GradeExercises *exercises, Error *error)
{
    enum { MOST = 1000, LONGEST = 1024 };
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return error_set(error, "%s: %s", path, strerror(errno));
    *exercises = (GradeExercises){.items = ARRAY(GradeExercise, MOST)};
    char line[LONGEST];
    bool ok = true;
    while (ok && exercises->count < MOST && fgets(line, sizeof(line), file)) {
        ok = read_exercise(line, &exercises->items[exercises->count]);
        exercises->count += ok;
    }
    fclose(file);
    return ok || error_set(error, "%s:%zu: expected number, minutes, lines, reference, file, title with tabs between",
                           path, exercises->count + 1);
}

/* ---- table --------------------------------------------------------------------------------------------------------- */

typedef enum Colour { PLAIN, RED = 31, GREEN = 32, YELLOW = 33 } Colour;

static void
colour(Colour which)
{
    static int wanted = -1;
    if (wanted < 0)
        wanted = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    if (wanted)
        printf("\033[%dm", (int)which);
}

void
grade_table_begin(const GradeLab *lab)
{
    printf("\nLab %s: %s\n\n  %-6s %-50s %9s %9s\n", lab->number, lab->title, "", "test", "points", "time");
}

/* Each line of text behind `margin`. */
static void
print_lines(const char *margin, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("%s%.*s\n", margin, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* The last `most` lines of text. */
static const char *
last_lines(const char *text, int most)
{
    const char *start = text + strlen(text);
    for (int lines = 0; start > text; start--)
        if (start[-1] == '\n' && start[0] != '\0' && ++lines == most)
            break;
    return start;
}

/* A failed test of an exercise that test i says it uses; NULL if there is none. */
static const GradeResult *
find_cause(const GradeResult *results, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (results[j].lab == results[i].lab && results[j].outcome > GRADE_NOISY &&
            strstr(results[i].test->title, results[j].test->exercise))
            return &results[j];
    return NULL;
}

/* The same sentence, or the same exercise with nothing written. */
static bool
same_failure(const GradeResult *a, const GradeResult *b)
{
    if (a->lab != b->lab || a->outcome != b->outcome)
        return false;
    bool same_exercise = strcmp(a->test->exercise, b->test->exercise) == 0;
    return strcmp(a->reason, b->reason) == 0 || (same_exercise && a->unwritten && b->unwritten);
}

/* Why test i has not all points; a test before it may have said so. */
static void
print_reason(const GradeResult *results, size_t i)
{
    const GradeResult *result = &results[i], *cause = find_cause(results, i);
    for (size_t j = 0; j < i && !grade_passed(result) && !(cause && result->unwritten); j++)
        if (same_failure(&results[j], result)) {
            if (result->outcome != GRADE_UNSOLVED)
                printf("         as above\n");
            return;
        }
    print_lines("         ", result->reason);
    if (!grade_passed(result) && !result->timed)
        print_lines("         | ", last_lines(result->output, 10));
    if (cause && result->outcome != GRADE_UNSOLVED)
        printf("         It uses %s, which is not right yet: look there first.\n", cause->test->exercise);
}

void
grade_table_row(const GradeResult *results, size_t i)
{
    const GradeResult *result = &results[i];
    bool passed = grade_passed(result), noisy = result->outcome == GRADE_NOISY;
    char points[32];
    if (noisy)
        snprintf(points, sizeof(points), "-/%d", result->test->points);
    else
        snprintf(points, sizeof(points), "%g/%d", grade_points(result), result->test->points);
    printf("  %-6s %-50s ", result->test->exercise, result->test->title);
    colour(passed ? GREEN : noisy || result->outcome == GRADE_UNSOLVED ? YELLOW : RED);
    printf("%9s", points);
    colour(PLAIN);
    printf(" %7.2f s\n", result->seconds);
    if (result->reason[0] != '\0')
        print_reason(results, i);
    fflush(stdout);
}

/* Points of the tests of one exercise, or of the whole lab if number is NULL. */
static GradeSum
add_points(const GradeLab *lab, const GradeResult *results, size_t count, const char *number)
{
    GradeSum sum = {0};
    for (size_t i = 0; i < count; i++) {
        if (results[i].lab != lab || (number && strcmp(results[i].test->exercise, number) != 0))
            continue;
        sum.most += grade_most_points(&results[i]);
        sum.got += grade_points(&results[i]);
        sum.noisy += results[i].test->points - grade_most_points(&results[i]);
    }
    return sum;
}

static void
summary_row(const char *number, const char *title, GradeSum sum, int minutes)
{
    char points[64];
    snprintf(points, sizeof(points), "%g/%g", sum.got, sum.most);
    printf("  %-6s %-50s ", number, title);
    colour(sum.got == sum.most ? GREEN : PLAIN);
    printf("%9s", points);
    colour(PLAIN);
    printf(" %5d min\n", minutes);
}

void
grade_table_end(const GradeLab *lab, const GradeResult *results, size_t count, const GradeExercises *exercises)
{
    int minutes = 0, left = 0;
    const GradeExercise *next = NULL;
    printf("\n  %-6s %-50s %9s %9s\n", "", "exercise", "points", "expected");
    for (size_t i = 0; i < exercises->count; i++) {
        const GradeExercise *exercise = &exercises->items[i];
        GradeSum sum = add_points(lab, results, count, exercise->number);
        if (sum.most + sum.noisy == 0) /* another lab's, or not chosen */
            continue;
        summary_row(exercise->number, exercise->title, sum, exercise->minutes);
        minutes += exercise->minutes;
        left += sum.got < sum.most ? exercise->minutes : 0;
        next = next == NULL && sum.got < sum.most ? exercise : next;
    }
    GradeSum sum = add_points(lab, results, count, NULL);
    summary_row("", "total", sum, minutes);
    if (sum.noisy > 0)
        printf("\n  Another %g points were too noisy to grade: neither won nor lost. Grade again when the machine is "
               "quiet.\n",
               sum.noisy);
    if (next)
        printf("\n  Next: exercise %s in %s, about %d min in all for what is left.  make hint LAB=%s\n", next->number,
               next->file, left, next->number);
    fflush(stdout);
}
