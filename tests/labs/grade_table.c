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

void
grade_table_row(const GradeResult *result, const GradeResult *before)
{
    bool passed = result->outcome == GRADE_PASSED;
    char points[32];
    snprintf(points, sizeof(points), "%d/%d", passed ? result->test->points : 0, result->test->points);
    printf("  %-6s %-50s ", result->test->exercise, result->test->title);
    colour(passed ? GREEN : result->outcome == GRADE_UNSOLVED ? YELLOW : RED);
    printf("%9s", points);
    colour(PLAIN);
    printf(" %7.2f s\n", result->seconds);
    bool said = before && result->outcome == GRADE_UNSOLVED && strcmp(result->reason, before->reason) == 0;
    if (!passed && !said) {
        print_lines("         ", result->reason);
        print_lines("         | ", last_lines(result->output, 10));
    }
    fflush(stdout);
}

/* Points of the tests of one exercise, or of the whole lab if number is NULL. */
static void
add_points(const GradeLab *lab, const GradeResult *results, size_t count, const char *number, int *got, int *most)
{
    *got = *most = 0;
    for (size_t i = 0; i < count; i++) {
        if (results[i].lab != lab || (number && strcmp(results[i].test->exercise, number) != 0))
            continue;
        *most += results[i].test->points;
        *got += results[i].outcome == GRADE_PASSED ? results[i].test->points : 0;
    }
}

static void
summary_row(const char *number, const char *title, int got, int most, int minutes)
{
    char points[32];
    snprintf(points, sizeof(points), "%d/%d", got, most);
    printf("  %-6s %-50s ", number, title);
    colour(got == most ? GREEN : PLAIN);
    printf("%9s", points);
    colour(PLAIN);
    printf(" %5d min\n", minutes);
}

void
grade_table_end(const GradeLab *lab, const GradeResult *results, size_t count, const GradeExercises *exercises)
{
    int got, most, minutes = 0, left = 0;
    const GradeExercise *next = NULL;
    printf("\n  %-6s %-50s %9s %9s\n", "", "exercise", "points", "expected");
    for (size_t i = 0; i < exercises->count; i++) {
        const GradeExercise *exercise = &exercises->items[i];
        add_points(lab, results, count, exercise->number, &got, &most);
        if (most == 0) /* another lab's, or not chosen */
            continue;
        summary_row(exercise->number, exercise->title, got, most, exercise->minutes);
        minutes += exercise->minutes;
        left += got < most ? exercise->minutes : 0;
        next = next == NULL && got < most ? exercise : next;
    }
    add_points(lab, results, count, NULL, &got, &most);
    summary_row("", "total", got, most, minutes);
    if (next)
        printf("\n  Next: exercise %s in %s, about %d min in all for what is left.  make hint LAB=%s\n", next->number,
               next->file, left, next->number);
    fflush(stdout);
}
