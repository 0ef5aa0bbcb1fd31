/* Raw and compressed files: what is read, and what is refused.
 * SPDX-License-Identifier: MIT */
#include "data/bytes.h"
#include "tests/testing.h"

#include <sys/stat.h>
#include <zlib.h>

enum { ROOM = 4096 };

/* gzip-compresses `size` bytes into packed[ROOM]; returns the compressed size. */
static size_t
pack(const void *payload, size_t size, uint8_t packed[ROOM])
{
    z_stream stream = {
        .next_in = (Bytef *)(uintptr_t)payload, .avail_in = (uInt)size, .next_out = packed, .avail_out = ROOM};
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return ROOM - stream.avail_out;
}

/* The file in memory is refused, and the sentence holds `words`. */
static void
refused(const void *file, size_t size, size_t limit, const char *words)
{
    Bytes bytes;
    /* A copy of exactly this size: AddressSanitizer then sees a byte read too many. */
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, file, size);
    ck_assert_refused(bytes_unpack("sample.gz", copy, size, limit, &bytes, &error), words);
    free(copy);
    ck_assert_msg(strstr(error.text, "sample.gz") != NULL, "no name in: %s", error.text);
    ck_assert_ptr_null(bytes.data);
    ck_assert_uint_eq(bytes.size, 0);
}

TEST(raw_bytes_are_copied)
{
    Bytes bytes;
    ck_assert(bytes_unpack("x", (const uint8_t *)"abc", 3, 100, &bytes, NULL));
    ck_assert_uint_eq(bytes.size, 3);
    ck_assert_mem_eq(bytes.data, "abc", 3);
    bytes_free(&bytes);
    ck_assert_ptr_null(bytes.data);
}

TEST(gzip_is_unpacked_whatever_the_name)
{
    uint8_t packed[ROOM];
    size_t size = pack("five,5\n", 7, packed);
    Bytes bytes;
    ck_assert(bytes_read(testing_write("named.csv", packed, size), 100, &bytes, &error));
    ck_assert_uint_eq(bytes.size, 7);
    ck_assert_mem_eq(bytes.data, "five,5\n", 7);
    bytes_free(&bytes);
}

TEST(raw_file_named_gz_is_read)
{
    Bytes bytes;
    ck_assert(bytes_read(testing_write("raw.gz", "1,2\n", 4), 100, &bytes, NULL));
    ck_assert_uint_eq(bytes.size, 4);
    bytes_free(&bytes);
}

TEST(members_one_behind_the_other_are_joined)
{
    uint8_t packed[ROOM], both[2 * ROOM];
    size_t first = pack("abc", 3, packed);
    memcpy(both, packed, first);
    size_t second = pack("defgh", 5, packed);
    memcpy(both + first, packed, second);
    Bytes bytes;
    ck_assert(bytes_unpack("x", both, first + second, 100, &bytes, NULL));
    ck_assert_uint_eq(bytes.size, 8);
    ck_assert_mem_eq(bytes.data, "abcdefgh", 8);
    bytes_free(&bytes);
}

TEST(payload_of_exactly_the_limit_is_read)
{
    uint8_t packed[ROOM], payload[1000] = {1, 2, 3};
    size_t size = pack(payload, sizeof(payload), packed);
    Bytes bytes;
    ck_assert(bytes_unpack("x", packed, size, sizeof(payload), &bytes, NULL));
    ck_assert_mem_eq(bytes.data, payload, sizeof(payload));
    bytes_free(&bytes);
}

TEST(payload_of_one_byte_too_many_is_refused)
{
    uint8_t packed[ROOM], payload[1000] = {1, 2, 3};
    size_t size = pack(payload, sizeof(payload), packed);
    refused(packed, size, sizeof(payload) - 1, "larger than 999 B");
    refused(payload, sizeof(payload), sizeof(payload) - 1, "larger than 999 B");
}

TEST(gzip_bomb_is_refused)
{
    enum { BOMB = 1 << 20 };
    uint8_t packed[ROOM], *zeros = calloc(1, BOMB);
    size_t size = pack(zeros, BOMB, packed);
    free(zeros);
    ck_assert_uint_lt(size, 2000);
    refused(packed, size, 64 << 10, "larger than 64");
}

TEST(stated_size_is_not_believed)
{
    /* The trailer says 4 GiB - 1: nothing like that is allocated, and zlib then finds the lie. */
    uint8_t packed[ROOM];
    size_t size = pack("abc", 3, packed);
    memset(packed + size - 4, 0xff, 4);
    refused(packed, size, BYTES_LIMIT, "damaged");
}

TEST(gzip_cut_anywhere_is_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("a text that is long enough to be cut, and cut again", 51, packed);
    for (size_t cut = 2; cut < size; cut++)
        refused(packed, cut, 1000, cut < 18 ? "at least 18 bytes" : "stops in the middle");
}

TEST(wrong_checksum_is_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("abc", 3, packed);
    packed[size - 8] ^= 1;
    refused(packed, size, 1000, "damaged");
}

TEST(damaged_stream_is_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("a text with some length", 23, packed);
    packed[10] ^= 0x06; /* the block type */
    refused(packed, size, 1000, "fetch it again");
}

TEST(bytes_behind_the_stream_are_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("abc", 3, packed);
    memcpy(packed + size, "more", 4);
    refused(packed, size + 4, 1000, "4 bytes that are not gzip");
}

TEST(web_page_is_refused)
{
    static const char *const pages[] = {"<!DOCTYPE html><html>404", "\n  <html lang=en>", "<HTML>",
                                        "<?xml version=\"1.0\"?>", "<!-- blocked -->"};
    for (size_t i = 0; i < COUNT(pages); i++)
        refused(pages[i], strlen(pages[i]), 1000, "web page");
}

TEST(compressed_web_page_is_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("<!doctype html>", 15, packed);
    refused(packed, size, 1000, "web page");
}

TEST(empty_payload_is_refused)
{
    uint8_t packed[ROOM];
    size_t size = pack("", 0, packed);
    refused(packed, size, 1000, "no data");
    refused("", 0, 1000, "empty");
}

TEST(empty_file_is_refused)
{
    Bytes bytes;
    ck_assert_refused(bytes_read(testing_write("empty", "", 0), 100, &bytes, &error), "empty");
}

TEST(missing_file_is_refused)
{
    Bytes bytes;
    ck_assert_refused(bytes_read(testing_path("missing.gz"), 100, &bytes, &error), "missing.gz");
    ck_assert_ptr_nonnull(strstr(error.text, "No such file"));
}

TEST(folder_is_refused)
{
    Bytes bytes;
    ck_assert_refused(bytes_read("/", 100, &bytes, &error), "is a folder");
}

TEST(device_and_pipe_are_refused_at_once)
{
    Bytes bytes;
    ck_assert_refused(bytes_read("/dev/zero", 100, &bytes, &error), "device or a pipe");
    const char *pipe = testing_path("pipe"); /* nobody writes into it: opening must not wait */
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    ck_assert_refused(bytes_read(pipe, 100, &bytes, &error), "device or a pipe");
}

TEST(large_file_is_refused_unread)
{
    Bytes bytes;
    ck_assert_refused(bytes_read(testing_write("large", "0123456789", 10), 9, &bytes, &error), "larger than 9 B");
}

TEST_MAIN("bytes")
