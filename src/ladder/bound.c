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

double
bound_seconds(const LadderTable *table, const Machine *machine)
{
    if (machine == NULL || table->flops <= 0.0 || table->bytes <= 0.0)
        return NAN;
    const double times = table->ladder->operation.times_peak;
    const double peak = machine_flops(machine, table->threads) * (times > 0.0 ? times : 1.0);
    double rate = machine_read(machine, table->threads, table->bytes);
    if (bound_is_triad(table, machine)) {
        const bool by_turns = table->triad != NULL && table->rounds > 0;
        rate = by_turns ? stats_median(table->triad, (size_t)table->rounds) : machine_triad(machine, table->threads);
    }
    return table->flops / roofline_attainable(peak, table->flops / table->bytes, rate);
}
