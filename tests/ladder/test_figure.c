/* What figures of a ladder have in common: lines and legends. SPDX-License-Identifier: MIT */
#include "ladder/figure.h"
#include "tests/testing.h"

/* The lines of a figure, up to the longest ladder's, have different line types. */
TEST(lines_differ)
{
    for (int i = 0; i < 12; i++)
        for (int other = 0; other < i; other++)
            ck_assert(figure_linetype_of(false, i) != figure_linetype_of(false, other));
    for (int i = 0; i < 7; i++) /* the library's own choice, and six that it was told */
        for (int other = 0; other < i; other++)
            ck_assert(figure_linetype_of(true, i) != figure_linetype_of(true, other));
    ck_assert_int_eq(figure_legend_lines(11, 560), 6);
    ck_assert_int_eq(figure_legend_lines(1, 10), 1);
}

TEST_MAIN("figure")
