/* CSV text field by field, and what labels become. Whole files are test_csv.c's. SPDX-License-Identifier: MIT */
#include "data/csv_labels.h"
#include "data/dataset.h"
#include "tests/testing.h"

static CsvField
field_of(const char *text)
{
    return (CsvField){text, strlen(text)};
}

/* Opens text as if it were a file. */
static CsvText
open_text(const char *text)
{
    CsvText csv;
    ck_assert_ok(csv_text_open(&csv, "t.csv", (const uint8_t *)text, strlen(text), &error));
    return csv;
}

static void
assert_field(CsvText *csv, const char *want, size_t line, size_t column, bool last)
{
    CsvField field;
    char got[CSV_FIELD_MAX + 1];
    ck_assert_ok(csv_text_field(csv, &field, &error));
    csv_field_copy(&field, got);
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(csv->line, line);
    ck_assert_uint_eq(csv->column, column);
    ck_assert_int_eq(csv->row_ended, last);
}

TEST(fields_come_one_after_the_other)
{
    CsvText csv = open_text("\n1 , \"a \"\"b\"\", c\"\r\n\r\n2");
    ck_assert(csv_text_row(&csv));
    assert_field(&csv, "1", 2, 1, false);
    assert_field(&csv, "a \"b\", c", 2, 2, true);
    ck_assert(csv_text_row(&csv));
    assert_field(&csv, "2", 4, 1, true);
    ck_assert(!csv_text_row(&csv));
}

TEST(broken_fields_are_refused_with_their_line)
{
    char wide[CSV_FIELD_MAX + 3];
    memset(wide, 'x', sizeof(wide));
    wide[sizeof(wide) - 1] = '\0';
    const char *const broken[] = {"\"open", "\"a\"b", wide};
    for (size_t i = 0; i < COUNT(broken); i++) {
        CsvText csv = open_text(broken[i]);
        CsvField field;
        ck_assert(csv_text_row(&csv));
        ck_assert_refused(csv_text_field(&csv, &field, &error), "t.csv:1:");
    }
}

TEST(nul_is_no_text)
{
    CsvText csv;
    ck_assert_refused(csv_text_open(&csv, "t.csv", (const uint8_t *)"a\0b", 3, &error), "t.csv");
    ck_assert(csv_text_open(&csv, "t.csv", (const uint8_t *)"", 0, &error));
    ck_assert(!csv_text_row(&csv));
}

TEST(numbers_are_decimal)
{
    const char *const wrong[] = {"", "nan", "inf", "0x10", "1,5", "1e", "--1", "1 2", "."};
    double number;
    CsvField field = field_of("-2.5e1");
    ck_assert(csv_field_number(&field, &number) && number == -25);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        field = field_of(wrong[i]);
        ck_assert_msg(!csv_field_number(&field, &number), "\"%s\" is a number", wrong[i]);
    }
}

TEST(whole_numbers_may_have_a_point)
{
    double number;
    CsvField field = field_of("3.0");
    ck_assert(csv_field_whole(&field, &number) && number == 3);
    field = field_of("-3");
    ck_assert(csv_field_whole(&field, &number) && number == -3);
    field = field_of("3.5");
    ck_assert(!csv_field_whole(&field, &number));
    field = field_of("three");
    ck_assert(!csv_field_whole(&field, &number));
}

TEST(fields_are_shown_short_and_harmless)
{
    char text[CSV_SHOWN];
    CsvField field = field_of("short");
    ck_assert_str_eq(csv_field_show(&field, text), "short");
    field = field_of("bell\a and escape\033[2J");
    for (const char *c = csv_field_show(&field, text); *c; c++)
        ck_assert((unsigned char)*c >= ' ');
    field = field_of("a field that is much longer than a sentence wants it to be");
    ck_assert_uint_eq(strlen(csv_field_show(&field, text)), CSV_SHOWN - 1);
    ck_assert_str_eq(text + CSV_SHOWN - 4, "...");
}

/* Notes all labels; the number of classes, 0 if that is refused. */
static int
classes_of(CsvLabels *labels, const char *const *names, size_t count)
{
    CsvText csv = open_text("x");
    *labels = (CsvLabels){0};
    for (size_t i = 0; i < count; i++) {
        const CsvField field = field_of(names[i]);
        csv.line = i + 1;
        ck_assert_ok(csv_labels_note(labels, &csv, &field, &error));
    }
    return csv_labels_classes(labels, "t.csv", &error);
}

TEST(numbers_are_their_own_classes)
{
    CsvLabels labels;
    ck_assert_int_eq(classes_of(&labels, (const char *[]){"2", "0", "7"}, 3), 8);
    const CsvField field = field_of("7");
    ck_assert_int_eq(csv_labels_class(&labels, &field), 7);
    ck_assert_ptr_null(csv_labels_take(&labels));
    csv_labels_free(&labels);
}

TEST(names_are_numbered_in_their_order)
{
    CsvLabels labels;
    ck_assert_int_eq(classes_of(&labels, (const char *[]){"pear", "fig", "10", "pear"}, 4), 3);
    const CsvField field = field_of("pear");
    ck_assert_int_eq(csv_labels_class(&labels, &field), 2);
    char **names = csv_labels_take(&labels);
    const char *const want[] = {"10", "fig", "pear"};
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(names[i], want[i]);
        free(names[i]);
    }
    free(names);
    csv_labels_free(&labels);
}

TEST(numbers_out_of_range_are_refused)
{
    CsvLabels labels;
    ck_assert_refused(classes_of(&labels, (const char *[]){"0", "-1"}, 2), "t.csv:2");
    csv_labels_free(&labels);
    ck_assert_refused(classes_of(&labels, (const char *[]){"0", "1", "65536"}, 3), "t.csv:3");
    csv_labels_free(&labels);
}

TEST(too_many_names_are_refused)
{
    CsvText csv = open_text("x");
    CsvLabels labels = {0};
    char name[16];
    bool good = true;
    int noted = 0;
    for (; good && noted <= DATASET_CLASSES_MAX; noted++) {
        snprintf(name, sizeof(name), "n%06d", noted); /* in their order: each is put at the end */
        const CsvField field = field_of(name);
        good = csv_labels_note(&labels, &csv, &field, &error);
    }
    ck_assert(!good);
    ck_assert_int_eq(noted, DATASET_CLASSES_MAX + 1);
    csv_labels_free(&labels);
}

TEST_MAIN("csv_fields")
