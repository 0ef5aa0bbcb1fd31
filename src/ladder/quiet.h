/* Waiting until this program's own threads have gone to sleep.
 * SPDX-License-Identifier: MIT */
#ifndef LADDER_QUIET_H
#define LADDER_QUIET_H

#include <stdbool.h>

/* Sleeps until no other thread of this process runs or wants to, at most `seconds`. False if one still does. Only Linux tells:
 * elsewhere it sleeps for two milliseconds and hopes. */
bool quiet_wait(double seconds);

#endif
