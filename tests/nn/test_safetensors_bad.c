/* safetensors: files that must be refused, each with a sentence that says why. Every buffer is exactly as long as its
 * file, so that the address sanitizer sees one byte read too many.
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"
#include "tests/testing.h"

/* Parses a file of this header and `size` bytes of data. */
static bool
parse(const char *json, size_t data)
{
    uint64_t length = strlen(json);
    size_t size = 8 + length + data;
    unsigned char *bytes = calloc(1, size);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, json, length);
    Safetensors file;
    bool good = safetensors_parse("file", bytes, size, &file, &error);
    if (!good) {
        ck_assert_ptr_null(file.tensors);
        ck_assert_uint_eq(file.tensor_count, 0);
    }
    safetensors_free(&file);
    free(bytes);
    return good;
}

static void
expect_refusal(const char *json, size_t data, const char *part)
{
    ck_assert_refused(parse(json, data), part);
    ck_assert_msg(strncmp(error.text, "file: ", 6) == 0, "\"%s\" does not name the file", error.text);
    ck_assert_msg(strstr(error.text, "expected") != NULL, "\"%s\" does not say what was expected", error.text);
    ck_assert_msg(strstr(error.text, " again") != NULL, "\"%s\" does not say what to do", error.text);
}

static void
expect_acceptance(const char *json, size_t data)
{
    ck_assert_ok(parse(json, data));
}

static void
expect_bytes_refused(const void *bytes, size_t size, const char *part)
{
    Safetensors file;
    unsigned char *copy = calloc(1, size + (size == 0));
    memcpy(copy, bytes, size);
    ck_assert_refused(safetensors_parse("file", copy, size, &file, &error), part);
    ck_assert_msg(strstr(error.text, " again") != NULL, "\"%s\" does not say what to do", error.text);
    free(copy);
}

#define X "\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"

TEST(good_files_are_accepted)
{
    expect_acceptance("{}", 0);
    expect_acceptance("{}     ", 0);
    expect_acceptance("{\"x\":{" X "}}", 8);
    expect_acceptance("{\"x\":{\"data_offsets\":[0,8], \"shape\":[2], \"dtype\":\"F32\"}}", 8);
    expect_acceptance("{\"y\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},\"x\":{" X "}}", 11);
    expect_acceptance("{\"__metadata__\":{}}", 0);
}

TEST(too_short_for_a_length)
{
    expect_bytes_refused("", 0, "0 bytes are too few");
    expect_bytes_refused("1234567", 7, "7 bytes are too few");
}

TEST(absurd_header_length)
{
    unsigned char bytes[16];
    memset(bytes, 0xff, sizeof(bytes));
    expect_bytes_refused(bytes, 16, "states a header of 18446744073709551615 bytes");
    uint64_t length = 100000001;
    memcpy(bytes, &length, 8);
    expect_bytes_refused(bytes, 16, "expected at most 100000000");
}

TEST(header_longer_than_the_file)
{
    const unsigned char bytes[10] = {3, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
    expect_bytes_refused(bytes, 10, "states a header of 3 bytes, expected at most 2");
}

TEST(header_that_is_not_json)
{
    expect_refusal("", 0, "is not a JSON object");
    expect_refusal("hello", 0, "is not a JSON object");
    expect_refusal("{\"x\":", 0, "is not a JSON object");
    expect_refusal("{\"x\":{\"dtype\":\"F3", 0, "is not a JSON object");
    expect_refusal("[1, 2]", 0, "is not a JSON object");
    expect_refusal(" {}", 0, "is not a JSON object");
    expect_refusal("\"{}\"", 0, "is not a JSON object");
}

TEST(deeply_nested_header)
{
    static char json[200001];
    memset(json, '[', sizeof(json) - 1);
    memcpy(json, "{\"x\":", 5);
    expect_refusal(json, 0, "is not a JSON object");
}

TEST(text_behind_the_header)
{
    expect_refusal("{}{}", 0, "something other than spaces");
    expect_refusal("{} \n", 0, "something other than spaces");
}

TEST(entries_of_the_wrong_kind)
{
    expect_refusal("{\"x\":1}", 0, "expected an object of dtype, shape and data_offsets");
    expect_refusal("{\"x\":{}}", 0, "expected an object of dtype, shape and data_offsets");
    expect_refusal("{\"x\":[\"F32\",[2],[0,8]]}", 8, "expected an object");
    expect_refusal("{\"x\":{" X ",\"more\":1}}", 8, "expected an object of dtype, shape and data_offsets");
    expect_refusal("{\"x\":{" X ",\"dtype\":\"F64\"}}", 8, "expected an object of dtype, shape and data_offsets");
}

TEST(wrong_types)
{
    expect_refusal("{\"x\":{\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "has no \"dtype\" text");
    expect_refusal("{\"x\":{\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "unknown type \"F33\"");
    expect_refusal("{\"x\":{\"DTYPE\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "has no \"dtype\" text");
}

TEST(wrong_shapes)
{
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "has no good \"shape\"");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "not an integer");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,6]}}", 6, "not an integer");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[\"2\"],\"data_offsets\":[0,8]}}", 8, "not an integer");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[1e300],\"data_offsets\":[0,8]}}", 8, "not an integer");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4, "at most 8");
}

