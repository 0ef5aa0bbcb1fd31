/* The project's own files. SPDX-License-Identifier: MIT */
#include "core/project.h"
#include "tests/testing.h"
#include <unistd.h>

static char path[PROJECT_PATH_MAX];

TEST(its_files_are_found_from_any_folder)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_ok(project_file("tools/mpirun.sh", path, &error));
    ck_assert_int_eq(access(path, R_OK), 0);
    ck_assert_int_eq(strncmp(path, project_root, strlen(project_root)), 0);
}

TEST(what_is_not_there_is_one_sentence)
{
    char name[PROJECT_PATH_MAX + 1];
    ck_assert_refused(project_file("tools/no-such.sh", path, &error),
                      "/tools/no-such.sh is not there; run make in the project's folder");
    memset(name, 'x', sizeof(name));
    name[PROJECT_PATH_MAX] = '\0';
    ck_assert(!project_file(name, path, &error));
}

TEST_MAIN("project")
