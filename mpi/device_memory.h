/* Vectors in the memory of a GPU. SPDX-License-Identifier: MIT */
#ifndef MPI_DEVICE_MEMORY_H
#define MPI_DEVICE_MEMORY_H

#include <stdbool.h>

/* Whether the running MPI library takes pointers to device memory ("CUDA-aware"). If not, vectors must be copied to the host first.
 * Only Open MPI can be asked; of others this says false. MPI must have been started. */
bool mpi_takes_device_memory(void);

#endif
