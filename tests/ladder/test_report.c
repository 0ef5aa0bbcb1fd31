/* Text, CSV, JSON and figure of results that are made up, so that every digit is known. SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "core/json.h"
#include "ladder/report.h"
#include "tests/ladder/scale.h"
#include "tests/testing.h"

static double slow_seconds[3] = {4e-6, 4e-6, 4e-6}, fast_seconds[3] = {1e-6, 2e-6, 3e-6},
              peer_seconds[3] = {2e-6, 2e-6, 2e-6};

/* 1000 elements: a rung of 4 us, one that was wrong, one of 2 us, and a peer of 2 us; the bound is 1 us. */
static LadderTable
made_up(int threads)
{
    LadderTable table = {.ladder = &scale_ladder, .size = {1000}, .threads = threads, .rounds = 3, .discarded = 2};
    table.flops = 1000;
    table.bytes = 8000;
    table.roof = ROOF_PEAK;
    table.bound = 1e-6;
    table.count = 4;
    const Comparison with_slow = {.with = &scale_rungs[0], .ratio = {2.0, 1.95, 2.05}};
    const Comparison with_peer = {.with = &scale_rungs[3], .ratio = {1.0, 0.6, 1.7}, .wide = true, .noisy = true};
    table.rows[0] =
        (LadderRow){.rung = &scale_rungs[0], .seconds = slow_seconds, .predicted = 3e-6, .error = 0.5, .calls = 7};
    table.rows[1] =
        (LadderRow){.rung = &scale_rungs[1], .state = ROW_WRONG, .predicted = NAN, .reason = "1 of 2, \"wrong\""};
    table.rows[2] = (LadderRow){.rung = &scale_rungs[2],
                                .seconds = fast_seconds,
                                .predicted = NAN,
                                .naive = with_slow,
                                .before = with_slow,
                                .peer = with_peer};
    table.rows[3] = (LadderRow){.rung = &scale_rungs[3], .seconds = peer_seconds, .predicted = NAN};
    for (int i = 0; i < 4; i++)
        if (table.rows[i].seconds != NULL)
            table.rows[i].time = stats_of(table.rows[i].seconds, 3);
    return table;
}

