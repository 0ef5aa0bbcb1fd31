/* SPDX-License-Identifier: MIT */
#include "mpi/cores.h"
#include "core/checked_mpi.h"
#include "core/host_limits.h"
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

bool
cores_are_few(const CoresUse *use)
{
    const bool bound = use->every_cores < use->cores;
    const int rivals = bound || use->all_ranks < use->ranks ? use->ranks : use->all_ranks;
    return rivals > use->cores || use->ranks > use->quota || use->all_ranks > use->quota;
}

/* Ranks of the program on this machine: a communicator does not know those outside it, and asking them would make them wait. Open
 * MPI's launcher tells each rank, MPICH's too. */
static int
ranks_said(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        const int ranks = text != NULL ? atoi(text) : 0;
        if (ranks > 0)
            return ranks;
    }
    return 0;
}

bool
cores_are_shared(MPI_Comm mpi)
{
    MPI_Comm machine;
    CoresUse use = {.all_ranks = ranks_said(), .quota = INT_MAX};
    size_t memory = SIZE_MAX;
    cpu_set_t cores, every; /* a rank that is bound to a core does not see those of the others */
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        CPU_ZERO(&cores); /* the machine has more than fit in (1024): as if they were shared */
    host_limits(&use.quota, &memory);
    CHECK_MPI(MPI_Comm_split_type(mpi, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    CHECK_MPI(MPI_Comm_size(machine, &use.ranks));
    CHECK_MPI(MPI_Allreduce(&cores, &every, sizeof(cores), MPI_BYTE, MPI_BAND, machine));
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, machine));
    use.cores = CPU_COUNT(&cores);
    use.every_cores = CPU_COUNT(&every);
    int few = cores_are_few(&use);
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &few, 1, MPI_INT, MPI_LOR, machine));
    CHECK_MPI(MPI_Comm_free(&machine));
    return few;
}
