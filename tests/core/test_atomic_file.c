/* Files that appear whole or not at all. SPDX-License-Identifier: MIT */
#include "core/atomic_file.h"
#include "tests/testing.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void
assert_text(const char *path, const char *want)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is missing", path);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, want);
}

static int
files_in(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

/* A folder of one test's own. */
static const char *
fresh_folder(const char *name)
{
    const char *path = testing_path(name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    return path;
}

TEST(new_file_appears_at_commit)
{
    AtomicFile file;
    const char *folder = fresh_folder("new"), *path = testing_path("new/file");
    ck_assert(atomic_open(&file, path, &error));
    fputs("hello", file.stream);
    fflush(file.stream);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert(atomic_commit(&file, &error));
    assert_text(path, "hello");
    ck_assert_int_eq(files_in(folder), 1);
}

TEST(old_file_is_replaced_at_commit)
{
    AtomicFile file;
    const char *path = testing_write("old", "old", 3);
    ck_assert(atomic_open(&file, path, &error));
    fputs("new", file.stream);
    fflush(file.stream);
    assert_text(path, "old");
    ck_assert(atomic_commit(&file, &error));
    assert_text(path, "new");
}

TEST(discard_leaves_the_old_file)
{
    AtomicFile file;
    const char *folder = fresh_folder("discard"), *path = testing_write("discard/file", "old", 3);
    ck_assert(atomic_open(&file, path, &error));
    fputs("new", file.stream);
    atomic_discard(&file);
    atomic_discard(&file); /* again: nothing */
    assert_text(path, "old");
    ck_assert_int_eq(files_in(folder), 1);
}

/* Killed at different moments of writing: always the old file, whole. */
TEST(kill_in_the_middle_leaves_the_old_file)
{
    const char *path = testing_write("killed", "old", 3);
    for (int lines = 0; lines < 20000; lines += 3333) {
        const pid_t child = fork();
        if (child == 0) {
            AtomicFile file;
            atomic_open(&file, path, NULL);
            for (int i = 0; i < lines; i++)
                fputs("new\n", file.stream);
            kill(getpid(), SIGKILL);
        }
        int status = 0;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        assert_text(path, "old");
    }
}

/* What a crash left does not stand in the way of the next run. */
TEST(left_over_temporary_does_not_disturb)
{
    AtomicFile file;
    char name[64];
    snprintf(name, sizeof(name), "left.0.%ld.tmp", (long)getpid());
    testing_write(name, "crashed", 7);
    ck_assert(atomic_open(&file, testing_path("left"), &error));
    fputs("new", file.stream);
    ck_assert(atomic_commit(&file, &error));
    assert_text(testing_path("left"), "new");
    assert_text(testing_path(name), "crashed");
}

TEST(symbolic_link_stays_a_link)
{
    AtomicFile file;
    const char *target = testing_write("target", "old", 3), *link = testing_path("link");
    ck_assert_int_eq(symlink(target, link), 0);
    ck_assert(atomic_open(&file, link, &error));
    fputs("new", file.stream);
    ck_assert(atomic_commit(&file, &error));
    assert_text(target, "new");
    struct stat status;
    ck_assert(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
}

TEST(mode_is_that_of_a_plain_file)
{
    AtomicFile file;
    struct stat status;
    umask(027);
    ck_assert(atomic_open(&file, testing_path("mode"), &error));
    ck_assert(atomic_commit(&file, &error));
    ck_assert_int_eq(stat(testing_path("mode"), &status), 0);
    ck_assert_int_eq(status.st_mode & 0777, 0640);
}

TEST(folder_as_target_is_refused)
{
    AtomicFile file;
    ck_assert_refused(atomic_open(&file, testing_path("."), &error), "it is a folder");
    ck_assert_refused(atomic_open(&file, "", &error), "empty");
    ck_assert_refused(atomic_open(&file, testing_path("absent/file"), &error), "No such file or directory");
}

/* Root may write everywhere, so it changes to another user for a while. */
TEST(unwritable_folder_is_refused)
{
    const uid_t user = geteuid();
    if (user == 0 && seteuid(65534) != 0)
        skip_test("cannot stop being root here");
    AtomicFile file;
    mkdir(testing_path("locked"), 0500);
    const bool opened = atomic_open(&file, testing_path("locked/file"), &error);
    if (user == 0)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert(!opened);
    ck_assert_ptr_nonnull(strstr(error.text, "Permission denied"));
}

TEST(full_device_is_reported)
{
    if (access("/dev/full", W_OK) != 0)
        skip_test("there is no /dev/full here");
    AtomicFile file;
    ck_assert(atomic_open(&file, "/dev/full", &error));
    fputs("text", file.stream);
    ck_assert(!atomic_commit(&file, &error));
    ck_assert_str_eq(error.text, "cannot write /dev/full: No space left on device");
}

/* A limit on the size of files stands for a disk that fills up while we write. */
TEST(file_that_cannot_grow_leaves_the_old_one)
{
    AtomicFile file;
    const char *folder = fresh_folder("full"), *path = testing_write("full/file", "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){10000, RLIM_INFINITY}), 0);
    ck_assert(atomic_open(&file, path, &error));
    for (int i = 0; i < 100000; i++)
        fputs("new\n", file.stream);
    const bool done = atomic_commit(&file, &error);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    ck_assert(!done);
    ck_assert_ptr_nonnull(strstr(error.text, "what was there before is unchanged"));
    assert_text(path, "old");
    ck_assert_int_eq(files_in(folder), 1);
}

TEST(devices_are_written_not_replaced)
{
    AtomicFile file;
    struct stat status;
    ck_assert(atomic_open(&file, "/dev/null", &error));
    fputs("text", file.stream);
    ck_assert(atomic_commit(&file, &error));
    ck_assert(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
}

TEST_MAIN("atomic_file")
