/* Schedules of pipelines: those of the papers against the papers' formulas, and wrong ones against the checker.
 * SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/schedule.h"
#include "tests/testing.h"

static PipelineSchedule *
made(const char *name, int p, int m, int chunks)
{
    PipelineSchedule *schedule = pipeline_generate(pipeline_idea(name), p, m, chunks, &error);
    ck_assert_ok(schedule != NULL);
    ck_assert_ok(pipeline_check(schedule, &error));
    return schedule;
}

static PipelineRun
played(const PipelineSchedule *schedule, double f, double b, double w)
{
    PipelineTimes times[16];
    for (int i = 0; i < schedule->stages; i++)
        times[i] = (PipelineTimes){f, b, w, 0};
    return pipeline_simulate(schedule, times);
}

static void
check_text(const char *text, const char *sentence)
{
    testing_about("%s", text);
    PipelineSchedule *schedule = NULL;
    ck_assert_refused((schedule = pipeline_parse("own", text, strlen(text), &error)) != NULL &&
                          pipeline_check(schedule, &error),
                      sentence);
    pipeline_free(schedule);
}

TEST(every_generated_schedule_passes_the_checker)
{
    for (int n = 0; n < PIPELINE_IDEAS; n++)
        for (int p = 1; p <= 8; p++)
            for (int m = 1; m <= 16; m++) {
                const PipelineIdea *idea = &pipeline_ideas[n];
                testing_about("%s, %d stages, %d micro-batches", idea->name, p, m);
                if (idea->multiples && m % p != 0)
                    ck_assert_refused(pipeline_generate(idea, p, m, 0, &error) != NULL, "multiple");
                else
                    pipeline_free(made(idea->name, p, m, 0));
            }
}

TEST(gpipe_and_1f1b_have_the_bubble_of_the_formula)
{
    static const char *const names[] = {"gpipe", "1f1b"};
    for (int n = 0; n < COUNT(names); n++)
        for (int p = 1; p <= 8; p++)
            for (int m = 1; m <= 16; m++) {
                testing_about("%s, %d stages, %d micro-batches", names[n], p, m);
                PipelineSchedule *schedule = made(names[n], p, m, 0);
                PipelineRun run = played(schedule, 1, 1, 1);
                ck_assert_double_eq_tol(run.length, (m + p - 1) * 3.0, 1e-9);
                ck_assert_double_eq_tol(run.bubble, (p - 1.0) / (m + p - 1), 1e-12);
                for (int i = 0; i < p; i++)
                    ck_assert_int_eq(run.stage[i].peak, n == 0 || m < p - i ? m : p - i);
                pipeline_run_free(&run);
                pipeline_free(schedule);
            }
}

TEST(interleaved_has_the_bubble_of_the_formula)
{
    for (int p = 2; p <= 8; p++)
        for (int rounds = 1; rounds <= 4; rounds++)
            for (int v = 1; v <= 4; v++) {
                testing_about("%d stages, %d rounds, %d chunks", p, rounds, v);
                PipelineSchedule *schedule = made("interleaved", p, rounds * p, v);
                PipelineRun run = played(schedule, 1, 1, 1);
                ck_assert_double_eq_tol(run.bubble, (p - 1.0) / (v * rounds * p + p - 1), 1e-9);
                pipeline_run_free(&run);
                pipeline_free(schedule);
            }
}

/* Qi et al. 2023, table 2, for m >= 2 p: bubbles (p - 1) (F + B - W) and (p - 1) (F + B - 2 W). */
TEST(zero_bubble_schedules_have_bubble_and_memory_of_the_paper)
{
    for (int p = 1; p <= 8; p++)
        for (int m = 2 * p; m <= 2 * p + 3; m++)
            for (int h = 1; h <= 2; h++) {
                testing_about("zb-h%d, %d stages, %d micro-batches", h, p, m);
                PipelineSchedule *schedule = made(h == 1 ? "zb-h1" : "zb-h2", p, m, 0);
                PipelineRun run = played(schedule, 1, 1, 1);
                ck_assert_double_eq_tol(run.longest - 3 * m, (p - 1) * (2.0 - h), 1e-9);
                ck_assert_double_eq(pipeline_peak(schedule, &run), h == 1 ? p : 2 * p - 1);
                pipeline_run_free(&run);
                pipeline_free(schedule);
            }
}

