/* What is made of the peaks of a machine, however they were measured. SPDX-License-Identifier: MIT */
#include "ladder/machine.h"
#include <math.h>

/* Between 1 thread and all: in proportion. */
static double
between(const Machine *machine, int threads, double one, double all)
{
    if (threads <= 1 || machine->all.threads <= 1)
        return one;
    if (threads >= machine->all.threads)
        return all;
    return one + (all - one) * (threads - 1) / (machine->all.threads - 1);
}

double
machine_flops(const Machine *machine, int threads)
{
    return between(machine, threads, machine->one.fma, machine->all.fma);
}

double
machine_triad(const Machine *machine, int threads)
{
    return between(machine, threads, machine->one.triad, machine->all.triad);
}

int
machine_level(const Machine *machine, int threads, double bytes)
{
    if (bytes <= (double)machine->capacity[MACHINE_L1] * threads)
        return MACHINE_L1;
    if (bytes <= (double)machine->capacity[MACHINE_L2] * threads)
        return MACHINE_L2;
    return bytes <= (double)machine->capacity[MACHINE_L3] ? MACHINE_L3 : MACHINE_MEMORY;
}

double
machine_read_from(const Machine *machine, int threads, int level)
{
    return between(machine, threads, machine->one.read[level], machine->all.read[level]);
}

double
machine_read(const Machine *machine, int threads, double bytes)
{
    return machine_read_from(machine, threads, machine_level(machine, threads, bytes));
}

const char *
machine_level_name(int level)
{
    static const char *const names[MACHINE_LEVELS] = {"L1", "L2", "L3", "memory"};
    return names[level];
}

double
roofline_attainable(double peak, double intensity, double bandwidth)
{
    return fmin(peak, intensity * bandwidth);
}
