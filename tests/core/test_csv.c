/* Files of comma-separated values. SPDX-License-Identifier: MIT */
#include "core/csv.h"
#include "core/rng.h"
#include "tests/capture.h"
#include "tests/testing.h"

#include <unistd.h>

/* The file's text; static. */
static const char *
text_of(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(rows_follow_the_header)
{
    const char *path = testing_path("plain.csv");
    Csv *csv = csv_create(path, "rung,size,seconds", &error);
    csv_text(csv, "naive");
    csv_integer(csv, -9223372036854775807LL - 1);
    csv_number(csv, 0.1);
    csv_end_row(csv);
    csv_add(csv, "%s %d %g\n", "", 0, 1e300);
    csv_add(csv, "%s %zu", "a, b", (size_t)-1 / 2);
    csv_add(csv, "%u\n", 4294967295u);
    csv_add(csv, "%ld %lld %f\n", -1L, 5LL, (double)NAN);
    ck_assert(csv_close(csv, &error));
    ck_assert_str_eq(text_of(path), "rung,size,seconds\nnaive,-9223372036854775808,0.1\n,0,1e+300\n"
                                    "\"a, b\",9223372036854775807,4294967295\n-1,5,nan\n");
}

TEST(header_alone_is_a_file)
{
    const char *path = testing_path("header.csv");
    ck_assert(csv_close(csv_create(path, "a", &error), &error));
    ck_assert_str_eq(text_of(path), "a\n");
}

TEST(special_fields_are_quoted)
{
    const char *path = testing_path("quoted.csv");
    Csv *csv = csv_create(path, "\"a,b\",c,d", &error);
    csv_text(csv, "one, two");
    csv_text(csv, "say \"hi\"");
    csv_text(csv, "two\nlines");
    csv_end_row(csv);
    ck_assert(csv_close(csv, &error));
    ck_assert_str_eq(text_of(path), "\"a,b\",c,d\n\"one, two\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST(no_number_is_written_in_words)
{
    const char *path = testing_path("nan.csv");
    Csv *csv = csv_create(path, "a,b,c,d", &error);
    csv_number(csv, NAN);
    csv_number(csv, INFINITY);
    csv_number(csv, -INFINITY);
    csv_number(csv, -NAN);
    csv_end_row(csv);
    ck_assert(csv_close(csv, &error));
    ck_assert_str_eq(text_of(path), "a,b,c,d\nnan,inf,-inf,nan\n");
}

/* Shortest: 0.1 is not 0.10000000000000001. Round trip: every bit comes back. */
TEST(numbers_read_back_exactly)
{
    enum { N = 60 };
    double x[N] = {1.0 / 3, DBL_MAX, DBL_MIN, 5e-324, 0.1 + 0.2, -0.0, 123456789012345678.0};
    for (int i = 7; i < N; i++)
        x[i] = ldexp(rng_normal_at(1, 0, (uint64_t)i), 20 * i - 700);
    const char *path = testing_path("exact.csv");
    Csv *csv = csv_create(path, "x", &error);
    for (int i = 0; i < N; i++) {
        csv_number(csv, x[i]);
        csv_end_row(csv);
    }
    ck_assert(csv_close(csv, &error));
    const char *line = text_of(path);
    for (int i = 0; i < N; i++) {
        line = strchr(line, '\n') + 1;
        const double read = strtod(line, NULL);
        ck_assert_msg(memcmp(&read, &x[i], sizeof(read)) == 0, "%.17g came back as %.17g", x[i], read);
    }
}

TEST(folder_that_is_not_there_is_refused)
{
    ck_assert_refused(csv_create(testing_path("absent/file.csv"), "a", &error),
                      "absent/file.csv: No such file or directory");
}

TEST_CALL(closing_nothing_succeeds, ck_assert(csv_close(NULL, NULL)))

static void
write_short_row(void *path)
{
    Csv *csv = csv_create(path, "a,b", NULL);
    csv_integer(csv, 1);
    csv_end_row(csv);
}

static void
write_long_row(void *path)
{
    Csv *csv = csv_create(path, "a,b", NULL);
    for (int i = 0; i < 3; i++)
        csv_integer(csv, i);
}

TEST(rows_of_another_width_end_the_program)
{
    char path[512];
    snprintf(path, sizeof(path), "%s", testing_path("width.csv"));
    const Captured few = capture(write_short_row, path), many = capture(write_long_row, path);
    ck_assert_int_eq(few.status, 1);
    ck_assert_ptr_nonnull(strstr(few.text, "has 1 fields, its header 2"));
    ck_assert_int_eq(many.status, 1);
    ck_assert_ptr_nonnull(strstr(many.text, "more than the 2 fields"));
    ck_assert_int_ne(access(path, F_OK), 0);
}

TEST_MAIN("csv")
