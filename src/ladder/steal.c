/* Time that other virtual machines took from this one: read from Linux.
 * SPDX-License-Identifier: MIT */
#include "ladder/steal.h"
#include <stdio.h>

bool
steal_parse(const char *text, Steal *steal)
{
    /* cpu  user nice system idle iowait irq softirq steal guest ..; guest time is part of user */
    double ticks[8];
    if (sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4],
               &ticks[5], &ticks[6], &ticks[7]) != 8)
        return false;
    *steal = (Steal){.stolen = ticks[7]};
    for (int i = 0; i < 8; i++)
        steal->total += ticks[i];
    return true;
}

Steal
steal_read(void)
{
    Steal steal = {0};
    char line[512];
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL)
        return steal;
    if (fgets(line, sizeof line, file) == NULL || !steal_parse(line, &steal))
        steal = (Steal){0};
    fclose(file);
    return steal;
}

double
steal_share(Steal before, Steal after)
{
    double total = after.total - before.total, stolen = after.stolen - before.stolen;
    return total > 0.0 && stolen > 0.0 ? stolen / total : 0.0;
}
