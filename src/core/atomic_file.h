/* Files that appear whole or not at all: written beside the target, flushed to the disk, then renamed over it. A crash at
 * any moment leaves the old file, or the new one, and at worst a *.tmp beside it.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_ATOMIC_FILE_H
#define CORE_ATOMIC_FILE_H

#include "core/error.h"
#include <stdio.h>

typedef struct AtomicFile {
    FILE *stream; /* write here */
    char *path, *temporary;
} AtomicFile;

/* Opens a temporary file in the folder of `path` (of what it points at, if it is a symbolic link). Devices and pipes, such as
 * /dev/stdout, are opened themselves. */
bool atomic_open(AtomicFile *file, const char *path, Error *error);

/* fsync, rename, fsync of the folder. On failure (disk full ..) the old file is untouched and the temporary is gone.
 * `file` is closed either way. */
bool atomic_commit(AtomicFile *file, Error *error);

/* Closes and removes the temporary. */
void atomic_discard(AtomicFile *file);

#endif
