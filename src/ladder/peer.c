/* See peer.h. SPDX-License-Identifier: MIT */
#include "ladder/peer.h"
#include "core/checked.h"
#include "core/pin.h"
#include "ladder/handicaps.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: input and output become the pipes. */
_Noreturn static void
become(char *const argv[], const int to[2], const int from[2])
{
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[0]), close(to[1]), close(from[0]), close(from[1]);
    handicaps_unset();
    pin_release(); /* the peer may use all the cores */
    execvp(argv[0], argv);
    _exit(127);
}

static bool
read_line(Peer *peer, char *line, size_t size)
{
    if (!fgets(line, (int)size, peer->from))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

bool
peer_start(Peer *peer, char *const argv[], Error *error)
{
    int to[2], from[2];
    if (pipe(to) != 0)
        return error_set(error, "%s could not be started: %s.", argv[0], strerror(errno));
    if (pipe(from) != 0) {
        close(to[0]), close(to[1]);
        return error_set(error, "%s could not be started: %s.", argv[0], strerror(errno));
    }
    signal(SIGPIPE, SIG_IGN); /* a peer that has ended is seen as the end of its output */
    CHECK_ERRNO(peer->process = fork());
    if (peer->process == 0)
        become(argv, to, from);
    close(to[0]), close(from[1]);
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    if (read_line(peer, peer->description, sizeof peer->description))
        return true;
    peer_stop(peer);
    return error_set(error, "'%s' ended before it could measure anything; what it wrote stands above.", argv[0]);
}

/* Microseconds: our threads, and the peer's, have stopped waiting for work by then. */
enum { PAUSE = 20000 };

double
peer_measure(Peer *peer, double seconds, Error *error)
{
    char line[64], *end;
    usleep(PAUSE);
    fprintf(peer->to, "%.3f\n", seconds);
    fflush(peer->to);
    const bool answered = read_line(peer, line, sizeof line);
    usleep(PAUSE);
    if (answered) {
        const double rate = strtod(line, &end);
        if (end != line && *end == '\0' && rate > 0)
            return rate;
        error_set(error, "The peer answered \"%s\" in place of a rate.", line);
    } else {
        error_set(error, "The peer ended in the middle of the measurement.");
    }
    return NAN;
}

void
peer_stop(Peer *peer)
{
    fclose(peer->to);
    fclose(peer->from);
    waitpid(peer->process, NULL, 0);
}
