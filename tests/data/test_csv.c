/* CSV: every form that is read. What is refused: test_csv_refused.c.
 * SPDX-License-Identifier: MIT */
#include "data/csv_reader.h"
#include "tests/testing.h"

static Dataset
read_text(const char *text)
{
    size_t size = strlen(text);
    Dataset dataset;
    uint8_t *copy = malloc(size ? size : 1); /* AddressSanitizer sees a byte read too many */
    memcpy(copy, text, size);
    bool ok = csv_parse("folder/sample.csv", copy, size, &dataset, &error);
    free(copy);
    ck_assert_ok(ok);
    return dataset;
}

/* Two samples: (1, 2) of class 0, (3, 4) of class 1. */
static void
is_two_by_two(const char *text)
{
    Dataset dataset = read_text(text);
    ck_assert_uint_eq(dataset.count, 2);
    ck_assert_uint_eq(dataset.features, 2);
    ck_assert_int_eq(dataset.classes, 2);
    ck_assert_floats(dataset.x, ((float[]){1, 2, 3, 4}), 4, 0, 0);
    ck_assert_int_eq(dataset.labels[0], 0);
    ck_assert_int_eq(dataset.labels[1], 1);
    dataset_free(&dataset);
}

TEST(plain_rows_are_vectors)
{
    Dataset dataset = read_text("1,2,0\n3,4,1\n");
    ck_assert_str_eq(dataset.name, "sample.csv");
    ck_assert_int_eq(dataset.height, 1);
    ck_assert_int_eq(dataset.width, 1);
    ck_assert_int_eq(dataset.channels, 2);
    ck_assert_uint_eq(dataset.train_count, 0);
    ck_assert_ptr_null(dataset.class_names);
    dataset_free(&dataset);
    is_two_by_two("1,2,0\n3,4,1\n");
}

TEST(last_newline_may_be_missing)
{
    is_two_by_two("1,2,0\n3,4,1");
    is_two_by_two("a,b,c\r\n1,2,0\r\n3,4,1");
}

TEST_CALL(crlf_is_a_line_end, is_two_by_two("1,2,0\r\n3,4,1\r\n"))
TEST_CALL(blank_lines_are_passed_over, is_two_by_two("\n \n1,2,0\n\r\n\t\n3,4,1\n\n\n"))

TEST(byte_order_mark_is_passed_over)
{
    is_two_by_two("\xef\xbb\xbf"
                  "1,2,0\n3,4,1\n");
    is_two_by_two("\xef\xbb\xbf"
                  "a,b,c\n1,2,0\n3,4,1\n");
}

TEST_CALL(blanks_around_fields_do_not_count, is_two_by_two(" 1 ,\t2, 0 \n3,4 ,1\n"))
TEST_CALL(quoted_fields_are_read, is_two_by_two("\"1\",2,\"0\"\n 3 , \"4\" ,1\n"))

TEST(numbers_have_many_forms)
{
    Dataset dataset = read_text("-1.5,+2,.5,3.,1e3,2.5E-1,1234567890,0\n0,0,0,0,0,0,000000000007,0\n");
    ck_assert_floats(dataset.x, ((float[]){-1.5f, 2, 0.5f, 3, 1000, 0.25f, 1234567890.0f}), 7, 0, 0);
    ck_assert_float_eq(dataset.x[13], 7);
    dataset_free(&dataset);
}

TEST(header_is_recognised_by_its_names)
{
    is_two_by_two("width,height,class\n1,2,0\n3,4,1\n");
    is_two_by_two("\"width, cm\",height,class\n1,2,0\n3,4,1\n");
    is_two_by_two("1,height,class\n1,2,0\n3,4,1\n");
    is_two_by_two(",height,class\n1,2,0\n3,4,1\n");
}

TEST_CALL(header_of_numbers_is_recognised_by_its_label, is_two_by_two("0,1,label\n1,2,0\n3,4,1\n"))

