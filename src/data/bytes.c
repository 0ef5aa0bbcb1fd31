/* The payload of a data file: see bytes.h. zlib inflates; this file checks before and after.
 * SPDX-License-Identifier: MIT */
#include "data/bytes.h"

#include "core/units.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

enum {
    GZIP_SMALLEST = 18,   /* a header of 10 bytes and a trailer of 8: CRC-32, then the payload's size modulo 2^32 */
    DEFLATE_RATIO = 1032, /* no deflate stream unpacks into more than this times its own size (zlib's manual) */
    GROWTH_MIN = 4096
};

static bool
no_memory(const char *name, size_t size, Error *error)
{
    char text[UNITS_SIZE];
    return error_set(error, "%s: no memory for %s; use a smaller file", name, units_bytes(text, (double)size));
}

static bool
too_large(const char *name, size_t limit, Error *error)
{
    char text[UNITS_SIZE];
    return error_set(error, "%s: the data is larger than %s, which is the most that is read; split the file", name,
                     units_bytes(text, (double)limit));
}

static bool
is_gzip(const uint8_t *file, size_t size)
{
    return size >= 2 && file[0] == 0x1f && file[1] == 0x8b;
}

/* A server that refuses, or asks for a login, sends a page: curl and browsers save it under the wanted name. */
static bool
is_web_page(const uint8_t *data, size_t size)
{
    static const char *const starts[] = {"<!doctype", "<html", "<head", "<?xml", "<!--"};
    while (size > 0 && strchr(" \t\r\n", *data) && *data)
        data++, size--;
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t length = strlen(starts[i]);
        if (size >= length && strncasecmp((const char *)data, starts[i], length) == 0)
            return true;
    }
    return false;
}

/* How much to allocate before inflating: the size that the trailer states, as far as it can be true. */
static size_t
first_guess(const uint8_t *file, size_t size, size_t limit)
{
    const uint8_t *t = file + size - 4; /* little-endian */
    size_t stated = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 | (size_t)t[3] << 24;
    size_t possible = size > limit / DEFLATE_RATIO ? limit : size * DEFLATE_RATIO;
    size_t guess = stated < possible ? stated : possible;
    return guess > GROWTH_MIN ? guess : GROWTH_MIN;
}

/* Makes room behind the bytes so far: twice as much, but one byte more than `limit` at most. That byte's use is the
 * proof that the payload is too large. */
static bool
grow(Bytes *bytes, size_t *capacity, size_t wanted, size_t limit)
{
    if (wanted > limit)
        wanted = limit + 1;
    uint8_t *data = realloc(bytes->data, wanted);
    if (!data)
        return false;
    bytes->data = data;
    *capacity = wanted;
    return true;
}

static bool
inflate_failed(const char *name, int code, const z_stream *stream, Error *error)
{
    if (code == Z_BUF_ERROR)
        return error_set(error, "%s: the compressed data stops in the middle; the download was cut off, fetch it again",
                         name);
    return error_set(error, "%s: the compressed data is damaged (%s); fetch it again", name,
                     stream->msg ? stream->msg : zError(code));
}

/* Inflates the whole file into *bytes. A gzip file may be several members, one behind the other; nothing else may
 * follow. */
static bool
inflate_all(const char *name, z_stream *stream, size_t capacity, size_t limit, Bytes *bytes, Error *error)
{
    for (;;) {
        if (bytes->size == capacity && !grow(bytes, &capacity, capacity ? 2 * capacity : GROWTH_MIN, limit))
            return no_memory(name, 2 * capacity, error);
        stream->next_out = bytes->data + bytes->size;
        stream->avail_out = (uInt)(capacity - bytes->size);
        int code = inflate(stream, Z_NO_FLUSH);
        bytes->size = capacity - stream->avail_out;
        if (bytes->size > limit)
            return too_large(name, limit, error);
        if (code == Z_STREAM_END && stream->avail_in == 0)
            return true;
        if (code == Z_STREAM_END && !is_gzip(stream->next_in, stream->avail_in))
            return error_set(error, "%s: %u bytes that are not gzip stand behind the compressed data; fetch it again",
                             name, stream->avail_in);
        if (code == Z_STREAM_END)
            code = inflateReset(stream);
        if (code != Z_OK) /* there was room for output, so Z_BUF_ERROR means that the input has ended */
            return inflate_failed(name, code, stream, error);
    }
}

