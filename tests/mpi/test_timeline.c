/* The picture of a step: its spans, and where gnuplot draws them. Needs no ranks.
 * SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "mpi/model/timeline.h"
#include "tests/testing.h"

enum { ROOM = 1 << 18, DEPTH = 64 };

/* The instance of test_merge.c, in milliseconds: groups {4, 3}, {2, 1}. */
static const double backward[] = {4e-3, 3e-3, 2e-3, 1e-3}, bytes[] = {1e-3, 2e-3, 3e-3, 4e-3};
static const AllReduceLine line = {3e-3, 0.5};

static void
predict(Timeline *timeline, bool wait_free, const char *const *names)
{
    static Step step;
    const StepCase what = {4, 5e-3, backward, bytes, 0.5e-3, all_reduce_line(&line)};
    (wait_free ? step_wfbp : merge_optimal)(&what, &step);
    timeline_of_step(timeline, &step, names);
}

TEST(spans_of_a_predicted_step)
{
    static const struct {
        TimelineRow row;
        double begin, end;
        const char *label;
    } want[] = {{TIMELINE_FORWARD, 0, 5, "forward"},
                {TIMELINE_BACKWARD, 5, 6, "fc2"},
                {TIMELINE_BACKWARD, 6, 8, "fc1"},
                {TIMELINE_BACKWARD, 8, 11, "conv2"},
                {TIMELINE_BACKWARD, 11, 15, "conv1"},
                {TIMELINE_ALL_REDUCE, 8, 14.5, "fc2 fc1"},
                {TIMELINE_ALL_REDUCE, 15, 19.5, "conv2 conv1"},
                {TIMELINE_UPDATE, 19.5, 20, "update"}};
    static const char *const names[] = {"conv1", "conv2", "fc1", "fc2"};
    Timeline timeline = {.name = "predicted"};
    ck_assert_double_eq(timeline_seconds(&timeline), 0);
    predict(&timeline, false, names);
    ck_assert_int_eq(timeline.count, 8);
    for (int i = 0; i < timeline.count; i++) {
        const TimelineSpan *got = &timeline.span[i];
        ck_assert_int_eq(got->row, want[i].row);
        ck_assert_double_eq_tol(1e3 * got->begin, want[i].begin, 1e-9);
        ck_assert_double_eq_tol(1e3 * got->end, want[i].end, 1e-9);
        ck_assert_str_eq(got->label, want[i].label);
    }
    ck_assert_double_eq_tol(timeline_seconds(&timeline), 20e-3, 1e-12);
    timeline_free(&timeline);
    ck_assert_int_eq(timeline.count, 0);
    predict(&timeline, true, NULL);
    ck_assert_int_eq(timeline.count, 10);
    ck_assert_str_eq(timeline.span[5].label, "4");
    timeline_free(&timeline);
}

TEST(spans_are_kept_in_order)
{
    Timeline timeline = {.name = "many"};
    for (int i = 0; i < 100; i++)
        timeline_add(&timeline, TIMELINE_BACKWARD, 7 + i, 8 + i, "layer %d of a name that is much too long for it", i);
    ck_assert_int_eq(timeline.count, 100);
    for (int i = 0; i < 100; i++)
        ck_assert_double_eq(timeline.span[i].begin, 7 + i);
    ck_assert_int_eq(strlen(timeline.span[99].label), TIMELINE_LABEL - 1);
    ck_assert_double_eq(timeline_seconds(&timeline), 100);
    timeline_free(&timeline);
}

static void
read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, ROOM - 1, file);
    fclose(file);
    text[size] = '\0';
}

