/* Checksums of tensors: a flipped bit anywhere in the data is found, and the sentence names its tensor.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "nn/checksum.h"
#include "nn/weights.h"
#include "tests/nn/training_fixture.h"

static unsigned char bytes[100000];

/* A file as a whole in `bytes`; returns its size. */
static size_t
read_whole(const char *path)
{
    FILE *stream = fopen(path, "rb");
    ck_assert_ptr_nonnull(stream);
    const size_t size = fread(bytes, 1, sizeof(bytes), stream);
    fclose(stream);
    ck_assert(size > 0 && size < sizeof(bytes));
    return size;
}

static const char *
save_checkpoint(void)
{
    Fixture fixture;
    double loss;
    fixture_create(&fixture, NULL);
    for (int i = 0; i < 11; i++)
        ck_assert(trainer_step(fixture.trainer, &loss, &error));
    const Checkpoint checkpoint = {.path = testing_path("saved.safetensors"), .trainer = fixture.trainer};
    ck_assert_ok(checkpoint_save(&checkpoint, &error));
    fixture_free(&fixture);
    return testing_path("saved.safetensors");
}

static const Tensor small[] = {
    {.name = "a", .type = TENSOR_F32, .dimensions = 2, .shape = {2, 3}, .data = (const float[]){1, 2, 3, 4, 5, 6}},
    {.name = "empty", .type = TENSOR_F32, .dimensions = 1, .shape = {0}},
    {.name = "text", .type = TENSOR_U8, .dimensions = 1, .shape = {9}, .data = "123456789"},
};

TEST(the_checksum_is_crc_32)
{
    const Metadata given[] = {{"format", "mine"}};
    const char *path = testing_path("small.safetensors");
    Safetensors file;
    ck_assert_ok(checksums_write(path, small, COUNT(small), given, 1, &error));
    ck_assert_ok(safetensors_read(path, &file, &error));
    ck_assert_uint_eq(file.metadata_count, 1 + COUNT(small));
    ck_assert_str_eq(safetensors_metadata(&file, "format"), "mine");
    ck_assert_str_eq(safetensors_metadata(&file, "crc32.text"), "cbf43926"); /* the check value of its definition */
    ck_assert_str_eq(safetensors_metadata(&file, "crc32.empty"), "00000000");
    ck_assert_ok(checksums_check(path, &file, &error));
    safetensors_free(&file);
}

/* Every bit of the data of a checkpoint, another one in each byte. */
TEST(a_flipped_bit_is_found_wherever_it_is)
{
    const char *path = save_checkpoint();
    const size_t size = read_whole(path);
    Safetensors good, file;
    ck_assert_ok(safetensors_parse(path, bytes, size, &good, &error));
    ck_assert_ok(checksums_check(path, &good, &error));
    for (size_t t = 0; t < good.tensor_count; t++) {
        const Tensor *tensor = &good.tensors[t];
        char name[100];
        snprintf(name, sizeof name, "tensor \"%s\" has the checksum", tensor->name);
        for (size_t i = 0; i < tensor_bytes(tensor); i++) {
            unsigned char *byte = bytes + ((const unsigned char *)tensor->data - bytes) + i;
            *byte ^= (unsigned char)(1 << i % 8);
            ck_assert(!checksums_check(path, &good, &error));
            ck_assert_msg(strstr(error.text, name) != NULL && strstr(error.text, path) == error.text, "%s", error.text);
            *byte ^= (unsigned char)(1 << i % 8);
        }
    }
    safetensors_free(&good);

    bytes[size - 1] ^= 0x10;
    const char *damaged = testing_write("damaged.safetensors", bytes, size);
    ck_assert(!checkpoint_open(damaged, &file, &error));
    ck_assert_ptr_null(file.header); /* nothing to free */
    ck_assert_ptr_nonnull(strstr(error.text, "; the file is damaged, go on from an older one or a copy"));
}

TEST(files_of_others_have_none)
{
    const char *path = testing_path("plain.safetensors");
    Safetensors file;
    ck_assert_ok(safetensors_write(path, small, COUNT(small), NULL, 0, &error));
    ck_assert_ok(safetensors_read(path, &file, &error));
    ck_assert_ok(checksums_check(path, &file, &error));
    safetensors_free(&file);
    ck_assert_ok(safetensors_read(RUNGS_ROOT "/tests/golden/torch.safetensors", &file, &error));
    ck_assert_ok(checksums_check("torch", &file, &error));
    safetensors_free(&file);
}

TEST(weights_are_checked_too)
{
    Fixture fixture;
    const char *path = testing_path("weights.safetensors");
    fixture_create(&fixture, NULL);
    ck_assert_ok(weights_save(fixture.net, path, &error));
    ck_assert_ok(weights_load(fixture.net, path, &error));
    const size_t size = read_whole(path);
    bytes[size - 3] ^= 1;
    const char *damaged = testing_write("damaged.safetensors", bytes, size);
    ck_assert_refused(weights_load(fixture.net, damaged, &error), "has the checksum");
    fixture_free(&fixture);
}

TEST_MAIN("checksum")
