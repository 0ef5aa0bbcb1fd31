/* rungs doctor: the machine and the build.
 * SPDX-License-Identifier: MIT */
#include "cli/doctor.h"
#include "core/host.h"
#include "core/instructions.h"
#include "core/units.h"
#include <stdlib.h>
#include <string.h>

void
doctor_machine(Findings *findings)
{
    const Host *host = host_get();
    char l1[UNITS_SIZE], l2[UNITS_SIZE], l3[UNITS_SIZE], memory[UNITS_SIZE];
    findings_add(findings, FINDING_OK, "processor", NULL, "%s, %d %s for this process", host->processor, host->cores,
                 host->cores == 1 ? "core" : "cores");
    findings_add(findings, FINDING_OK, "caches", NULL, "L1 %s and L2 %s a core, L3 %s",
                 units_bytes(l1, (double)host->cache[1]), units_bytes(l2, (double)host->cache[2]),
                 units_bytes(l3, (double)host->cache[3]));
    findings_add(findings, FINDING_OK, "memory", NULL, "%s", units_bytes(memory, (double)host->memory));
    findings_add(findings, FINDING_OK, "system", NULL, "%s", host->system);

    double load = 0.0;
    if (getloadavg(&load, 1) == 1 && load > 0.5 * host->cores)
        findings_add(findings, FINDING_NOTE, "load", "measure when nothing else runs",
                     "%.1f processes wanted a core in the last minute, there are %d", load, host->cores);
}

/* Asking OpenMP how many threads it would start is not the same as starting them. */
static int
threads_started(void)
{
    int started = 0;
#pragma omp parallel reduction(+ : started)
    started += 1;
    return started;
}

/* Which kind of machine this is, and whether the build makes use of it. */
static void
compare_instructions(Findings *findings)
{
    char here[INSTRUCTIONS_SIZE], used[INSTRUCTIONS_SIZE], l2[UNITS_SIZE];
    instructions_text(instructions_of_processor(), here);
    instructions_text(instructions_of_build(), used);
    const bool all = strcmp(here, used) == 0;
    findings_add(findings, all ? FINDING_OK : FINDING_NOTE, "vectors",
                 all ? NULL : "make clean and make compile for this processor",
                 "the processor has %s, L2 of %s; this build uses %s", here,
                 units_bytes(l2, (double)host_get()->cache[2]), all ? "all of it" : used);
}

void
doctor_build(Findings *findings)
{
    const Host *host = host_get();
    findings_add(findings, FINDING_OK, "compiler", NULL, "%s %s", host->compiler, RUNGS_FLAGS);
    compare_instructions(findings);
    if (host->openmp == 0) {
        findings_add(findings, FINDING_MISSING, "OpenMP",
                     "a compiler with OpenMP (make CC=gcc), and no OMP=0 on make's command line",
                     "this build has none: everything runs on one core");
        return;
    }
    const int wanted = host_threads(), started = threads_started();
    if (started < wanted)
        findings_add(findings, FINDING_BROKEN, "OpenMP", "look at OMP_THREAD_LIMIT and at the limits of this container",
                     "%d threads wanted, %d started", wanted, started);
    else if (started > host->cores)
        findings_add(findings, FINDING_NOTE, "OpenMP", "set OMP_NUM_THREADS to the number of cores, or unset it",
                     "%d threads started on %d cores: they wait for each other", started, host->cores);
    else
        findings_add(findings, FINDING_OK, "OpenMP", NULL, "%d of %d threads started, version %d", started, wanted,
                     host->openmp);
}
