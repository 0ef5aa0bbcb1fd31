/* Environment variables that make a benchmark's rows slower than they could be: the one list of them.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_HANDICAPS_H
#define LADDER_HANDICAPS_H

typedef struct Handicap {
    const char *name, *effect;
} Handicap;

/* They make a library choose slower code than the processor has, or threads spin or sleep at the wrong time. A library reads them
 * when it starts, which is before main. */
enum { HANDICAPS = 11 };
extern const Handicap handicaps[HANDICAPS];

/* If one of them is set, says so on stderr and starts this program again without them, with the same arguments; otherwise, among
 * several processes, and the second time it does nothing. command: who says it, "rungs bench". Call it before any work. */
void handicaps_remove(const char *command);

/* Takes them out of the environment: enough for a process that is about to become another program. */
void handicaps_unset(void);

#endif
