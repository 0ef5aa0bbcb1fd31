/* Runs gnuplot on a script, its standard output being the figure's file.
 * SPDX-License-Identifier: MIT */
#include "core/gnuplot.h"
#include "core/checked.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs `gnuplot ARGUMENT` with these files as its standard input and output. Returns its exit status, or -1 if it could
 * not be started or was killed. */
static int
run_gnuplot(const char *argument, int input, int output)
{
    posix_spawn_file_actions_t actions;
    CHECK_ZERO(posix_spawn_file_actions_init(&actions));
    CHECK_ZERO(posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO));
    CHECK_ZERO(posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO));
    char *arguments[] = {"gnuplot", (char *)argument, NULL};
    pid_t child;
    int status = -1, code = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    CHECK_ZERO(posix_spawn_file_actions_destroy(&actions));
    if (code != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

bool
gnuplot_is_here(Error *error)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK_ERRNO(null);
    int status = run_gnuplot("--version", null, null);
    close(null);
    return status == 0 ||
           error_set(
               error,
               "figures need the program gnuplot, which was not found; install it (Debian: gnuplot-nox) or ask for "
               "the numbers with --csv");
}

static const char STYLE[] = "set encoding utf8\n"
                            "set border 3 linecolor '#555555'\n"
                            "set tics nomirror textcolor '#333333'\n"
                            "set grid linetype 1 linecolor '#dddddd' linewidth 0.5\n"
                            "set linetype 1 linecolor '#0072b2' linewidth 2 pointtype 7 pointsize 0.5\n"
                            "set linetype 2 linecolor '#d55e00' linewidth 2 pointtype 5 pointsize 0.5\n"
                            "set linetype 3 linecolor '#009e73' linewidth 2 pointtype 9 pointsize 0.6\n"
                            "set linetype 4 linecolor '#cc79a7' linewidth 2 pointtype 13 pointsize 0.6\n"
                            "set linetype 5 linecolor '#333333' linewidth 2 pointtype 1 pointsize 0.5\n";

bool
gnuplot_open(Gnuplot *plot, const char *path, int width, int height, Error *error)
{
    if (!gnuplot_is_here(error) || !atomic_open(&plot->file, path, error))
        return false;
    CHECK_POINTER(plot->script = tmpfile());
    fprintf(plot->script, "set terminal svg size %d,%d font 'sans-serif,13' background '#ffffff'\n%s", width, height,
            STYLE);
    return true;
}

bool
gnuplot_close(Gnuplot *plot, Error *error)
{
    rewind(plot->script); /* writes what is buffered, too */
    int status = run_gnuplot("-d", fileno(plot->script), fileno(plot->file.stream));
    fclose(plot->script);
    if (status == 0)
        return atomic_commit(&plot->file, error);
    error_set(error, "gnuplot could not draw %s: what it said stands above", plot->file.path);
    atomic_discard(&plot->file);
    return false;
}

void
gnuplot_text(Gnuplot *plot, const char *text)
{
    fputc('\'', plot->script);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', plot->script);
        fputc(*text == '\n' ? ' ' : *text, plot->script);
    }
    fputc('\'', plot->script);
}
