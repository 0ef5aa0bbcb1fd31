/* CSV: everything that is refused, with the place in the sentence.
 * SPDX-License-Identifier: MIT */
#include "data/csv_reader.h"
#include "tests/testing.h"

static void
refused_sized(const char *text, size_t size, const char *words)
{
    Dataset dataset;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    ck_assert_refused(csv_parse("sample.csv", copy, size, &dataset, &error), words);
    free(copy);
    ck_assert_ptr_null(dataset.x);
    ck_assert_uint_eq(dataset.count, 0);
}

static void
refused(const char *text, const char *words)
{
    refused_sized(text, strlen(text), words);
}

TEST(nothing_is_refused)
{
    refused("", "no rows");
    refused("\n \r\n\n", "no rows");
    refused("\xef\xbb\xbf", "no rows");
    refused("a,b,c\n", "no rows behind the header in line 1");
    refused("\n\na,b,c\n\n", "no rows behind the header in line 3");
}

TEST(ragged_rows_are_refused_with_their_line)
{
    refused("1,2,0\n3,4,1\n5,1\n", "sample.csv:3: this row has fewer than the 3 fields");
    refused("1,2,0\n\n3,4,5,1\n", "sample.csv:3: this row has more than the 3 fields");
    refused("a,b,c,d\n1,2,0\n", "sample.csv:2: this row has fewer than the 4 fields");
    refused("1,2,0\n3,4,1,\n", "sample.csv:2: this row has more");
}

TEST(what_is_no_number_is_refused_with_its_place)
{
    refused("1,2,0\n3,x4,1\n", "sample.csv:2: field 2 is \"x4\"");
    refused("1,2,0\n3,4 5,1\n", "\"4 5\"");
    refused("1,2,0\n3,0x10,1\n", "\"0x10\"");
    refused("1,2,0\n3,1e,1\n", "\"1e\"");
    refused("1,2,0\n3,.,1\n", "\".\"");
    refused("1,2,0\n3,--1,1\n", "\"--1\"");
    refused("1,2,0\n3,1e5.5,1\n", "\"1e5.5\"");
    refused("1,2,0\n3,\"\"\"4\",1\n", "field 2");
}

TEST(nan_and_infinity_are_refused)
{
    static const char *const bad[] = {"nan", "NaN", "inf", "-inf", "Infinity", "1e39", "-1e400"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[64];
        snprintf(text, sizeof(text), "1,2,0\n3,%s,1\n", bad[i]);
        refused(text, "expected a finite number");
    }
}

TEST(empty_fields_are_refused)
{
    refused("1,2,0\n,4,1\n", "sample.csv:2: field 1 is empty");
    refused("1,2,0\n3,,1\n", "sample.csv:2: field 2 is empty");
    refused("1,2,0\n3,4,\n", "sample.csv:2: the label in the last column, \"\", is missing");
}

TEST(labels_that_are_no_classes_are_refused)
{
    refused("1,0\n2,-1\n", "sample.csv:2: label -1 is not in 0 .. 65535");
    refused("1,0\n2,65536\n3,1\n", "sample.csv:2: label 65536 is not in");
    refused("1,0\n2,1e300\n", "sample.csv:2: label 1e+300");
    refused("1,0\n2,1.5\n", "sample.csv:2: label \"1.5\"");
    refused("1,0\n2,nan\n", "sample.csv:2: the label in the last column, \"nan\", is missing");
}

TEST(too_many_names_are_refused)
{
    enum { ROWS = DATASET_CLASSES_MAX + 1, ROOM = 16 };
    char *text = malloc((size_t)ROWS * ROOM);
    size_t size = 0;
    for (int i = 0; i < ROWS; i++)
        size += (size_t)snprintf(text + size, ROOM, "1,n%06d\n", i);
    refused_sized(text, size, ":65537: more than 65536 different labels");
    free(text);
}

