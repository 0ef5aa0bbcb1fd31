/* See capture.h. SPDX-License-Identifier: MIT */
#include "tests/capture.h"
#include "tests/testing.h"
#include <sys/wait.h>
#include <unistd.h>

/* All that comes out of the pipe until its other end is closed; what does not fit is thrown away, so that the child never
 * waits for a reader. */
static void
read_text(int fd, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got;
    char rest[4096];
    while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    while (read(fd, rest, sizeof(rest)) > 0)
        continue;
    close(fd);
}

Captured
capture(void (*function)(void *), void *argument)
{
    Captured captured = {0};
    int ends[2], status = 0;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        function(argument);
        fflush(NULL);
        _exit(CAPTURED_RETURNED);
    }
    close(ends[1]);
    read_text(ends[0], captured.text, sizeof(captured.text));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    captured.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return captured;
}

static void
run_call(void *call)
{
    (*(void (**)(void))call)();
}

void
testing_ends(void (*call)(void), const char *sentence, const char *what, const char *file, int line)
{
    const Captured captured = capture(run_call, &call);
    if (captured.status != 1)
        ck_abort_msg("%s:%d: %s ended with status %d, not 1; it printed: %s", file, line, what, captured.status,
                     captured.text);
    if (!strstr(captured.text, sentence))
        ck_abort_msg("%s:%d: %s did not say \"%s\" but: %s", file, line, what, sentence, captured.text);
}
