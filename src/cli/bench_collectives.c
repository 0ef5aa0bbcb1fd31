/* The list of collectives to measure: that of mpi/collectives/collectives.c. SPDX-License-Identifier: MIT */
#include "cli/bench_collectives.h"
#include <string.h>
#ifdef HAVE_MPI
#include "mpi/collectives/collectives.h"

static const char *
name_of(int i)
{
    return collective_ladders[i] != NULL ? collective_ladders[i]->name : NULL;
}

static const char *
formula_of(int i)
{
    return collective_ladders[i]->formula;
}

#else

/* Known by name, so that the command can say what is missing. */
static const char *
name_of(int i)
{
    static const char *const names[] = {"allreduce", "reduce",  "broadcast",  "reduce_scatter", "all_gather",
                                        "gather",    "scatter", "all_to_all", "barrier",        NULL};
    return names[i];
}

static const char *
formula_of(int i)
{
    (void)i;
    return "not in this build, which is without MPI";
}

#endif

bool
bench_collective_is(const char *name)
{
    for (int i = 0; name_of(i) != NULL; i++)
        if (strcmp(name_of(i), name) == 0)
            return true;
    return false;
}

void
bench_collective_offer(Nearest *nearest)
{
    for (int i = 0; name_of(i) != NULL; i++)
        nearest_offer(nearest, name_of(i));
}

void
bench_collective_list(FILE *out)
{
    for (int i = 0; name_of(i) != NULL; i++)
        fprintf(out, "  rungs bench %-21s %s  (several ranks)\n", name_of(i), formula_of(i));
}
