/* The progress line, on a pretended terminal and in a log. SPDX-License-Identifier: MIT */
#include "core/clock.h"
#include "core/progress.h"
#include "tests/testing.h"

/* So long ago that the seconds which a busy machine adds change no digit of a rate or a time that is printed. */
static const double TWO_HOURS = 7200;

/* A progress that began `seconds` ago and writes into a file. */
static Progress
begin(const char *form, size_t total, double seconds)
{
    setenv("RUNGS_PROGRESS", form, 1);
    FILE *out = tmpfile();
    ck_assert_ptr_nonnull(out);
    Progress progress = progress_start("train", total, "images");
    progress.out = out;
    progress.started -= seconds;
    progress.printed -= seconds;
    return progress;
}

/* What was written; closes the file. Static. */
static const char *
written(Progress *progress)
{
    static char text[8192];
    rewind(progress->out);
    text[fread(text, 1, sizeof(text) - 1, progress->out)] = '\0';
    fclose(progress->out);
    return text;
}

static int
count(const char *text, const char *part)
{
    int number = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        number++;
    return number;
}

TEST(terminal_line_has_bar_rate_and_time_left)
{
    Progress progress = begin("terminal", 288000, TWO_HOURS);
    progress_update(&progress, 72000, "loss 0.5");
    const char *text = written(&progress);
    ck_assert_msg(strstr(text, "\rtrain [#####...............]  25 %  10.0 images/s  6 h 00 min left  loss 0.5"), "%s",
                  text);
    ck_assert_int_eq(count(text, "\n"), 0);
}

TEST(terminal_is_rewritten_at_most_ten_times_a_second)
{
    Progress progress = begin("terminal", 1000000, 0);
    const double end = clock_now() + 0.35;
    size_t done = 0;
    while (clock_now() < end)
        progress_update(&progress, ++done, NULL);
    const double seconds = clock_now() - progress.started; /* more than 0.35 where the machine is busy */
    const int lines = count(written(&progress), "\r");
    ck_assert_double_le(0.1 * lines, seconds + 1e-6);
}

TEST(terminal_line_does_not_wrap)
{
    Progress progress = begin("terminal", 400, 10);
    progress_update(&progress, 100, "a note that is so long that together with all the rest it fills more than a line");
    const char *text = written(&progress), *end = strstr(text, "\033[K");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(end - text, 80); /* \r and 79 columns */
}

TEST(log_prints_plain_lines)
{
    Progress progress = begin("log", 288000, TWO_HOURS);
    progress_update(&progress, 72000, "loss 0.5");
    ck_assert_str_eq(written(&progress),
                     "train  25 %  72000 of 288000 images  10.0 images/s  6 h 00 min left  loss 0.5\n");
}

/* 1,000 updates in which no time passes: no line. Each step seen late enough: ten lines. */
TEST(log_is_sparse)
{
    Progress fast = begin("log", 1000, 0);
    for (size_t i = 1; i <= 1000; i++) {
        fast.printed = clock_now();
        progress_update(&fast, i, NULL);
    }
    ck_assert_str_eq(written(&fast), "");
    Progress slow = begin("log", 1000, 10);
    for (size_t i = 1; i <= 1000; i++) {
        slow.printed -= 1; /* a second passes */
        progress_update(&slow, i, NULL);
    }
    ck_assert_int_eq(count(written(&slow), "\n"), 10);
}

TEST(finish_prints_the_last_state)
{
    Progress progress = begin("log", 144000, TWO_HOURS);
    progress_update(&progress, 0, NULL);
    progress_update(&progress, 144000, NULL);
    progress_finish(&progress, "done");
    const char *text = written(&progress);
    ck_assert_ptr_nonnull(strstr(text, "train 100 %  144000 of 144000 images  20.0 images/s  in 2 h 00 min  done\n"));
    Progress early = begin("terminal", 400, 20);
    early.done = 100;
    progress_finish(&early, NULL);
    text = written(&early);
    ck_assert_ptr_nonnull(strstr(text, " 25 %"));
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
}

TEST(unknown_total_has_no_percent)
{
    Progress progress = begin("terminal", 0, TWO_HOURS);
    progress_update(&progress, 36000, NULL);
    progress_finish(&progress, NULL);
    const char *text = written(&progress);
    ck_assert_ptr_nonnull(strstr(text, "36000 images  5.00 images/s"));
    ck_assert_int_eq(count(text, "%"), 0);
    ck_assert_int_eq(count(text, "left"), 0);
}

TEST(more_than_the_total_is_100_per_cent)
{
    Progress progress = begin("log", 10, 10);
    progress_update(&progress, 25, NULL);
    ck_assert_ptr_nonnull(strstr(written(&progress), "100 %  25 of 10 images"));
}

TEST(off_prints_nothing)
{
    setenv("RUNGS_PROGRESS", "off", 1);
    Progress progress = progress_start("train", 10, "images");
    ck_assert_ptr_null(progress.out);
    progress_update(&progress, 5, "note");
    progress_finish(&progress, NULL);
}

TEST_MAIN("progress")
