/* What a rank sent and received, in order.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_LOG_H
#define MPI_WATCH_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* A message is begun (SEND, RECEIVE), and waited for. A blocking call does both at once. */
typedef enum EventKind { EVENT_SEND, EVENT_RECEIVE, EVENT_WAIT } EventKind;

typedef struct Event {
    EventKind kind;
    int peer, tag;  /* SEND, RECEIVE: the other rank */
    int of;         /* WAIT: which event of this rank it waits for */
    bool together;  /* WAIT: in the same call as the event before, a WAIT too */
    uint64_t bytes; /* SEND, RECEIVE */
    uint64_t group; /* group.h */
} Event;

/* Returns its number, for log_wait; -1 if nothing is logged or the log is full. */
int log_message(EventKind kind, int peer, int tag, uint64_t bytes, uint64_t group);

/* Message `of` has been waited for. -1 is allowed. */
void log_wait(int of, bool together);

/* Message `of` came from there: what a receive that takes anything did not know before. -1 is allowed. */
void log_received(int of, int peer, int tag, uint64_t bytes);

void log_collective(void); /* a collective of the library's own */

#endif
