/* Checked calls: failures that no caller can handle end the program with a message on stderr:
 *
 *     rungs: rank 2: src/nn/net.c:41: pthread_create(&thread, NULL, run, pool): Resource temporarily unavailable
 *
 * In an MPI run all ranks are ended, so that none waits for the one that failed.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_CHECKED_H
#define CORE_CHECKED_H

#include <errno.h>
#include <string.h>

/* Prints the message and ends the program with exit status 1. `call` is the text of what failed; reason as printf. */
_Noreturn void checked_fail(const char *file, int line, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A condition that must hold; the rest says, as printf, why it did not. */
#define CHECK_THAT(condition, ...)                                                                                     \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            checked_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                 \
    } while (0)

/* A call that returns -1 and sets errno (close, read, fsync). */
#define CHECK_ERRNO(call)                                                                                              \
    do {                                                                                                               \
        if ((call) == -1)                                                                                              \
            checked_fail(__FILE__, __LINE__, #call, "%s", strerror(errno));                                            \
    } while (0)

/* A call that returns NULL and sets errno: CHECK_POINTER(file = fopen(path, "r")). */
#define CHECK_POINTER(call)                                                                                            \
    do {                                                                                                               \
        if ((call) == NULL)                                                                                            \
            checked_fail(__FILE__, __LINE__, #call, "%s", strerror(errno));                                            \
    } while (0)

/* A call that returns 0 or an error number (pthread_*, posix_memalign). */
#define CHECK_ZERO(call)                                                                                               \
    do {                                                                                                               \
        int checked_code = (call);                                                                                     \
        if (checked_code != 0)                                                                                         \
            checked_fail(__FILE__, __LINE__, #call, "%s", strerror(checked_code));                                     \
    } while (0)

/* Where a lab's solution was cut out. Ends the program with a sentence that names exercise, file and line; a grader
 * that wants to go on sets checked_unsolved_hook, which may leave by longjmp. */
#define EXERCISE_NOT_SOLVED(exercise) checked_unsolved(exercise, __FILE__, __LINE__)
_Noreturn void checked_unsolved(const char *exercise, const char *file, int line);
extern void (*checked_unsolved_hook)(const char *exercise, const char *file, int line);

#endif