TEST(shape_products_that_overflow)
{
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
                   "more elements than can be counted");
    expect_refusal("{\"x\":{\"dtype\":\"F64\",\"shape\":[2147483648,1073741824],\"data_offsets\":[0,0]}}", 0,
                   "more bytes than can be counted");
}

TEST(shape_that_does_not_fit_its_bytes)
{
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8,
                   "expected 12 bytes between them for its shape");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8,
                   "expected 8 bytes between them");
}

TEST(wrong_offsets)
{
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "two integers");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8, "two integers");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0.5,8.5]}}", 9, "two integers");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,1e999]}}", 8, "two integers");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":\"0,8\"}}", 8, "two integers");
}

TEST(cut_data)
{
    expect_refusal("{\"x\":{" X "}}", 7, "ends at byte 8 of the data, expected at most 7");
    expect_refusal("{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[9007199254740984,9007199254740992]}}", 8,
                   "expected at most 8");
}

TEST(bytes_that_belong_to_nobody)
{
    expect_refusal("{\"x\":{" X "}}", 9, "need 8 bytes of data, expected 9");
    expect_refusal("{}", 1, "need 0 bytes of data, expected 1");
    expect_refusal("{\"x\":{" X "},\"y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[9,10]}}", 10,
                   "begins at byte 9 of the data, expected 8");
    expect_refusal("{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, "begins at byte 1");
}

TEST(overlapping_tensors)
{
    expect_refusal("{\"x\":{" X "},\"y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[7,8]}}", 8,
                   "begins at byte 7 of the data, expected 8");
    expect_refusal("{\"x\":{" X "},\"y\":{" X "}}", 8, "begins at byte 0");
}

TEST(names_that_stand_twice)
{
    expect_refusal("{\"x\":{" X "},\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,9]}}", 9,
                   "tensor \"x\" stands twice");
    expect_refusal("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "\"__metadata__\" stands twice");
    expect_refusal("{\"__metadata__\":{\"k\":\"1\",\"l\":\"2\",\"k\":\"3\"}}", 0, "entry \"k\" stands twice");
}

TEST(wrong_metadata)
{
    expect_refusal("{\"__metadata__\":[]}", 0, "not an object of texts");
    expect_refusal("{\"__metadata__\":{\"k\":1}}", 0, "entry \"k\" is not a text");
}

/* Every file that is cut somewhere is refused, wherever the cut is. */
TEST(every_cut_is_noticed)
{
    const char *json = "{\"__metadata__\":{\"k\":\"v\"},\"x\":{" X "}}";
    uint64_t length = strlen(json);
    unsigned char bytes[256] = {0};
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, json, length);
    for (size_t size = 0; size < 8 + length + 8; size++)
        expect_bytes_refused(bytes, size, "file: ");
}

TEST(files_that_cannot_be_read)
{
    Safetensors file;
    ck_assert(!safetensors_read("/nonexistent.safetensors", &file, &error));
    ck_assert_str_eq(error.text, "/nonexistent.safetensors: cannot be opened: No such file or directory");
    ck_assert(!safetensors_read("/", &file, &error));
    ck_assert_str_eq(error.text, "/: is not a file, expected a safetensors file; name one");
    ck_assert_refused(safetensors_read(testing_write("empty", "", 0), &file, &error), "0 bytes are too few");
}

TEST_MAIN("safetensors_bad")
