/* A program that measures when told to: it prints one line that says what it is, then for each line of its input, a number of
 * seconds, one line with the rate that it reached. So two programs can take turns on the same cores.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_PEER_H
#define LADDER_PEER_H

#include "core/error.h"
#include <stdio.h>
#include <sys/types.h>

typedef struct Peer {
    pid_t process;
    FILE *to, *from;
    char description[128];
} Peer;

/* Starts argv[0] (searched in PATH) and waits for its first line. False with a sentence if it ends before. */
bool peer_start(Peer *peer, char *const argv[], Error *error);

/* Lets it measure for about that long. NaN with a sentence if it has ended or does not answer with a number. */
double peer_measure(Peer *peer, double seconds, Error *error);

/* Closes its input, which ends it. */
void peer_stop(Peer *peer);

#endif
