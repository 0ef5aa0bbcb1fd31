/* Floors on tables that are made up: met, missed, unsure, and what is no floor. SPDX-License-Identifier: MIT */
#include "ladder/floor.h"
#include "tests/ladder/scale.h"
#include "tests/testing.h"

enum { SLOW, FOURS, FAST, LIBRARY, ROWS, ROUNDS = 9 };

static double seconds[4][ROWS][ROUNDS];
static LadderTable tables[4], *list[4];
static char said[4096];

/* A table whose rows' median times are those, 0: skipped; each sample is off by noise, in another direction than
 * the row before. */
static void
make(int t, int n, int threads, const double times[ROWS], double noise)
{
    LadderTable *table = list[t] = &tables[t];
    *table = (LadderTable){.ladder = &scale_ladder,
                           .size = {n},
                           .threads = threads,
                           .rounds = ROUNDS,
                           .seed = 1,
                           .bytes = 8.0 * n,
                           .flops = n,
                           .bound = 0.5 * times[FAST],
                           .count = ROWS};
    for (int r = 0; r < ROWS; r++) {
        LadderRow *row = &table->rows[r];
        for (int i = 0; i < ROUNDS; i++)
            seconds[t][r][i] = times[r] * (1 + noise * (i - ROUNDS / 2) * (r % 2 ? 1 : -1));
        *row = (LadderRow){.rung = &scale_rungs[r],
                           .state = times[r] > 0 ? ROW_MEASURED : ROW_SKIPPED,
                           .seconds = seconds[t][r],
                           .predicted = times[r]};
        row->time = stats_of(row->seconds, ROUNDS);
    }
    for (int r = 0; r < ROWS; r++)
        table->rows[r].peer = ladder_compare(table, &table->rows[r], &table->rows[LIBRARY]);
}

/* What the floor says of the first tables, into said. */
static bool
judge(const char *text, int count)
{
    Floor floor;
    FILE *file = tmpfile();
    ck_assert_ok(floor_parse(&scale_ladder, NULL, text, &floor, &error));
    const bool met = floor_judge(&floor, list, count, file);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return met;
}

static bool
says(const char *text)
{
    return strstr(said, text) != NULL;
}

TEST(the_fastest_of_ours_is_judged)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    ck_assert(judge("library=1.5", 1));
    ck_assert(says("fast") && says("1.50 (1.50: ok)") && !says("slow"));
    ck_assert(!judge("library=1.51", 1));
    ck_assert(says("(1.51: below)"));
    ck_assert(judge("peer=1.5", 1) && says("times library"));
    ck_assert(judge("slow=2", 1));
    ck_assert(judge("slow/fast=0.5", 1) && says("slow  "));
    ck_assert(!judge("slow/best=0.51", 1));
    ck_assert(judge("slow+fast/best=1", 1) && says("1.00 (1.00: ok)"));
    ck_assert(judge("each/library=0.7", 1) && says("0.75 (0.70: ok)") && says("1.50 (0.70: ok)"));
    ck_assert(judge("library/slow=1.3", 1)); /* a peer may be judged, too */
}

TEST(an_interval_that_holds_the_floor_is_unsure)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 2}, 0.02);
    ck_assert(judge("library=1.01", 1) && says("unsure")); /* below, but perhaps not */
    ck_assert(judge("library=0.99", 1) && says("unsure")); /* above, and too wide to say */
    ck_assert(judge("library=0.5", 1) && says("ok"));
    ck_assert(!judge("library=1.9", 1) && says("below"));
    make(0, 1000, 1, (const double[]){4, 0, 2, 2}, 0.001); /* narrow: at the floor or not */
    ck_assert(judge("library=0.999", 1) && says("ok"));
}

TEST(each_size_and_number_of_threads_counts)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    make(1, 2000, 1, (const double[]){4, 0, 2, 1}, 0);
    ck_assert(!judge("library=1", 2));
    ck_assert(says("(1.00: ok)") && says("(1.00: below)"));
}

/* 1.5 and 0.5: sqrt(0.75). Another number of threads has a mean of its own. */
TEST(means_are_geometric)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    make(1, 2000, 1, (const double[]){4, 0, 2, 1}, 0);
    make(2, 1000, 2, (const double[]){4, 0, 2, 4}, 0);
    ck_assert(judge("mean:library=0.86", 2));
    ck_assert(says("geometric mean of 2 sizes, 1 thread: 0.87 (0.86: ok)"));
    ck_assert(!judge("mean:peer=0.87", 3));
    ck_assert(says("2 threads: 2.00 (0.87: ok)") && says("1 thread: 0.87 (0.87: below)"));
}

