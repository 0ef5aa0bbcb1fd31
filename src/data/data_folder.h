/* Where data files are: never relative to the folder that the program happens to be started in.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_DATA_FOLDER_H
#define DATA_DATA_FOLDER_H

#include "core/error.h"
#include <stddef.h>

enum { DATA_PATH_MAX = 4096 };

/* Downloaded sets: the folder that the environment variable RUNGS_DATA names, or this one below $HOME.
 * tools/fetch_data.sh reads the line, so it stands here alone. */
#define DATA_FOLDER_DEFAULT ".cache/rungs"

/* Writes that folder; it need not exist. */
bool data_folder(char path[DATA_PATH_MAX], Error *error);

/* The path of a file that is shipped in the project's data/: the folders above the executable are looked through,
 * then the folder that the program was built in. */
bool data_shipped(const char *file, char path[DATA_PATH_MAX], Error *error);

/* The same file by a path that holds from every folder: that of its folder is full and without links, its own name stays (a link
 * may tell by its name what its target's does not). False if that folder does not exist or the path is too long. */
bool data_full_path(const char *path, char full[DATA_PATH_MAX]);

/* The file `folder`/`name`, or the same with ".gz"; false if neither is there. */
bool data_find(const char *folder, const char *name, char path[DATA_PATH_MAX]);

#endif
