/* The payload of a data file, complete and in memory, whether the file is raw or gzip-compressed (the first bytes decide,
 * not the name). What a download can do to a file is noticed here, once, for every reader: a web page saved in its
 * place, an end that is missing, a checksum that does not fit, a small file that unpacks into more than memory holds.
 * It is no stream: the largest set that is read this way, MNIST, has 47 MB.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_BYTES_H
#define DATA_BYTES_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

/* What the readers accept as a payload: 1 GiB. */
#define BYTES_LIMIT ((size_t)1 << 30)

typedef struct Bytes {
    uint8_t *data; /* owned */
    size_t size;   /* >= 1 */
} Bytes;

/* Reads the file at `path`. A payload of more than `limit` bytes is refused, and never held. Free with bytes_free;
 * on failure *bytes is empty. */
bool bytes_read(const char *path, size_t limit, Bytes *bytes, Error *error);

/* The same for a file that is in memory already: `size` bytes at `file`, which stay the caller's. `name` is for the
 * sentence. */
bool bytes_unpack(const char *name, const uint8_t *file, size_t size, size_t limit, Bytes *bytes, Error *error);

void bytes_free(Bytes *bytes);

#endif