TEST(floors_change_with_the_size)
{
    make(0, 100, 1, (const double[]){4, 0, 2, 3}, 0);    /* 800 bytes */
    make(1, 1000, 1, (const double[]){4, 0, 2, 3}, 0);   /* 8000 */
    make(2, 100000, 1, (const double[]){4, 0, 2, 3}, 0); /* 800000 */
    ck_assert(judge("library=1K:1.2,64K:1.5", 3));
    ck_assert(!says(" 100 ") && says("(1.20: ok)") && says("(1.50: ok)"));
    ck_assert(!judge("library=0:2,64K:1", 3));
    ck_assert(!judge("library=1G:1", 3)); /* no size is so long: nothing was judged */
    ck_assert(says("nothing was measured that could be judged: below"));
}

TEST(columns_have_floors)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    ck_assert(judge("bound=0.5", 1) && says("0.50 (0.50: ok)"));
    ck_assert(!judge("bound=0.51", 1));
    tables[0].bound = NAN;
    ck_assert(!judge("bound=0.1", 1)); /* not known is not met */
}

/* Off by 0, 20 and 40 %: the median of each rung. */
TEST(predictions_are_held_to_the_median_error)
{
    for (int t = 0; t < 3; t++) {
        make(t, 1000 * (t + 1), 1, (const double[]){4, 0, 2, 3}, 0);
        tables[t].rows[SLOW].predicted = 4 * (1 + 0.2 * t);
    }
    ck_assert(judge("each/predicted=0.8", 3));
    ck_assert(says("slow               off by 20.0 %, the median of 3 times (at most 20 %: ok)"));
    ck_assert(says("fast               off by 0.0 %"));
    ck_assert(!says("library"));
    ck_assert(!judge("each/predicted=0.85", 3));
    for (int t = 0; t < 3; t++)
        tables[t].rows[SLOW].predicted = tables[t].rows[FAST].predicted = NAN;
    ck_assert(!judge("each/predicted=0.1", 3));
}

TEST(the_order_is_the_predicted_one)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    ck_assert(judge("order=0.91", 1) && says("fast beside slow"));
    tables[0].rows[SLOW].predicted = 1; /* and takes twice as long as fast */
    ck_assert(!judge("order=0.91", 1));
    ck_assert(says("0.50: slow beside fast (0.91: below)"));
    tables[0].rows[SLOW].predicted = 1.9; /* nearer than 10 %: they may change places */
    ck_assert(!judge("order=0.91", 1) && says("nothing was measured"));
}

TEST(a_peer_that_is_not_here_is_no_failure)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 0}, 0);
    ck_assert(judge("library=1.5", 1) && says("the library is not here"));
    ck_assert(judge("peer=1.5", 1) && says("the library is not here"));
    tables[0].rows[LIBRARY].state = ROW_WRONG;
    ck_assert(!judge("library=1.5", 1));
}

TEST(a_rung_that_has_no_sample_is_a_failure)
{
    make(0, 1000, 1, (const double[]){4, 0, 2, 3}, 0);
    ck_assert(!judge("fours=1", 1)); /* the other row */
    ck_assert(!judge("fours/slow=1", 1));
    ck_assert(says("nothing was measured that could be judged: below"));
    ck_assert(!judge("slow=1", 0));
}

TEST(what_is_no_floor_is_refused)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {{"library", "expected ROW=RATIO"},
                 {"", "expected ROW=RATIO"},
                 {"libary=1", "scale has no row \"libary\""},
                 {"=1", "scale has no row \"\""},
                 {"slo/fast=1", "scale has no row \"slo\""},
                 {"slow+/fast=1", "scale has no row \"\""},
                 {"library=", "is no ratio"},
                 {"library=fast", "is no ratio"},
                 {"library=1.0x", "is no ratio"},
                 {"library=-1", "is no ratio"},
                 {"library=nan", "is no ratio"},
                 {"library=inf", "is no ratio"},
                 {"library=1K:", "is no ratio"},
                 {"library=kb:1", "expected bytes"},
                 {"library=1,2,3,4,5,6,7,8,9", "is no ratio"}};
    Floor floor;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        ck_assert_refused(floor_parse(&scale_ladder, NULL, wrong[i].text, &floor, &error), wrong[i].sentence);
    }
    const bool selected[ROWS] = {[SLOW] = true};
    ck_assert_refused(floor_parse(&scale_ladder, selected, "library=1", &floor, &error),
                      "library is not measured: name it in --rungs");
    ck_assert(floor_parse(&scale_ladder, selected, "peer=1", &floor, &error));
}

TEST_MAIN("floor")
