/* SPDX-License-Identifier: MIT */
#include "mpi/device_memory.h"
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

bool
mpi_takes_device_memory(void)
{
#ifdef MPIX_CUDA_AWARE_SUPPORT /* the header declares the function; the library answers */
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}