TEST(first_row_with_a_class_name_is_no_header)
{
    Dataset dataset = read_text("1,2,cat\n3,4,dog\n");
    ck_assert_uint_eq(dataset.count, 2);
    dataset_free(&dataset);
    dataset = read_text("1,2,cat\n");
    ck_assert_uint_eq(dataset.count, 1);
    dataset_free(&dataset);
}

TEST(class_names_are_numbered_in_sorted_order)
{
    Dataset dataset = read_text("1,pear\n2,apple\n3,\"fig, dried\"\n4,apple\n");
    ck_assert_int_eq(dataset.classes, 3);
    ck_assert_str_eq(dataset.class_names[0], "apple");
    ck_assert_str_eq(dataset.class_names[1], "fig, dried");
    ck_assert_str_eq(dataset.class_names[2], "pear");
    ck_assert_int_eq(dataset.labels[0], 2);
    ck_assert_int_eq(dataset.labels[1], 0);
    ck_assert_int_eq(dataset.labels[2], 1);
    ck_assert_int_eq(dataset.labels[3], 0);
    dataset_free(&dataset);
}

TEST(doubled_quotes_are_one)
{
    Dataset dataset = read_text("1,\"a \"\"b\"\"\"\n2,c\n");
    ck_assert_str_eq(dataset.class_names[0], "a \"b\"");
    dataset_free(&dataset);
}

TEST(whole_numbers_stand_for_themselves)
{
    Dataset dataset = read_text("1,5\n2,0\n3,2.0\n");
    ck_assert_int_eq(dataset.classes, 6); /* 0 .. 5, though only three occur */
    ck_assert_int_eq(dataset.labels[0], 5);
    ck_assert_int_eq(dataset.labels[2], 2);
    ck_assert_ptr_null(dataset.class_names);
    dataset_free(&dataset);
}

TEST(numbers_among_names_are_names)
{
    Dataset dataset = read_text("1,7\n2,a\n3,7\n");
    ck_assert_int_eq(dataset.classes, 2);
    ck_assert_str_eq(dataset.class_names[0], "7");
    ck_assert_int_eq(dataset.labels[2], 0);
    dataset_free(&dataset);
}

TEST(pixel_columns_make_images)
{
    Dataset dataset = read_text("pixel_0_0,pixel_0_1,pixel_0_2,pixel_1_0,pixel_1_1,pixel_1_2,digit\n1,2,3,4,5,6,0\n");
    ck_assert_int_eq(dataset.height, 2);
    ck_assert_int_eq(dataset.width, 3);
    ck_assert_int_eq(dataset.channels, 1);
    dataset_free(&dataset);
    dataset = read_text("pixel_0_0,pixel_1_1,digit\n1,2,0\n"); /* 2 x 2 would be 4 columns */
    ck_assert_int_eq(dataset.height, 1);
    ck_assert_int_eq(dataset.channels, 2);
    dataset_free(&dataset);
}

TEST(one_sample_is_enough)
{
    Dataset dataset = read_text("1,0");
    ck_assert_uint_eq(dataset.count, 1);
    ck_assert_int_eq(dataset.classes, 1);
    dataset_free(&dataset);
}

TEST(largest_label_is_accepted)
{
    Dataset dataset = read_text("1,65535\n");
    ck_assert_int_eq(dataset.classes, DATASET_CLASSES_MAX);
    dataset_free(&dataset);
}

TEST(sentence_may_be_unwanted)
{
    Dataset dataset;
    ck_assert(!csv_parse("x", (const uint8_t *)"1", 1, &dataset, NULL));
}

TEST(files_are_read)
{
    Dataset dataset;
    ck_assert_ok(csv_read(testing_write("two.csv", "1,2,0\n3,4,1\n", 12), &dataset, &error));
    ck_assert_str_eq(dataset.name, "two.csv");
    ck_assert_uint_eq(dataset.count, 2);
    dataset_free(&dataset);
    ck_assert_refused(csv_read(testing_path("none.csv"), &dataset, &error), "none.csv: cannot be opened");
}

TEST_MAIN("csv")
