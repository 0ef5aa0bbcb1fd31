/* safetensors: what we write we read back bit by bit, and a file of the format's own library is read right.
 * What must be refused is in test_safetensors_bad.c.
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"
#include "tests/testing.h"
#include <signal.h>
#include <sys/resource.h>

static Safetensors
read_or_fail(const char *path)
{
    Safetensors file;
    bool good = safetensors_read(path, &file, &error);
    ck_assert_ok(good);
    return file;
}

static void
write_or_fail(const char *path, const Tensor *tensors, size_t count, const Metadata *metadata, size_t metadata_count)
{
    bool good = safetensors_write(path, tensors, count, metadata, metadata_count, &error);
    ck_assert_ok(good);
}

static void
copy_or_fail(const Safetensors *file, const char *name, TensorType type, void *to, size_t count)
{
    const Tensor *tensor = safetensors_find(file, name);
    ck_assert_msg(tensor != NULL, "no tensor %s", name);
    ck_assert_ok(tensor_copy(tensor, type, to, count, &error));
}

TEST(round_trip_keeps_every_bit)
{
    const float weight[6] = {0.1f, -0.0f, NAN, INFINITY, FLT_MIN / 4, -FLT_MAX};
    const Tensor out = {
        .name = "layers.0.weight", .type = TENSOR_F32, .dimensions = 2, .shape = {2, 3}, .data = weight};
    const char *path = testing_path("round.safetensors");
    write_or_fail(path, &out, 1, NULL, 0);

    Safetensors file = read_or_fail(path);
    float back[6];
    copy_or_fail(&file, "layers.0.weight", TENSOR_F32, back, 6);
    ck_assert_mem_eq(back, weight, sizeof(weight));
    ck_assert_int_eq(file.tensors[0].dimensions, 2);
    ck_assert_uint_eq(file.tensors[0].shape[0], 2);
    ck_assert_uint_eq(file.tensors[0].shape[1], 3);
    safetensors_free(&file);
}

TEST(round_trip_of_all_types_that_we_write)
{
    const double d[2] = {M_PI, -0.1};
    const int64_t i[1] = {INT64_MIN};
    const uint64_t u[1] = {UINT64_MAX};
    const float f[3] = {1, 2, 3};
    const Tensor out[] = {
        {.name = "d", .type = TENSOR_F64, .dimensions = 1, .shape = {2}, .data = d},
        {.name = "i", .type = TENSOR_I64, .dimensions = 0, .data = i},
        {.name = "u", .type = TENSOR_U64, .dimensions = 1, .shape = {1}, .data = u},
        {.name = "f", .type = TENSOR_F32, .dimensions = 3, .shape = {1, 3, 1}, .data = f},
    };
    const char *path = testing_path("types.safetensors");
    write_or_fail(path, out, 4, NULL, 0);

    Safetensors file = read_or_fail(path);
    double d_back[2];
    int64_t i_back[1];
    uint64_t u_back[1];
    float f_back[3];
    copy_or_fail(&file, "d", TENSOR_F64, d_back, 2);
    copy_or_fail(&file, "i", TENSOR_I64, i_back, 1);
    copy_or_fail(&file, "u", TENSOR_U64, u_back, 1);
    copy_or_fail(&file, "f", TENSOR_F32, f_back, 3);
    ck_assert_mem_eq(d_back, d, sizeof(d));
    ck_assert_mem_eq(i_back, i, sizeof(i));
    ck_assert_mem_eq(u_back, u, sizeof(u));
    ck_assert_mem_eq(f_back, f, sizeof(f));
    safetensors_free(&file);
}

TEST(metadata_survives_quotes_and_umlauts)
{
    const Metadata out[] = {{"b", "say \"no\" \\ \n\t"}, {"a", "\xc3\xbc"}, {"empty", ""}};
    const char *path = testing_path("metadata.safetensors");
    write_or_fail(path, NULL, 0, out, 3);
    Safetensors file = read_or_fail(path);
    ck_assert_uint_eq(file.metadata_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(safetensors_metadata(&file, out[i].key), out[i].value);
    ck_assert_ptr_null(safetensors_metadata(&file, "c"));
    safetensors_free(&file);
}

TEST(file_without_tensors)
{
    const char *path = testing_path("none.safetensors");
    write_or_fail(path, NULL, 0, NULL, 0);
    Safetensors file = read_or_fail(path);
    ck_assert_uint_eq(file.tensor_count, 0);
    ck_assert_uint_eq(file.metadata_count, 0);
    ck_assert_ptr_null(safetensors_find(&file, "x"));
    safetensors_free(&file);
}

TEST(empty_tensor_between_others)
{
    const float x[2] = {1, 2};
    const Tensor out[] = {
        {.name = "first", .type = TENSOR_F32, .dimensions = 1, .shape = {1}, .data = x},
        {.name = "none", .type = TENSOR_F32, .dimensions = 2, .shape = {0, 7}, .data = NULL},
        {.name = "last", .type = TENSOR_F32, .dimensions = 1, .shape = {1}, .data = x + 1},
    };
    const char *path = testing_path("empty.safetensors");
    write_or_fail(path, out, 3, NULL, 0);
    Safetensors file = read_or_fail(path);
    float back = 0;
    copy_or_fail(&file, "none", TENSOR_F32, NULL, 0);
    copy_or_fail(&file, "last", TENSOR_F32, &back, 1);
    ck_assert(back == 2);
    ck_assert_uint_eq(safetensors_find(&file, "none")->shape[1], 7);
    safetensors_free(&file);
}

/* "a", "aa", .. shift the end of the header through all remainders. */
TEST(data_begin_at_a_multiple_of_8)
{
    const double x = 1.5;
    char name[16] = "";
    for (int length = 1; length <= 8; length++) {
        strcat(name, "a");
        const Tensor out = {.name = name, .type = TENSOR_F64, .dimensions = 0, .data = &x};
        const char *path = testing_path("aligned.safetensors");
        write_or_fail(path, &out, 1, NULL, 0);
        uint64_t header = 0;
        FILE *stream = fopen(path, "rb");
        ck_assert_uint_eq(fread(&header, sizeof(header), 1, stream), 1);
        fclose(stream);
        ck_assert_uint_eq(header % 8, 0);
        Safetensors file = read_or_fail(path);
        double back;
        copy_or_fail(&file, name, TENSOR_F64, &back, 1);
        ck_assert(back == x);
        safetensors_free(&file);
    }
}

