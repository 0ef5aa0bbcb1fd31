/* The project's own files: see project.h. Nothing else knows RUNGS_ROOT, so that it stands in a program once.
 * SPDX-License-Identifier: MIT */
#include "core/project.h"

#include <stdio.h>
#include <unistd.h>

const char project_root[] = RUNGS_ROOT;

bool
project_file(const char *name, char path[PROJECT_PATH_MAX], Error *error)
{
    const int length = snprintf(path, PROJECT_PATH_MAX, "%s/%s", project_root, name);
    if (length > 0 && length < PROJECT_PATH_MAX && access(path, R_OK) == 0)
        return true;
    return error_set(error, "%s/%s is not there; run make in the project's folder, and the program from there",
                     project_root, name);
}
