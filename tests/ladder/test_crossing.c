/* Sizes at which a rung is as fast as another row, on tables whose crossings are known. SPDX-License-Identifier: MIT */
#include "ladder/report.h"
#include "tests/ladder/scale.h"
#include "tests/testing.h"

enum { SLOW, FOURS, FAST, LIBRARY, ROWS, ROUNDS = 3 };

static double seconds[4][ROWS][ROUNDS];
static LadderTable tables[4], *list[4];
static char said[4096];

/* A table of n in which fast is `ratio` times as fast as library: the median, and samples beside it. 0: it was not measured. */
static void
make(int t, int n, int threads, double ratio, double low, double high)
{
    const double times[ROUNDS] = {ratio, low, high};
    LadderTable *table = list[t] = &tables[t];
    *table = (LadderTable){
        .ladder = &scale_ladder, .size = {n}, .threads = threads, .rounds = ROUNDS, .seed = 1, .count = ROWS};
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < ROUNDS; i++)
            seconds[t][r][i] = r == FAST && ratio > 0 ? 1 / times[i] : 1;
        table->rows[r] = (LadderRow){.rung = &scale_rungs[r], .seconds = seconds[t][r]};
        if ((r == FAST && ratio == 0) || r == FOURS || r == SLOW)
            table->rows[r].state = r == FOURS ? ROW_WRONG : ROW_SKIPPED;
    }
}

static bool
says(int count, const char *line)
{
    FILE *file = tmpfile();
    report_crossings(list, count, "library", file);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return strstr(said, line) != NULL;
}

/* Ratios 4 and 1/4 at 100 and 400: 1 is in the middle of their logarithms, at 200; of 2 and 1/8 it is at a quarter. */
TEST(a_crossing_lies_between_two_sizes)
{
    make(0, 100, 1, 4, 2, 8);
    make(1, 400, 1, 0.25, 0.125, 0.5);
    ck_assert_msg(says(2, "  fast          200 [141, 283]\n"), "%s", said);
    ck_assert(strstr(said, "100, 1 thread, and on: the last number of n at which a rung is as fast as library") !=
              NULL);
    ck_assert(strstr(said, "fours") == NULL && strstr(said, "  library") == NULL && strstr(said, "slow") == NULL);
}

TEST(sizes_come_in_any_order_and_threads_stand_apart)
{
    make(0, 400, 2, 0.25, 0.125, 0.5);
    make(1, 100, 1, 4, 4, 4);
    make(2, 100, 2, 4, 2, 8);
    make(3, 400, 1, 0.25, 0.25, 0.25);
    ck_assert_msg(says(4, "  fast          200 [141, 283]\n"), "%s", said);
    ck_assert(strstr(said, "  fast          200 [200, 200]\n") != NULL && strstr(said, "2 threads") != NULL);
}

TEST(what_is_not_reached_is_said)
{
    make(0, 10, 1, 3, 2, 4);
    make(1, 500, 1, 1.5, 0.5, 2);
    ck_assert_msg(says(2, "  fast          above 500 ["), "%s", said);
    ck_assert(strstr(said, ", above 500]") != NULL && strstr(said, "[above") == NULL);
    make(0, 10, 1, 0.5, 0.25, 1.5);
    make(1, 500, 1, 0.5, 0.4, 0.75);
    ck_assert_msg(says(2, "  fast          below 10 [below 10, "), "%s", said);
}

TEST(of_several_crossings_the_last_counts)
{
    make(0, 10, 1, 4, 4, 4);
    make(1, 20, 1, 0.9, 0.9, 0.9);
    make(2, 40, 1, 2, 2, 2);
    make(3, 80, 1, 0.5, 0.5, 0.5);
    ck_assert_msg(says(4, "  fast          56.6 ["), "%s", said);
}

TEST(what_was_not_measured_has_none)
{
    make(0, 10, 1, 0, 0, 0);
    ck_assert(!says(1, "  fast"));
}

TEST_MAIN("crossing")
