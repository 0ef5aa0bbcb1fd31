/* Reading and writing JSON. SPDX-License-Identifier: MIT */
#include "core/json.h"
#include "tests/testing.h"

/* json_read of these bytes must fail with a sentence that has this part. */
static void
assert_refused(const char *name, const char *bytes, size_t size, const char *part)
{
    ck_assert_refused(json_read(testing_write(name, bytes, size), &error), part);
    ck_assert_msg(strstr(error.text, name) != NULL, "the file's name is not in: %s", error.text);
}

TEST(tree_comes_back)
{
    const char *path = testing_path("tree.json");
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", "say \"hi\"\n");
    cJSON_AddNumberToObject(json, "seconds", 0.125);
    cJSON_AddItemToObject(json, "times", json_doubles((double[]){1, 2.5, -3e-9}, 3));
    ck_assert(json_write(path, json, &error));
    cJSON *read = json_read(path, &error);
    ck_assert(cJSON_Compare(json, read, true));
    cJSON_Delete(json);
    cJSON_Delete(read);
}

TEST(members_by_a_format)
{
    cJSON *json = cJSON_CreateObject();
    json_add(json, "name %s, epochs %d, first %zu, bytes %llu, loss %g", "a b", -3, (size_t)7, 5000000000ULL, 0.125);
    char *text = cJSON_PrintUnformatted(json);
    ck_assert_str_eq(text, "{\"name\":\"a b\",\"epochs\":-3,\"first\":7,\"bytes\":5000000000,\"loss\":0.125}");
    free(text);
    cJSON_Delete(json);
}

TEST(no_numbers_become_null)
{
    const char *path = testing_path("nan.json");
    cJSON *json = json_doubles((double[]){NAN, INFINITY, -INFINITY, 1}, 4);
    ck_assert(json_write(path, json, &error));
    cJSON *read = json_read(path, &error);
    ck_assert_int_eq(cJSON_GetArraySize(read), 4);
    for (int i = 0; i < 3; i++)
        ck_assert(cJSON_IsNull(cJSON_GetArrayItem(read, i)));
    ck_assert_double_eq(cJSON_GetArrayItem(read, 3)->valuedouble, 1);
    cJSON_Delete(json);
    cJSON_Delete(read);
}

TEST(doubles_of_nothing_are_an_empty_array)
{
    cJSON *json = json_doubles(NULL, 0);
    ck_assert(cJSON_IsArray(json));
    ck_assert_int_eq(cJSON_GetArraySize(json), 0);
    cJSON_Delete(json);
}

TEST(absent_file_and_folder_are_refused)
{
    ck_assert_refused(json_read(testing_path("absent.json"), &error), "No such file");
    ck_assert_refused(json_read(testing_path("."), &error), "folder");
    ck_assert_ptr_null(json_read(testing_path("absent.json"), NULL));
}

TEST(empty_and_binary_files_are_refused)
{
    assert_refused("empty.json", "", 0, "empty");
    assert_refused("blank.json", "  \n ", 4, "not valid JSON");
    assert_refused("binary.json", "{\"a\": 1}\0{}", 11, "zero byte at 8");
}

TEST(syntax_error_is_located)
{
    assert_refused("word.json", "{\n  \"a\": 1,\n  \"b\": oops\n}\n", 26, "line 3, column 8");
    assert_refused("behind.json", "{} {}", 5, "line 1, column 4");
}

/* Cut anywhere, a file is refused, never half read. */
TEST(truncated_file_is_refused)
{
    const char text[] = "{\"name\": \"a\\u00e9\", \"list\": [1, 2.5e3, true, null], \"deep\": {\"x\": {}}}";
    for (size_t size = 1; size < sizeof(text) - 1; size++)
        assert_refused("cut.json", text, size, "not valid JSON");
    cJSON *json = json_read(testing_write("cut.json", text, sizeof(text) - 1), &error);
    ck_assert_ptr_nonnull(json);
    cJSON_Delete(json);
}

TEST(deep_nesting_is_refused)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH);
    ck_assert_ptr_nonnull(text);
    memset(text, '[', DEPTH);
    assert_refused("deep.json", text, DEPTH, "not valid JSON");
    free(text);
}

/* A file of 64 MiB and one byte; the zeros are a hole and take no space. */
TEST(too_long_a_file_is_refused)
{
    const char *path = testing_write("long.json", "[", 1);
    FILE *file = fopen(path, "r+");
    ck_assert(fseek(file, 64L << 20, SEEK_SET) == 0 && fputc(']', file) == ']' && fclose(file) == 0);
    ck_assert_refused(json_read(path, &error), "longer than 64 MiB");
    ck_assert_refused(json_read("/dev/zero", &error), "longer than 64 MiB");
}

TEST(writing_into_an_absent_folder_is_refused)
{
    cJSON *json = cJSON_CreateObject();
    ck_assert_refused(json_write(testing_path("absent/x.json"), json, &error), "absent/x.json");
    ck_assert(!json_write(testing_path("x.json"), NULL, &error));
    cJSON_Delete(json);
}

TEST_MAIN("json")
