/* Schedules of pipelines: those of the papers against the papers' formulas, and wrong ones against the checker.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
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

/* ---- random schedules, legal and broken, against an executor that knows nothing of the simulator: instructions are nodes, the
 * order of a line and the inputs are edges, and nodes whose inputs are all done are removed until none is left ---- */

enum { NODES = 256 };
typedef struct Graph {
    int count;
    int stage[NODES];
    PipelineInstruction what[NODES];
    bool before[NODES][NODES]; /* [a][b]: b waits for a */
    bool done[NODES];
} Graph;

static bool
is_input(const PipelineSchedule *schedule, const Graph *g, int a, int b)
{
    const PipelineInstruction x = g->what[a], y = g->what[b];
    const int deeper = pipeline_depth(schedule, g->stage[a], x.chunk) - pipeline_depth(schedule, g->stage[b], y.chunk);
    if (x.micro != y.micro)
        return false;
    if (y.kind == PIPELINE_F)
        return x.kind == PIPELINE_F && deeper == -1;
    if (y.kind == PIPELINE_B)
        return (x.kind == PIPELINE_F && deeper == 0) || (x.kind == PIPELINE_B && deeper == 1);
    return x.kind == PIPELINE_B && deeper == 0;
}

/* True if each instruction is there once and all can be done; then or else, done[] says which could be. */
static bool
executes(const PipelineSchedule *schedule, Graph *g)
{
    memset(g, 0, sizeof *g);
    int left = 0, wanted = schedule->stages * schedule->micros * schedule->chunks * (schedule->split ? 3 : 2);
    bool once = true;
    for (int i = 0; i < schedule->stages; i++)
        for (int k = 0; k < schedule->stage[i].count; k++) {
            g->stage[g->count] = i;
            g->what[g->count++] = schedule->stage[i].instruction[k];
        }
    left = g->count;
    for (int a = 0; a < g->count; a++) {
        once = once && g->what[a].micro < schedule->micros;
        for (int b = 0; b < g->count; b++) {
            g->before[a][b] = is_input(schedule, g, a, b) || (a < b && g->stage[a] == g->stage[b]);
            once = once &&
                   (a == b || g->stage[a] != g->stage[b] || memcmp(&g->what[a], &g->what[b], sizeof g->what[a]) != 0);
        }
    }
    for (bool further = true; further;) {
        further = false;
        for (int b = g->count - 1; b >= 0; b--) {
            bool waits = g->done[b];
            for (int a = 0; a < g->count; a++)
                waits = waits || (g->before[a][b] && !g->done[a]);
            if (!waits) {
                g->done[b] = further = true;
                left--;
            }
        }
    }
    return once && g->count == wanted && left == 0;
}

/* Whether the first instruction of the stage that could not be done waits, in the end, for itself. */
static bool
in_cycle(const Graph *g, int stage)
{
    bool reached[NODES] = {false};
    int front = 0;
    while (front < g->count && (g->stage[front] != stage || g->done[front]))
        front++;
    if (front == g->count)
        return false;
    for (bool further = true, first = true; further; first = false) {
        further = false;
        for (int b = 0; b < g->count; b++)
            for (int a = 0; a < g->count && (first ? b == front : reached[b]); a++)
                if (g->before[a][b] && !g->done[a] && !reached[a])
                    reached[a] = further = true;
    }
    return reached[front];
}

/* A legal one: again and again any instruction whose inputs are done. */
static PipelineSchedule *
random_schedule(Rng *rng)
{
    const int p = 1 + (int)rng_below(rng, 4), m = 1 + (int)rng_below(rng, 4), v = 1 + (int)rng_below(rng, 2);
    const int kinds = 2 + (int)rng_below(rng, 2), count = p * m * v * kinds;
    PipelineSchedule *schedule = pipeline_create(p, m, v);
    static Graph all;
    memset(&all, 0, sizeof all);
    schedule->wave = rng_below(rng, 2) == 1;
    schedule->split = kinds == 3;
    for (all.count = 0; all.count < count; all.count++) {
        const int n = all.count;
        all.stage[n] = n % p;
        all.what[n] = (PipelineInstruction){(PipelineKind)(n / p % kinds), n / p / kinds % m, n / p / kinds / m};
    }
    for (int left = count; left > 0;) {
        const int b = (int)rng_below(rng, (uint64_t)count);
        bool waits = all.done[b];
        for (int a = 0; a < count; a++)
            waits = waits || (!all.done[a] && is_input(schedule, &all, a, b));
        if (waits)
            continue;
        pipeline_append(schedule, all.stage[b], all.what[b].kind, all.what[b].micro, all.what[b].chunk);
        all.done[b] = true;
        left--;
    }
    return schedule;
}

/* Swaps two instructions of a stage, drops, doubles, moves or renumbers one; or nothing. Returns the stage. */
static int
mutate(PipelineSchedule *schedule, Rng *rng)
{
    const int stage = (int)rng_below(rng, (uint64_t)schedule->stages), how = (int)rng_below(rng, 6);
    PipelineStage *line = &schedule->stage[stage];
    const int count = line->count, a = (int)rng_below(rng, (uint64_t)count), b = (int)rng_below(rng, (uint64_t)count);
    PipelineInstruction old[NODES];
    memcpy(old, line->instruction, (size_t)count * sizeof old[0]);
    if (how == 0) {
        line->instruction[a] = old[b];
        line->instruction[b] = old[a];
    } else if (how == 1) {
        line->instruction[a].micro = (int)rng_below(rng, (uint64_t)schedule->micros + 1);
    } else if (how <= 4) { /* without a: dropped; then, moved or doubled, in at b */
        line->count = 0;
        for (int k = 0; k <= count; k++) {
            if (how > 2 && k == b)
                pipeline_append(schedule, stage, old[a].kind, old[a].micro, old[a].chunk);
            if (k < count && (k != a || how == 4))
                pipeline_append(schedule, stage, old[k].kind, old[k].micro, old[k].chunk);
        }
    }
    return stage;
}

TEST(the_checker_accepts_exactly_what_can_be_executed)
{
    Rng rng = rng_create(20, 0);
    static Graph graph;
    int right = 0, deadlocks = 0;
    for (int round = 0; round < 1000; round++) {
        PipelineSchedule *schedule = random_schedule(&rng);
        ck_assert(executes(schedule, &graph));
        ck_assert_ok(pipeline_check(schedule, &error));
        const int stage = mutate(schedule, &rng);
        testing_about("round %d, stage %d changed", round, stage);
        const bool legal = executes(schedule, &graph);
        error.text[0] = '\0';
        ck_assert_int_eq(pipeline_check(schedule, &error), legal);
        if (!legal) {
            const int line = atoi(error.text + strlen("line "));
            const bool deadlock = strstr(error.text, "deadlock") != NULL;
            ck_assert_msg(deadlock ? in_cycle(&graph, line - 1) : line == stage + 1, "%s", error.text);
            deadlocks += deadlock;
        }
        right += legal;
        pipeline_free(schedule);
    }
    ck_assert_int_gt(right, 100);
    ck_assert_int_gt(deadlocks, 10);
}

TEST_MAIN("schedule")