static bool
unpack_gzip(const char *name, const uint8_t *file, size_t size, size_t limit, Bytes *bytes, Error *error)
{
    if (size < GZIP_SMALLEST)
        return error_set(error, "%s: a gzip file has at least %d bytes, this one has %zu; fetch it again", name,
                         GZIP_SMALLEST, size);
    enum { GZIP_HEADER = 16 }; /* tells zlib to expect gzip's header and to check its CRC */
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)file, .avail_in = (uInt)size};
    if (inflateInit2(&stream, MAX_WBITS + GZIP_HEADER) != Z_OK)
        return error_set(error, "%s: zlib could not start (%s)", name, stream.msg ? stream.msg : "no memory");
    size_t capacity = 0;
    bool ok = grow(bytes, &capacity, first_guess(file, size, limit), limit)
                  ? inflate_all(name, &stream, capacity, limit, bytes, error)
                  : no_memory(name, limit, error);
    inflateEnd(&stream);
    return ok;
}

static bool
copy_raw(const char *name, const uint8_t *file, size_t size, Bytes *bytes, Error *error)
{
    bytes->data = malloc(size);
    if (!bytes->data)
        return no_memory(name, size, error);
    memcpy(bytes->data, file, size);
    bytes->size = size;
    return true;
}

/* zlib counts in 32 bits. */
static size_t
clamp_limit(size_t limit)
{
    return limit < UINT32_MAX / 2 ? limit : UINT32_MAX / 2;
}

/* The checks that hold for raw and for unpacked data alike. */
static bool
check_payload(const char *name, const Bytes *bytes, Error *error)
{
    if (bytes->size == 0)
        return error_set(error, "%s: there is no data in it", name);
    if (is_web_page(bytes->data, bytes->size))
        return error_set(
            error, "%s: this is a web page, not data; the server refused the download, delete it and fetch it again",
            name);
    return true;
}

bool
bytes_unpack(const char *name, const uint8_t *file, size_t size, size_t limit, Bytes *bytes, Error *error)
{
    *bytes = (Bytes){0};
    limit = clamp_limit(limit);
    if (size == 0)
        return error_set(error, "%s: the file is empty", name);
    if (size > limit)
        return too_large(name, limit, error);
    bool ok = is_gzip(file, size) ? unpack_gzip(name, file, size, limit, bytes, error)
                                  : copy_raw(name, file, size, bytes, error);
    if (ok && check_payload(name, bytes, error))
        return true;
    bytes_free(bytes);
    return false;
}

/* Reads an open file of at most `limit` bytes as it is. The size that fstat gave can be wrong by now: one byte more is
 * requested. */
static bool
slurp(FILE *stream, const char *path, size_t expected, Bytes *bytes, Error *error)
{
    bytes->data = malloc(expected + 1);
    if (!bytes->data)
        return no_memory(path, expected, error);
    bytes->size = fread(bytes->data, 1, expected + 1, stream);
    if (ferror(stream))
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (bytes->size != expected)
        return error_set(error, "%s: its size changed while it was read; try again when it is complete", path);
    return true;
}

static bool
read_stream(FILE *stream, const char *path, size_t limit, Bytes *file, Error *error)
{
    struct stat status;
    if (fstat(fileno(stream), &status) != 0)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(error, "%s: is a folder; name a file in it", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: is a device or a pipe; write the data to a file first", path);
    if (status.st_size == 0)
        return error_set(error, "%s: the file is empty", path);
    if ((uintmax_t)status.st_size > clamp_limit(limit))
        return too_large(path, clamp_limit(limit), error);
    return slurp(stream, path, (size_t)status.st_size, file, error);
}

bool
bytes_read(const char *path, size_t limit, Bytes *bytes, Error *error)
{
    *bytes = (Bytes){0};
    int handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe without a writer must not block */
    FILE *stream = handle < 0 ? NULL : fdopen(handle, "rb");
    if (!stream)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    Bytes file = {0};
    bool ok = read_stream(stream, path, limit, &file, error);
    fclose(stream);
    if (ok && is_gzip(file.data, file.size)) {
        ok = bytes_unpack(path, file.data, file.size, limit, bytes, error);
    } else if (ok && check_payload(path, &file, error)) {
        *bytes = file; /* raw: no second copy */
        return true;
    } else {
        ok = false;
    }
    bytes_free(&file);
    return ok;
}

void
bytes_free(Bytes *bytes)
{
    free(bytes->data);
    *bytes = (Bytes){0};
}
