/* The messages of all ranks, played through with one port for each rank: the model of watch.h.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_REPLAY_H
#define MPI_WATCH_REPLAY_H

#include "core/error.h"
#include "mpi/watch/log.h"

typedef struct Logs {
    int ranks, *first, *count; /* [ranks]: rank r's events are events[first[r]] .. */
    Event *events;
} Logs;

/* Frees the arrays, and sets all to zero. */
void logs_free(Logs *logs);

typedef struct Arrow {
    int from, to;
    double begin, end; /* the sender begins, the receiver has it; in seconds, or steps */
    uint64_t bytes;
} Arrow;

typedef struct Arrows {
    Arrow *arrow; /* room for one per event */
    int count;    /* of messages that were sent and received */
} Arrows;

/* The end of the last message, with alpha + bytes * beta for each. arrows: NULL, or filled. */
double replay(const Logs *logs, double alpha, double beta, Arrows *arrows);

/* watch_svg (watch.h) of these logs. */
bool replay_svg(const Logs *logs, const char *path, const char *title, Error *error);

#endif
