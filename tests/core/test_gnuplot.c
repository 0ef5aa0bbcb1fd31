/* Figures: a file that appears whole, or not at all and with a sentence.
 * SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "tests/capture.h"
#include "tests/testing.h"
#include <unistd.h>

static void
need_gnuplot(void)
{
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
}

/* The whole file as text, at most 64 KiB; "" if there is none. */
static const char *
contents(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    text[file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

TEST(draws_svg)
{
    need_gnuplot();
    const char *path = testing_path("figure.svg");
    Gnuplot plot;
    ck_assert_ok(gnuplot_open(&plot, path, 300, 200, &error));
    fprintf(plot.script, "set title ");
    gnuplot_text(&plot, "Ann's\nbook; exit");
    fprintf(plot.script, "\nplot x*x\n");
    ck_assert_int_ne(access(path, F_OK), 0); /* not before it is whole */
    ck_assert_ok(gnuplot_close(&plot, &error));
    const char *svg = contents(path);
    ck_assert_ptr_nonnull(strstr(svg, "<svg"));
    ck_assert_ptr_nonnull(strstr(svg, "</svg>"));
    ck_assert_ptr_nonnull(strstr(svg, "width=\"300\""));
    ck_assert_ptr_nonnull(strstr(svg, "book; exit"));
}

TEST(same_script_same_figure)
{
    need_gnuplot();
    char first[65536] = "";
    for (int round = 0; round < 2; round++) {
        Gnuplot plot;
        const char *path = testing_path("again.svg");
        ck_assert(gnuplot_open(&plot, path, 300, 200, &error));
        fprintf(plot.script, "plot sin(x)\n");
        ck_assert(gnuplot_close(&plot, &error));
        if (round == 0)
            strcpy(first, contents(path));
        else
            ck_assert_str_eq(contents(path), first);
    }
}

static void
draw_nonsense(void *path)
{
    Gnuplot plot;
    if (!gnuplot_open(&plot, path, 300, 200, &error))
        return;
    fprintf(plot.script, "blot x\n");
    if (!gnuplot_close(&plot, &error))
        puts(error.text);
}

TEST(wrong_script_leaves_the_old_file)
{
    need_gnuplot();
    const char *path = testing_write("old.svg", "old", 3);
    Captured captured = capture(draw_nonsense, (void *)path);
    ck_assert_ptr_nonnull(strstr(captured.text, "gnuplot could not draw"));
    ck_assert_ptr_nonnull(strstr(captured.text, "invalid command"));
    ck_assert_str_eq(contents(path), "old");
}

TEST(wrong_folder_is_one_sentence)
{
    need_gnuplot();
    Gnuplot plot;
    ck_assert_refused(gnuplot_open(&plot, testing_path("nowhere/figure.svg"), 300, 200, &error), "");
}

TEST(missing_gnuplot_is_one_sentence)
{
    Gnuplot plot;
    setenv("PATH", "/nonexistent", 1);
    ck_assert_refused(gnuplot_is_here(&error), "gnuplot");
    ck_assert_ptr_null(strchr(error.text, '\n'));
    ck_assert(!gnuplot_open(&plot, testing_path("none.svg"), 300, 200, &error));
    ck_assert_int_ne(access(testing_path("none.svg"), F_OK), 0);
}

TEST_MAIN("gnuplot")
