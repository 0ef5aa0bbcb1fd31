/* See bound.h. SPDX-License-Identifier: MIT */
#include "ladder/bound.h"
#include "core/stats.h"
#include "ladder/machine.h"
#include <math.h>

static bool
is_known(const LadderTable *table, const Machine *machine)
{
    return machine != NULL && table->flops > 0.0 && table->bytes > 0.0;
}

/* Of this table's kind of operation, whose number of bits may be another than a float's. */
static double
times_peak(const LadderTable *table)
{
    const double times = table->ladder->operation.times_peak;
    return times > 0.0 ? times : 1.0;
}

Roof
bound_roof(const LadderTable *table, const Machine *machine)
{
    if (!is_known(table, machine))
        return ROOF_READ;
    const bool from_memory = machine_level(machine, table->threads, table->bytes) == MACHINE_MEMORY;
    const Roof roof = table->ladder->operation.streams && from_memory ? ROOF_TRIAD : ROOF_READ;
    const double rate = roof == ROOF_TRIAD ? machine_triad(machine, table->threads)
                                           : machine_read(machine, table->threads, table->bytes);
    const double peak = machine_flops(machine, table->threads) * times_peak(table),
                 intensity = table->flops / table->bytes;
    return roofline_attainable(peak, intensity, rate) < peak ? roof : ROOF_PEAK;
}

double
bound_seconds(const LadderTable *table, const Machine *machine)
{
    if (!is_known(table, machine))
        return NAN;
    const bool by_turns = table->roof_rate != NULL && table->rounds > 0;
    const double now = by_turns ? stats_median(table->roof_rate, (size_t)table->rounds) : NAN;
    switch (table->roof) {
    case ROOF_PEAK:
        return table->flops / ((by_turns ? now : machine_flops(machine, table->threads)) * times_peak(table));
    case ROOF_TRIAD:
        return table->bytes / (by_turns ? now : machine_triad(machine, table->threads));
    case ROOF_READ:
        break;
    }
    return table->bytes / machine_read(machine, table->threads, table->bytes);
}
