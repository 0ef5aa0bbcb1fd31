/* Time that only goes forward.
 * SPDX-License-Identifier: MIT */
#include "core/clock.h"

#include <stdio.h>
#include <time.h>

double
clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void
clock_date(char text[32])
{
    time_t seconds = time(NULL);
    struct tm utc;
    if (!gmtime_r(&seconds, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc))
        snprintf(text, 32, "unknown");
}
