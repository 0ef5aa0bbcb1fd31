/* Files that appear whole or not at all.
 * SPDX-License-Identifier: MIT */
#include "core/atomic_file.h"
#include "core/checked.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that a rename would have to replace: where path is a symbolic link, what it points at. */
static char *
resolve(const char *path)
{
    char *resolved = realpath(path, NULL);
    if (!resolved)
        CHECK_POINTER(resolved = strdup(path)); /* does not exist yet */
    return resolved;
}

/* Devices and pipes (/dev/stdout, /dev/null) are written to, never renamed over. */
static bool
is_device(const char *path)
{
    struct stat status;
    if (strncmp(path, "/dev/", 5) == 0)
        return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Creates PATH.PID.tmp, or with a number before the process id where a crash has left one. */
static int
create_temporary(AtomicFile *file)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        char *name = NULL;
        CHECK_ERRNO(asprintf(&name, "%s.%d.%ld.tmp", file->path, attempt, (long)getpid()));
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            file->temporary = name;
            return descriptor;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    return -1;
}

static void
release(AtomicFile *file)
{
    free(file->path);
    free(file->temporary);
    *file = (AtomicFile){0};
}

bool
atomic_open(AtomicFile *file, const char *path, Error *error)
{
    *file = (AtomicFile){0};
    struct stat status;
    if (!*path)
        return error_set(error, "the name of the file to write is empty; give one");
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return error_set(error, "cannot write %s: it is a folder; give the name of a file", path);
    const bool device = is_device(path);
    if (device)
        CHECK_POINTER(file->path = strdup(path));
    else
        file->path = resolve(path);
    const int descriptor = device ? open(path, O_WRONLY | O_CLOEXEC) : create_temporary(file);
    if (descriptor < 0) {
        error_set(error, "cannot create %s: %s; choose a folder that exists and that you may write to", path,
                  strerror(errno));
        release(file);
        return false;
    }
    CHECK_POINTER(file->stream = fdopen(descriptor, "w"));
    return true;
}

/* A rename is on the disk only when its folder is. A file system that cannot do this has done what it can. */
static void
flush_folder(const char *path)
{
    char *folder = NULL;
    CHECK_POINTER(folder = strdup(path));
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0'; /* the folder of "/file" is "/" */
    const int descriptor = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

/* Everything to the disk and closed; false with errno. */
static bool
flush_and_close(AtomicFile *file)
{
    errno = 0;
    bool done = !ferror(file->stream) && fflush(file->stream) == 0;
    if (done && file->temporary)
        done = fsync(fileno(file->stream)) == 0;
    const int reason = errno;
    if (fclose(file->stream) != 0 && done)
        return false;
    errno = reason;
    return done;
}

bool
atomic_commit(AtomicFile *file, Error *error)
{
    bool done = flush_and_close(file);
    if (done && file->temporary)
        done = rename(file->temporary, file->path) == 0;
    if (!done) {
        /* ferror does not remember why; a full disk is the usual reason. */
        error_set(error, "cannot write %s: %s%s", file->path,
                  errno ? strerror(errno) : "writing failed; is the disk full?",
                  file->temporary ? "; what was there before is unchanged" : "");
        if (file->temporary)
            unlink(file->temporary);
    } else if (file->temporary) {
        flush_folder(file->path);
    }
    release(file);
    return done;
}

void
atomic_discard(AtomicFile *file)
{
    if (!file->stream)
        return;
    fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    release(file);
}