/* What a report prints, as text (static). */
static const char *
printed(void (*print)(FILE *))
{
    static char text[16384];
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    print(file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void
print_made_up(FILE *out)
{
    LadderTable table = made_up(1);
    report_table(&table, NULL, out);
}

static void
print_legend(FILE *out)
{
    report_legend(&scale_ladder, out);
}

static void
print_peers(FILE *out)
{
    report_machine(&scale_ladder, NULL, NULL, out);
}

static bool
has_line(const char *text, const char *start, const char *part)
{
    const char *line = strstr(text, start);
    line += line != NULL && *line == '\n';
    const char *found = line != NULL ? strstr(line, part) : NULL;
    return found != NULL && found < line + strcspn(line, "\n");
}

TEST(a_row_shows_time_rate_share_and_ratios)
{
    const char *text = printed(print_made_up);
    ck_assert(has_line(text, "scale 1000, 1 thread", "1.00 kFLOP"));
    ck_assert(has_line(text, "scale 1000, 1 thread", "bound 1.00 us at 1.00 GFLOP/s; 3 rounds"));
    ck_assert(has_line(text, "scale 1000, 1 thread", "2 more discarded"));
    ck_assert(has_line(text, "\n  slow ", "4.00 us"));
    ck_assert(has_line(text, "\n  slow ", "25 %"));    /* of the bound */
    ck_assert(has_line(text, "\n  slow ", " 50 % "));  /* of the tolerance */
    ck_assert(has_line(text, "\n  slow ", "3.00 us")); /* predicted */
    ck_assert(has_line(text, "\n  fast ", "500 MFLOP/s"));
    ck_assert(has_line(text, "\n  fast ", "4.00 GB/s"));
    ck_assert(has_line(text, "\n  fast ", "2.00 [1.95, 2.05]"));
    ck_assert(has_line(text, "\n  fast ", "too noisy to say"));
}

TEST(a_wrong_row_says_so_and_shows_no_time)
{
    const char *text = printed(print_made_up);
    ck_assert(has_line(text, "\n  fours ", "WRONG: 1 of 2, \"wrong\""));
    ck_assert(!has_line(text, "\n  fours ", "us"));
}

TEST(no_line_ends_in_blanks)
{
    const char *text = printed(print_made_up);
    ck_assert_ptr_null(strstr(text, " \n"));
}

/* In a terminal of 140 columns nothing is folded, however large the numbers. */
TEST(no_line_is_wide)
{
    const char *const texts[] = {strdup(printed(print_made_up)), strdup(printed(print_legend))};
    for (int t = 0; t < 2; t++) {
        for (const char *line = texts[t]; *line != '\0'; line += strcspn(line, "\n") + 1)
            ck_assert_msg(strcspn(line, "\n") <= 140, "%.150s", line);
        free((char *)texts[t]);
    }
}

TEST(the_legend_knows_every_column)
{
    char *table = strdup(printed(print_made_up)), *header = strstr(table, "  rung ");
    const char *legend = printed(print_legend);
    ck_assert_ptr_nonnull(header);
    header[strcspn(header, "\n")] = '\0';
    static const char *const columns[] = {"time",  "spread", "operations", "traffic",
                                          "bound", "error",  "predicted",  "times"};
    for (int i = 0; i < 7; i++)
        ck_assert_msg(strstr(header, columns[i]) && strstr(legend, columns[i]), "%s", columns[i]);
    ck_assert_ptr_nonnull(strstr(header, "times slow")); /* the lowest rung's name, not "naive" */
    free(table);
}

TEST(the_peer_says_what_it_is)
{
    const char *text = printed(print_peers);
    ck_assert_ptr_nonnull(strstr(text, "peer library: the peer of the tests, version 3\n"));
    ck_assert_ptr_nonnull(strstr(text, "right when exact\n"));
}

static LadderReport
report_of(LadderTable *tables, LadderTable **list, int count)
{
    for (int i = 0; i < count; i++)
        list[i] = &tables[i];
    return (LadderReport){.ladder = &scale_ladder, .seed = 9, .count = count, .tables = list};
}

static void
read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(csv_has_a_row_for_each_rung)
{
    LadderTable table = made_up(1), *list[1];
    LadderReport report = report_of(&table, list, 1);
    const char *path = testing_path("report.csv");
    ck_assert_ok(report_csv(&report, path, &error));
    char text[4096];
    read_file(path, text, sizeof text);
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    ck_assert_int_eq(lines, 5);
    ck_assert_ptr_nonnull(strstr(text, "scale,1000,1,slow,measured,,1000,8000,"));
    ck_assert_ptr_nonnull(strstr(text, "scale,1000,1,fours,wrong,\"1 of 2, \"\"wrong\"\"\",1000,8000,,,,,,,"));
    ck_assert_ptr_nonnull(strstr(text, ",2,1.95,2.05,2,1.95,2.05,1,0.6,1.7,library,rung\n"));
}

TEST(json_holds_every_sample)
{
    LadderTable table = made_up(2), *list[1];
    LadderReport report = report_of(&table, list, 1);
    const Machine machine = {.chain = 1e-9, .one = {.threads = 1, .fma = 5}, .all = {.threads = 2, .fma = 9}};
    report.machine = &machine;
    const char *path = testing_path("report.json");
    ck_assert_ok(report_json(&report, path, &error));
    cJSON *json = json_read(path, &error);
    ck_assert_ok(json);
    ck_assert_str_eq(cJSON_GetObjectItem(json, "operation")->valuestring, "scale");
    ck_assert_double_eq(cJSON_GetObjectItem(json, "seed")->valuedouble, 9.0);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "host"), "processor"));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "peaks")), 2);
    cJSON *peers = cJSON_GetObjectItem(json, "peers");
    ck_assert_str_eq(cJSON_GetObjectItem(peers, "library")->valuestring, scale_describe());
    cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "tables"), 0);
    ck_assert_double_eq(cJSON_GetObjectItem(first, "threads")->valuedouble, 2.0);
    ck_assert_double_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "size"), 0)->valuedouble, 1000.0);
    cJSON *rows = cJSON_GetObjectItem(first, "rows"), *fast = cJSON_GetArrayItem(rows, 2),
          *wrong = cJSON_GetArrayItem(rows, 1);
    ck_assert_int_eq(cJSON_GetArraySize(rows), 4);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(fast, "samples")), 3);
    ck_assert_double_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(fast, "samples"), 1)->valuedouble, 2e-6);
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(fast, "seconds_predicted")));
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetObjectItem(fast, "times_peer"), "too_noisy_to_say")));
    ck_assert_str_eq(cJSON_GetObjectItem(wrong, "state")->valuestring, "wrong");
    ck_assert_ptr_null(cJSON_GetObjectItem(wrong, "seconds"));
    cJSON_Delete(json);
}

