/* Where data files are: see data_folder.h.
 * SPDX-License-Identifier: MIT */
#include "data/data_folder.h"

#include "core/project.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* path = a/b/c; false if that is too long. */
static bool
join(char path[DATA_PATH_MAX], const char *a, const char *b, const char *c)
{
    if (strlen(a) + 1 + strlen(b) + strlen(c) >= DATA_PATH_MAX)
        return false;
    stpcpy(stpcpy(stpcpy(stpcpy(path, a), "/"), b), c);
    return true;
}

bool
data_folder(char path[DATA_PATH_MAX], Error *error)
{
    const char *folder = getenv("RUNGS_DATA"), *home = getenv("HOME");
    if (folder && *folder) {
        int length = snprintf(path, DATA_PATH_MAX, "%s", folder);
        return (length >= 0 && length < DATA_PATH_MAX) || error_set(error, "RUNGS_DATA is too long a path");
    }
    if (!home || !*home)
        return error_set(error, "neither RUNGS_DATA nor HOME is set; set RUNGS_DATA to the folder of the data sets");
    return join(path, home, DATA_FOLDER_DEFAULT, "") || error_set(error, "HOME is too long a path");
}

bool
data_find(const char *folder, const char *name, char path[DATA_PATH_MAX])
{
    return (join(path, folder, name, "") && access(path, F_OK) == 0) ||
           (join(path, folder, name, ".gz") && access(path, F_OK) == 0);
}

bool
data_full_path(const char *path, char full[DATA_PATH_MAX])
{
    char folder[DATA_PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash + 1 - path) : 0;
    if (length >= DATA_PATH_MAX)
        return false;
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s", (int)length, path);
    char *real = realpath(folder, NULL);
    bool known = real && join(full, strcmp(real, "/") == 0 ? "" : real, path + length, "");
    free(real);
    return known;
}

/* The folder of the running program, without a slash at its end. False where /proc is not Linux's. */
static bool
executable_folder(char folder[DATA_PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, DATA_PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

bool
data_shipped(const char *file, char path[DATA_PATH_MAX], Error *error)
{
    char folder[DATA_PATH_MAX];
    bool found = executable_folder(folder);
    while (found) { /* build/tests/data, build/tests, build, . */
        if (join(path, folder, "data/", file) && access(path, R_OK) == 0)
            return true;
        char *slash = strrchr(folder, '/');
        found = slash != NULL;
        if (slash)
            *slash = '\0';
    }
    if (join(path, project_root, "data/", file) && access(path, R_OK) == 0)
        return true;
    return error_set(
        error,
        "%.100s is in no folder data/ above the program, nor in %s/data; put the program back into the project's "
        "folder, or copy that folder's data/ beside the program",
        file, project_root);
}