TEST(same_arguments_same_bytes)
{
    const float x[3] = {1, 2, 3};
    const Tensor out = {.name = "x", .type = TENSOR_F32, .dimensions = 1, .shape = {3}, .data = x};
    const Metadata metadata = {"key", "text"};
    unsigned char bytes[2][256];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        const char *path = testing_path(i ? "second.safetensors" : "first.safetensors");
        write_or_fail(path, &out, 1, &metadata, 1);
        FILE *stream = fopen(path, "rb");
        size[i] = fread(bytes[i], 1, sizeof(bytes[i]), stream);
        fclose(stream);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
}

TEST(copy_refuses_another_type_or_count)
{
    const float x[2] = {1, 2};
    double wrong[2];
    float room[4];
    const Tensor tensor = {.name = "x", .type = TENSOR_F32, .dimensions = 1, .shape = {2}, .count = 2, .data = x};
    ck_assert(!tensor_copy(&tensor, TENSOR_F64, wrong, 2, &error));
    ck_assert_str_eq(error.text, "tensor \"x\" is of type F32, expected F64");
    ck_assert(!tensor_copy(&tensor, TENSOR_F32, room, 4, &error));
    ck_assert_str_eq(error.text, "tensor \"x\" has 2 elements, expected 4");
}

TEST(writing_into_a_missing_folder_is_refused)
{
    ck_assert_refused(safetensors_write("/nonexistent/folder/x.safetensors", NULL, 0, NULL, 0, &error), "");
}

/* A limit on the size of files stands for a full disk: write fails in the same place. */
TEST(a_full_disk_leaves_the_old_file)
{
    static float zeros[100000];
    const float one = 1;
    const Tensor small = {.name = "x", .type = TENSOR_F32, .dimensions = 0, .data = &one};
    const Tensor large = {.name = "x", .type = TENSOR_F32, .dimensions = 1, .shape = {100000}, .data = zeros};
    const char *path = testing_path("full.safetensors");
    write_or_fail(path, &small, 1, NULL, 0);

    struct rlimit before, limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 65536;
    signal(SIGXFSZ, SIG_IGN);
    bool limited = setrlimit(RLIMIT_FSIZE, &limit) == 0; /* no assertion under the limit: Check writes files too */
    bool written = safetensors_write(path, &large, 1, NULL, 0, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert(limited && !written);
    ck_assert_msg(strstr(error.text, "full.safetensors") != NULL, "%s", error.text);

    Safetensors file = read_or_fail(path);
    float back = 0;
    copy_or_fail(&file, "x", TENSOR_F32, &back, 1);
    ck_assert(back == 1);
    safetensors_free(&file);
}

/* tests/golden/torch.safetensors was written by the format's own library: make_torch_safetensors.py. */
TEST(golden_file_of_the_python_library)
{
    Safetensors file = read_or_fail(RUNGS_ROOT "/tests/golden/torch.safetensors");
    ck_assert_uint_eq(file.tensor_count, 7);
    ck_assert_str_eq(safetensors_metadata(&file, "format"), "pt");
    ck_assert_str_eq(safetensors_metadata(&file, "note"), "quotes \" and \xc3\xbc");

    const float want_weight[6] = {-0.625f, -0.375f, -0.125f, 0.125f, 0.375f, 0.625f}, want_bias[2] = {0.1f, -1e-30f};
    float weight[6], bias[2];
    int64_t steps[2];
    uint64_t counter;
    double history[2];
    copy_or_fail(&file, "layers.0.weight", TENSOR_F32, weight, 6);
    copy_or_fail(&file, "layers.0.bias", TENSOR_F32, bias, 2);
    copy_or_fail(&file, "steps", TENSOR_I64, steps, 2);
    copy_or_fail(&file, "counter", TENSOR_U64, &counter, 1);
    copy_or_fail(&file, "history", TENSOR_F64, history, 2);
    ck_assert_mem_eq(weight, want_weight, sizeof(weight));
    ck_assert_mem_eq(bias, want_bias, sizeof(bias));
    ck_assert_int_eq(steps[0], -1);
    ck_assert_int_eq(steps[1], (int64_t)1 << 40);
    ck_assert_uint_eq(counter, UINT64_MAX);
    ck_assert(history[0] == 0.1 && history[1] == M_PI);
    ck_assert_int_eq(safetensors_find(&file, "counter")->dimensions, 0);
    ck_assert_uint_eq(safetensors_find(&file, "empty")->count, 0);
    ck_assert_int_eq(safetensors_find(&file, "half")->type, TENSOR_F16);
    ck_assert_uint_eq(safetensors_find(&file, "layers.0.weight")->shape[1], 3);
    safetensors_free(&file);
}

TEST_MAIN("safetensors")
