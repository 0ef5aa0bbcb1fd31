/* See bound.h. SPDX-License-Identifier: MIT */
#include "ladder/bound.h"
#include "core/stats.h"
#include "ladder/machine.h"
#include <math.h>

bool
bound_is_triad(const LadderTable *table, const Machine *machine)
{
    return machine != NULL && table->ladder->operation.streams &&
           machine_level(machine, table->threads, table->bytes) == MACHINE_MEMORY;
}

/* What an operation of streams moves between memory and caches. A store that misses first reads the line, as it changes only a part
 * of it, so that an output that was not an input as well is moved twice. */
static double
moved_bytes(const LadderTable *table)
{
    const Operation *operation = &table->ladder->operation;
    return table->bytes + (operation->begin != NULL ? 0.0 : sizeof(float) * (double)operation->outputs(table->size));
}

double
bound_seconds(const LadderTable *table, const Machine *machine)
{
    if (machine == NULL || table->flops <= 0.0 || table->bytes <= 0.0)
        return NAN;
    const double times = table->ladder->operation.times_peak;
    const double peak = machine_flops(machine, table->threads) * (times > 0.0 ? times : 1.0);
    double bytes = table->bytes, rate = machine_read(machine, table->threads, table->bytes);
    if (bound_is_triad(table, machine)) {
        const bool by_turns = table->triad != NULL && table->rounds > 0;
        bytes = moved_bytes(table);
        rate = MACHINE_TRIAD_MOVES *
               (by_turns ? stats_median(table->triad, (size_t)table->rounds) : machine_triad(machine, table->threads));
    }
    return table->flops / roofline_attainable(peak, table->flops / bytes, rate);
}