/* Every tag that is opened is closed, in the right order. */
static void
assert_well_formed(const char *text)
{
    char open[DEPTH][16];
    int depth = 0;
    for (const char *tag = strchr(text, '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        const char *end = strchr(tag, '>');
        char name[16] = "";
        ck_assert_ptr_nonnull(end);
        if (tag[1] == '?' || tag[1] == '!' || end[-1] == '/')
            continue;
        sscanf(tag + (tag[1] == '/' ? 2 : 1), "%15[A-Za-z]", name);
        if (tag[1] != '/') {
            ck_assert_int_lt(depth, DEPTH);
            snprintf(open[depth++], sizeof open[0], "%s", name);
        } else {
            ck_assert_int_gt(depth, 0);
            ck_assert_str_eq(open[--depth], name);
        }
    }
    ck_assert_int_eq(depth, 0);
}

/* The next filled box from *text on: its corners in pixels. */
static bool
next_box(const char **text, double *x0, double *x1, double *y0, double *y1)
{
    const char *box = strstr(*text, "<polygon"), *points = box == NULL ? NULL : strstr(box, "points = '");
    if (points == NULL)
        return false;
    double x[4], y[4];
    ck_assert_int_eq(sscanf(points, "points = '%lf,%lf %lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2],
                            &y[2], &x[3], &y[3]),
                     8);
    *x0 = fmin(x[0], x[1]);
    *x1 = fmax(x[0], x[1]);
    *y0 = fmin(y[0], y[2]);
    *y1 = fmax(y[0], y[2]);
    *text = points;
    return true;
}

/* A measured timeline of any clock above a predicted one: boxes row by row, above first, as long as their spans. */
TEST(boxes_lie_where_the_spans_are)
{
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
    static const char *const names[] = {"conv1", "conv_2", "fc<1>", "fc\"2\\"};
    Timeline two[2] = {{.name = "measured"}, {.name = "predicted"}};
    predict(&two[0], true, names);
    for (int i = 0; i < two[0].count; i++) {
        two[0].span[i].begin += 1000;
        two[0].span[i].end += 1000;
    }
    predict(&two[1], false, NULL);
    const char *path = testing_path("timeline.svg");
    ck_assert_ok(timeline_svg(two, 2, "wait-free & merged", path, &error));
    static char text[ROOM];
    read_file(path, text);
    assert_well_formed(text);
    static const char *const words[] = {">measured, 23.5 ms<",
                                        ">predicted, 20.0 ms<",
                                        ">wait-free &amp; merged<",
                                        ">conv_2<",
                                        ">fc&lt;1><",
                                        ">4 3<",
                                        ">2 1<",
                                        ">backward<",
                                        "#ffffff"};
    for (size_t i = 0; i < COUNT(words); i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "no \"%s\" in the figure", words[i]);
    const double axis = 0.11 * 960, scale = (0.97 - 0.11) * 960 / 23.5e-3; /* pixels; pixels a second */
    const char *from = strstr(text, "gnuplot_plot_1");
    double x0, x1, y0, y1, last[2][TIMELINE_ROWS] = {{0}};
    ck_assert_ptr_nonnull(from);
    for (int row = 0; row < TIMELINE_ROWS; row++)
        for (int t = 0; t < 2; t++)
            for (int i = 0; i < two[t].count; i++) {
                const TimelineSpan *span = &two[t].span[i];
                const double origin = t == 0 ? 1000 : 0;
                if ((int)span->row != row)
                    continue;
                ck_assert(next_box(&from, &x0, &x1, &y0, &y1));
                ck_assert_double_eq_tol(x0, axis + scale * (span->begin - origin), 0.1);
                ck_assert_double_eq_tol(x1, axis + scale * (span->end - origin), 0.1);
                ck_assert(y0 > 0 && y1 > y0 && y1 < 40 + 50 + 30 * 10);
                ck_assert(last[t][row] == 0 || last[t][row] == y0);
                last[t][row] = y0;
            }
    ck_assert(!next_box(&from, &x0, &x1, &y0, &y1));
    for (int i = 1; i < 2 * TIMELINE_ROWS;
         i++) /* rows stand one below the other, and the predicted below the measured */
        ck_assert_double_gt(last[i / TIMELINE_ROWS][i % TIMELINE_ROWS],
                            last[(i - 1) / TIMELINE_ROWS][(i - 1) % TIMELINE_ROWS] + 20);
    timeline_free(&two[0]);
    timeline_free(&two[1]);
}

TEST(nothing_is_not_drawn)
{
    Timeline empty = {.name = "empty"};
    ck_assert_refused(timeline_svg(&empty, 1, "nothing", testing_path("nothing.svg"), &error), "nothing to draw");
    timeline_add(&empty, TIMELINE_FORWARD, 2, 2, "no time");
    ck_assert(!timeline_svg(&empty, 1, "nothing", testing_path("nothing.svg"), &error));
    timeline_free(&empty);
}

TEST_MAIN("timeline")