TEST(asynchronous_schedules_have_versions_and_staleness_of_the_papers)
{
    for (int p = 1; p <= 8; p++) {
        testing_about("%d stages", p);
        PipelineSchedule *stash = made("pipedream", p, 24, 0), *twice = made("2bw", p, 5 * p, 0);
        PipelineRun one = played(stash, 1, 1, 1), two = played(twice, 1, 1, 1);
        for (int i = 0; i < p; i++) {
            ck_assert_int_eq(one.stage[i].versions, p - i);
            ck_assert_int_eq(one.stage[i].staleness, p - 1 - i);
            ck_assert_int_eq(two.stage[i].versions, 2);
            ck_assert_int_eq(two.stage[i].staleness, 1);
        }
        pipeline_run_free(&one);
        pipeline_run_free(&two);
        pipeline_free(stash);
        pipeline_free(twice);
    }
}

TEST(a_schedule_reads_back_from_its_text)
{
    for (int n = 0; n < PIPELINE_IDEAS; n++) {
        PipelineSchedule *schedule = made(pipeline_ideas[n].name, 4, 8, 0);
        char *text[2];
        size_t length[2];
        for (int round = 0; round < 2; round++) {
            FILE *out = open_memstream(&text[round], &length[round]);
            pipeline_write(schedule, out);
            fclose(out);
            pipeline_free(schedule);
            schedule = pipeline_parse("text", text[round], length[round], &error);
            ck_assert_ok(schedule != NULL);
            ck_assert_ok(pipeline_check(schedule, &error));
        }
        ck_assert_str_eq(text[0], text[1]);
        free(text[0]);
        free(text[1]);
        pipeline_free(schedule);
    }
}

TEST(wrong_schedules_get_a_sentence_with_line_and_instruction)
{
    check_text("", "own has no stage");
    check_text("# one\nF0 X0\n", "own, line 2: \"X0\" is no instruction");
    check_text("F0 F99999999999999999999\n", "line 1: \"F99999999999999999999\" is no instruction");
    check_text("chunks three\nF0 B0\n", "line 1: \"chunks\" begins no setting");
    check_text("F0 B0 B0\nF0 B0\n", "line 1: B0 stands there twice, as instructions 2 and 3");
    check_text("F0 B0 F1 B1\n\nF0 B0 F1\n", "line 3: stage 1 has no B1");
    check_text("F0 B0 F7 B1\nF0 B0 F1 B1\n", "line 1: F7, but there are 2 micro-batches");
    check_text("F0 F1 B0 B1\nF0 B1 F1 B0\n", "line 2: B1 stands before F1");
    check_text("F0 B0 F1 B1\nF0 F1 B0 B1\n", "deadlock: stage");
    check_text("F0 B0 F1 B1 U\nF0 B0 F1 B1\n", "line 2: stage 1 has 0 U");
}

TEST(a_file_is_read_or_refused)
{
    static const char text[] = "F0 B0 # the only stage\n";
    PipelineSchedule *schedule = pipeline_read(testing_write("one.txt", text, strlen(text)), &error);
    ck_assert_ok(schedule != NULL);
    ck_assert_ok(pipeline_check(schedule, &error));
    ck_assert_int_eq(schedule->stage[0].count, 2);
    pipeline_free(schedule);
    ck_assert_refused(pipeline_read(testing_path("nowhere.txt"), &error) != NULL, "cannot read");
    ck_assert_refused(pipeline_read("/", &error) != NULL, "cannot read /");
}

TEST_MAIN("schedule")