TEST(a_file_that_cannot_be_made_is_an_error)
{
    LadderTable table = made_up(1), *list[1];
    LadderReport report = report_of(&table, list, 1);
    ck_assert_refused(report_csv(&report, "/nowhere/at/all.csv", &error), "/nowhere/at/all.csv");
    error.text[0] = '\0';
    ck_assert_refused(report_json(&report, "/nowhere/at/all.json", &error), "/nowhere/at/all.json");
}

TEST(the_figure_has_a_panel_for_each_number_of_threads)
{
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
    LadderTable tables[3] = {made_up(1), made_up(2), made_up(1)}, *list[3];
    tables[2].size[0] = 2000;
    tables[2].bound = NAN; /* not known: the line has a gap */
    LadderReport report = report_of(tables, list, 3);
    const Machine machine = {.chain = 1e-9};
    report.machine = &machine;
    const char *path = testing_path("report.svg");
    ck_assert_ok(report_svg(&report, path, &error));
    static char text[1 << 18];
    read_file(path, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "<svg"));
    static const char *const words[] = {"1 thread<", "2 threads<", "slow<", "fast<",
                                        "library<",  "bound<",     "1000<", "2000<"};
    for (size_t i = 0; i < COUNT(words); i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "no \"%s\" in the figure", words[i]);
}

TEST(the_roofline_has_roofs_and_points)
{
    if (!gnuplot_is_here(&error))
        skip_test("%s", error.text);
    LadderTable tables[2] = {made_up(1), made_up(2)}, *list[2];
    LadderReport report = report_of(tables, list, 2);
    Machine machine = {.one = {.threads = 1, .fma = 8e9, .fma256 = 4e9, .read = {9e10, 4e10, 2e10, 1e10}}};
    machine.all = machine.one;
    machine.all.threads = 2;
    report.machine = &machine;
    const char *path = testing_path("roofline.svg");
    ck_assert_ok(report_roofline(&report, path, &error));
    static char text[1 << 18];
    read_file(path, text, sizeof text);
    static const char *const words[] = {"<svg",
                                        "1 thread<",
                                        "2 threads<",
                                        "slow<",
                                        "library<",
                                        "L1: 90 GB/s<",
                                        "memory: 10 GB/s<",
                                        "multiply-adds: 8 GFLOP/s<",
                                        "on 256 bit: 4 GFLOP/s<"};
    for (size_t i = 0; i < COUNT(words); i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "no \"%s\" in the figure", words[i]);
}

TEST(a_figure_of_nothing_is_refused)
{
    LadderTable table = made_up(1), *list[1];
    LadderReport report = {.ladder = &scale_ladder}, without_machine = report_of(&table, list, 1);
    ck_assert_refused(report_svg(&report, testing_path("nothing.svg"), &error), "nothing to draw");
    ck_assert(!report_roofline(&report, testing_path("nothing.svg"), &error));
    ck_assert(!report_roofline(&without_machine, testing_path("nothing.svg"), &error));
}

TEST_MAIN("report")
