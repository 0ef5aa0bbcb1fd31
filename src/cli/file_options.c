/* Checks the files that options name: see file_options.h.
 * SPDX-License-Identifier: MIT */
#include "cli/file_options.h"
#include "core/atomic_file.h"
#include "core/checked.h"
#include <stdlib.h>
#include <sys/stat.h>

/* The folder that path lies in and its name there. A path whose folder does not exist is its own name. */
typedef struct Place {
    struct stat folder;
    const char *name;
} Place;

static Place
place_of(const char *path)
{
    Place place = {.name = path};
    const char *slash = strrchr(path, '/');
    char *folder = NULL;
    CHECK_POINTER(folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."));
    if (stat(folder, &place.folder) == 0 && slash)
        place.name = slash + 1;
    free(folder);
    return place;
}

/* Files that exist are compared as such, because links may give one file two names; others by where they would be. */
static bool
same_file(const char *a, const char *b)
{
    struct stat x, y;
    const bool a_exists = stat(a, &x) == 0, b_exists = stat(b, &y) == 0;
    if (a_exists && b_exists)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    if (a_exists || b_exists)
        return false;
    const Place p = place_of(a), q = place_of(b);
    return p.folder.st_dev == q.folder.st_dev && p.folder.st_ino == q.folder.st_ino && strcmp(p.name, q.name) == 0;
}

bool
file_options_differ(const FileOption *files, size_t count, Error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (files[i].path && files[j].path && !(files[i].input && files[j].input) &&
                same_file(files[i].path, files[j].path))
                return error_set(error, "--%s and --%s are the same file, %s: give each a file of its own",
                                 files[i].name, files[j].name, files[j].path);
    return true;
}

bool
file_options_writable(const FileOption *files, size_t count, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        AtomicFile file;
        if (files[i].input || !files[i].path)
            continue;
        if (!atomic_open(&file, files[i].path, error))
            return false;
        atomic_discard(&file);
    }
    return true;
}

Status
file_options_check(const FileOption *files, size_t count, Error *error)
{
    if (!file_options_differ(files, count, error))
        return STATUS_USAGE;
    return file_options_writable(files, count, error) ? STATUS_DONE : STATUS_FAILED;
}
