/* The files that a command's options name: checked before minutes are spent on what goes into them.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_FILE_OPTIONS_H
#define CLI_FILE_OPTIONS_H

#include "cli/cli.h"
#include "core/error.h"
#include <stddef.h>

typedef struct FileOption {
    const char *name; /* without the dashes */
    const char *path; /* NULL: not given */
    bool input;       /* is read, not written */
} FileOption;

/* False with a sentence if a file to write is also another one of the files, whatever the two paths look like. The same
 * device (/dev/null) may be given twice. */
bool file_options_differ(const FileOption *files, size_t count, Error *error);

/* False with a sentence if a file to write cannot be. Leaves nothing behind. */
bool file_options_writable(const FileOption *files, size_t count, Error *error);

/* Both, and the exit status that a refusal asks for: the first is a wrong call, the second a failure. */
Status file_options_check(const FileOption *files, size_t count, Error *error);

#endif
