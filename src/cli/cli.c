/* What commands have in common: see cli.h. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/atomic_file.h"
#include "core/checked.h"
#include "core/gnuplot.h"
#include "core/process.h"
#include <stdio.h>
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
cli_files_differ(const CliFile *files, size_t count, Error *error)
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
cli_files_writable(const CliFile *files, size_t count, Error *error)
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
cli_check_outputs(const Option *options, Error *error)
{
    enum { FILES = 8 };
    CliFile files[FILES] = {{0}};
    size_t count = 0;
    bool drawn = false;
    for (; options->name != NULL && count < FILES; options++) {
        const bool output = options->kind == OPTION_OUTPUT || options->kind == OPTION_FIGURE;
        if (!output || *(const char **)options->value == NULL)
            continue;
        files[count++] = (CliFile){options->name, *(const char **)options->value, false};
        drawn = drawn || options->kind == OPTION_FIGURE;
    }
    CHECK_THAT(options->name == NULL, "%d files to write, maybe more", FILES);
    if (!cli_files_differ(files, count, error))
        return STATUS_USAGE;
    return cli_files_writable(files, count, error) && (!drawn || gnuplot_is_here(error)) ? STATUS_DONE : STATUS_FAILED;
}

int
cli_fail(const char *name, int status, const Error *error)
{
    if (process_rank() == 0)
        fprintf(stderr, "%s: %s\n", name, error->text);
    return status;
}

int
cli_unknown(const char *who, const char *what, const Nearest *nearest, const char *before, const char *list)
{
    Error error;
    if (nearest->name != NULL)
        error_set(&error, "there is no %s'%s'; did you mean '%s%s'?", what, nearest->word, before, nearest->name);
    else
        error_set(&error, "there is no %s'%s'; %s", what, nearest->word, list);
    return cli_fail(who, STATUS_USAGE, &error);
}

bool
cli_parse(const Command *command, int argc, char **argv, int *positional, int *status)
{
    Error error;
    const OptionsResult parsed = options_parse(command, argc, argv, positional);
    *status = parsed == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    if (parsed != OPTIONS_OK)
        return false;
    *status = process_rank() == 0 ? cli_check_outputs(command->options, &error) : STATUS_DONE;
    return *status == STATUS_DONE || cli_fail(command->name, *status, &error) == STATUS_DONE;
}