TEST(one_column_is_refused_with_a_hint)
{
    refused("1\n2\n", "sample.csv:1: has one field, expected a number and a label at least, with a comma between");
    refused("1;2;0\n",
            "sample.csv:1: has one field, expected a number and a label at least, with a comma between; the file "
            "seems to be separated by ';', so write commas there (and points, no commas, in numbers)");
    refused("x;y;class\n1,5;2,5;0\n", "sample.csv:1: has one field, expected");
    refused("1\t2\t0\n", "seems to be separated by tabs, so write commas there");
    refused("1 2 0\n", "seems to be separated by spaces, so write commas there");
}

/* As spreadsheets write it where 1.5 is 1,5: there are commas, but in the wrong places. */
TEST(semicolons_are_noticed_among_decimal_commas)
{
    refused("5,1;3,5;0\n4,9;3;1\n", "seems to be separated by ';'");
    refused("1,5;a\n2,5;b\n",
            "sample.csv:1: the label in the last column is \"5;a\", expected a class without ';'; the file "
            "seems to be separated by ';'");
    refused("1,5;2,5;a\n2,5;3,5;b\n2,5;3,5;b\n", "seems to be separated by ';'");
    refused("1,2,0\n3;4;1\n", "sample.csv:2: this row has fewer than the 3 fields of the first row; the file seems");
    refused("1,2,0\n3;4,5,1\n", "sample.csv:2: field 1 is \"3;4\", expected a finite number; the file seems");
    refused("1,2,0\nx,5,1\n", "field 1 is \"x\", expected a finite number");
}

TEST(semicolons_in_quotes_are_text)
{
    static const char text[] = "1,\"a;b\"\n2,\"c;d\"\n";
    Dataset dataset;
    ck_assert_ok(csv_parse("x", (const uint8_t *)text, strlen(text), &dataset, &error));
    ck_assert_str_eq(dataset.class_names[0], "a;b");
    dataset_free(&dataset);
}

TEST(quotes_must_be_closed_in_their_line)
{
    refused("1,2,0\n3,\"4,1\n5,6,1\n", "sample.csv:2: the quote that opens field 2");
    refused("1,\"2", "the quote that opens field 2");
    refused("1,2,\"", "the quote that opens field 3");
    refused("1,\"2\"3,0\n", "sample.csv:1: field 2 goes on behind its closing quote");
}

TEST(nul_bytes_are_refused)
{
    refused_sized("1,2,0\n3,\0004,1\n", 14, "byte 8 is NUL");
    refused_sized("\xff\xfe"
                  "1\0,\0002\0",
                  8, "UTF-16");
}

TEST_CALL(lone_carriage_return_is_no_line_end, refused("1,2,0\n1,2\r3,0\n", "field 2 is \"2?3\""))

TEST(huge_fields_are_refused)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    memset(text, '7', SIZE);
    refused_sized(text, SIZE, "field 1 has 1048576 bytes");
    memset(text, '"', SIZE);
    refused_sized(text, SIZE,
                  "field 1 has 1048574 bytes"); /* an even number: the first and the last enclose the others */
    refused_sized(text, SIZE - 1, "quote");
    memset(text, ' ', SIZE);
    refused_sized(text, SIZE, "no rows");
    free(text);
}

TEST(too_many_columns_are_refused)
{
    enum { SIZE = 2 * (CSV_COLUMNS_MAX + 1) };
    char *text = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i += 2)
        memcpy(text + i, "1,", 2);
    text[SIZE - 1] = '\n';
    refused_sized(text, SIZE, "more than 262144 columns");
    text[SIZE - 3] = '\n'; /* one fewer is just right */
    Dataset dataset;
    ck_assert(csv_parse("x", (const uint8_t *)text, SIZE - 2, &dataset, NULL));
    ck_assert_uint_eq(dataset.features, CSV_COLUMNS_MAX - 1);
    dataset_free(&dataset);
    free(text);
}

TEST(binary_rubbish_is_refused)
{
    char text[256];
    for (int i = 0; i < 255; i++)
        text[i] = (char)(i + 1);
    refused_sized(text, 255, "sample.csv");
}

TEST_MAIN("csv_refused")
