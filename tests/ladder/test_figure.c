/* What figures of a ladder have in common: lines, ticks, legends. SPDX-License-Identifier: MIT */
#include "ladder/figure.h"
#include "tests/testing.h"
#include <string.h>

/* No ladder has more rungs than a figure has distinct lines; axes of bytes are marked at powers of two. */
START_TEST(lines_differ_and_sizes_are_powers_of_two)
{
    Error error = {""};
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
    for (int i = 0; i < 12; i++)
        for (int other = 0; other < i; other++)
            ck_assert(figure_linetype_of(false, i) != figure_linetype_of(false, other));
    for (int i = 0; i < 7; i++) /* the library's own choice, and six that it was told */
        for (int other = 0; other < i; other++)
            ck_assert(figure_linetype_of(true, i) != figure_linetype_of(true, other));
    Gnuplot plot;
    const char *path = testing_path("ticks.svg");
    ck_assert_msg(gnuplot_open(&plot, path, 600, 300, &error), "%s", error.text);
    fprintf(plot.script, "set logscale x 2\n");
    figure_size_ticks(&plot, 4, 64 << 20);
    fprintf(plot.script, "plot x\n");
    ck_assert_msg(gnuplot_close(&plot, &error), "%s", error.text);
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    static const char *const words[] = {"4 B<", "256 B<", "2 KiB<", "1 MiB<", "64 MiB<"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "no \"%s\" in the figure", words[i]);
    ck_assert_int_eq(figure_legend_lines(11, 560), 6);
    ck_assert_int_eq(figure_legend_lines(1, 10), 1);
}
END_TEST

TEST_MAIN("figure", lines_differ_and_sizes_are_powers_of_two)
