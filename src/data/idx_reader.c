/* Reads IDX, the format of MNIST: see idx_reader.h. The dimensions are believed only after their product was compared
 * with the bytes that are there, and nothing is allocated before.
 * SPDX-License-Identifier: MIT */
#include "data/idx_reader.h"

#include "core/array.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 4 + 4 * IDX_DIMENSIONS_MAX };

size_t
idx_element_size(int type)
{
    switch (type) {
    case IDX_UBYTE:
    case IDX_BYTE:
        return 1;
    case IDX_SHORT:
        return 2;
    case IDX_INT:
    case IDX_FLOAT:
        return 4;
    case IDX_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

/* `size` bytes, the most significant first. */
static uint64_t
big_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static size_t
header_size(const IdxArray *array)
{
    return 4 + 4 * (size_t)array->dimensions;
}

static bool
check_magic(const char *name, const uint8_t *bytes, size_t size, Error *error)
{
    if (size < 4)
        return error_set(error, "%s: an IDX file has at least 8 bytes, this one has %zu", name, size);
    if (bytes[0] != 0 || bytes[1] != 0)
        return error_set(error,
                         "%s: starts with bytes %02x %02x, an IDX file with 00 00; is this another kind of file?", name,
                         bytes[0], bytes[1]);
    if (idx_element_size(bytes[2]) == 0)
        return error_set(error, "%s: element type 0x%02x does not exist in IDX (08, 09, 0b, 0c, 0d, 0e do)", name,
                         bytes[2]);
    if (bytes[3] < 1 || bytes[3] > IDX_DIMENSIONS_MAX)
        return error_set(error, "%s: has %d dimensions, expected 1 .. %d", name, bytes[3], IDX_DIMENSIONS_MAX);
    if (size < 4 + 4 * (size_t)bytes[3])
        return error_set(error, "%s: stops inside the header, after %zu bytes; fetch it again", name, size);
    return true;
}

/* The header is complete. Reads the dimensions and compares their product with `present` bytes of elements. */
static bool
read_shape(const uint8_t *bytes, size_t present, IdxArray *array, Error *error)
{
    size_t wanted = idx_element_size(array->type);
    array->count = 1;
    for (int i = 0; i < array->dimensions; i++) {
        array->shape[i] = big_endian(bytes + 4 + 4 * i, 4);
        if (array->shape[i] == 0)
            return error_set(error, "%s: dimension %d is 0, so there is no data in it", array->name, i + 1);
        if (!size_multiply(wanted, array->shape[i], &wanted))
            return error_set(error,
                             "%s: the dimensions multiply to more bytes than any file has; the header is damaged",
                             array->name);
        array->count *= array->shape[i];
    }
    if (wanted == present)
        return true;
    return error_set(error, "%s: the dimensions ask for %zu bytes of data, but %zu are there; the file is %s",
                     array->name, wanted, present,
                     present < wanted ? "cut off, fetch it again" : "damaged, or was joined with another");
}

/* The header of a file of `size` bytes, of which HEADER_MAX are there, or all. */
static bool
parse_header(const char *name, const uint8_t *bytes, size_t size, IdxArray *array, Error *error)
{
    *array = (IdxArray){0};
    if (!check_magic(name, bytes, size, error))
        return false;
    snprintf(array->name, sizeof(array->name), "%s", name);
    array->type = (IdxType)bytes[2];
    array->dimensions = bytes[3];
    if (read_shape(bytes, size - header_size(array), array, error))
        return true;
    *array = (IdxArray){0};
    return false;
}

bool
idx_parse(const char *name, const uint8_t *bytes, size_t size, IdxArray *array, Error *error)
{
    if (!parse_header(name, bytes, size, array, error))
        return false;
    array->elements = bytes + header_size(array);
    return true;
}

bool
idx_read(const char *path, IdxArray *array, Error *error)
{
    Bytes bytes;
    *array = (IdxArray){0};
    if (!bytes_read(path, BYTES_LIMIT, &bytes, error))
        return false;
    if (!idx_parse(path, bytes.data, bytes.size, array, error)) {
        bytes_free(&bytes);
        return false;
    }
    array->bytes = bytes;
    return true;
}

static bool
open_header(const char *path, FILE *file, IdxArray *array, Error *error)
{
    uint8_t bytes[HEADER_MAX];
    struct stat status;
    const size_t there = fread(bytes, 1, sizeof(bytes), file);
    if (ferror(file) || fstat(fileno(file), &status) != 0)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: is not a file, so samples cannot be read from its middle; name a file", path);
    if (there >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
        return error_set(error,
                         "%s: is compressed, so samples cannot be read from its middle: unpack it (gunzip -k), or read "
                         "all of it, without --stream",
                         path);
    return parse_header(path, bytes, (size_t)status.st_size, array, error);
}

bool
idx_open(const char *path, IdxArray *array, Error *error)
{
    *array = (IdxArray){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (open_header(path, file, array, error)) {
        array->file = file;
        return true;
    }
    fclose(file);
    return false;
}

bool
idx_read_bytes(const IdxArray *array, size_t from, size_t size, uint8_t *bytes, Error *error)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n =
            pread(fileno(array->file), bytes + done, size - done, (off_t)(header_size(array) + from + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return error_set(error, "%s: cannot be read: %s", array->name,
                             n < 0 ? strerror(errno) : "it has become shorter since it was opened; fetch it again");
        done += (size_t)n;
    }
    return true;
}

void
idx_free(IdxArray *array)
{
    if (array->file)
        fclose(array->file);
    bytes_free(&array->bytes);
    *array = (IdxArray){0};
}

static double
value_of(IdxType type, const uint8_t *bytes)
{
    uint64_t bits = big_endian(bytes, idx_element_size(type));
    float single;
    double value;
    switch (type) {
    case IDX_BYTE:
        return (int8_t)bits;
    case IDX_SHORT:
        return (int16_t)bits;
    case IDX_INT:
        return (int32_t)bits;
    case IDX_FLOAT:
        memcpy(&single, &(uint32_t){(uint32_t)bits}, sizeof(single));
        return (double)single;
    case IDX_DOUBLE:
        memcpy(&value, &bits, sizeof(value));
        return value;
    default:
        return (double)bits;
    }
}

double
idx_value(const IdxArray *array, size_t i)
{
    return value_of(array->type, array->elements + i * idx_element_size(array->type));
}

bool
idx_floats(const IdxArray *array, const uint8_t *bytes, size_t first, size_t n, float *x, Error *error)
{
    const size_t size = idx_element_size(array->type);
    for (size_t i = 0; i < n; i++) {
        const double value = array->type == IDX_UBYTE ? bytes[i] : value_of(array->type, bytes + i * size);
        if (!(fabs(value) <= (double)FLT_MAX))
            return error_set(error, "%s: element %zu is %g, expected a finite number that a float can hold",
                             array->name, first + i, value);
        x[i] = (float)value;
    }
    return true;
}
