/* The project's own files that a program needs while it runs.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_PROJECT_H
#define CORE_PROJECT_H

#include "core/error.h"

/* The folder in which this program was made. It may be gone by now. */
extern const char project_root[];

/* The full path of one of its files, as "tools/mpirun.sh". False with a sentence if it is not there. Folders above the program are
 * not searched: such a file is run, and who puts one there need not be a friend. */
enum { PROJECT_PATH_MAX = 4096 };
bool project_file(const char *name, char path[PROJECT_PATH_MAX], Error *error);

#endif
