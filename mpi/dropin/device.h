/* Vectors of the program in the memory of a GPU: a program may give such pointers to an MPI library that takes them.
 *
 * The rungs compute on the host, so vectors on the device are copied there and back. To leave the call to the library instead,
 * all ranks would have to do so, and none knows where the vectors of the others are: MPI lets them differ.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_DROPIN_DEVICE_H
#define MPI_DROPIN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* A part of the program's memory, as the host sees it. */
typedef struct Mirror {
    void *host;   /* the memory itself, or a copy of it */
    void *device; /* NULL: the memory is the host's */
    size_t bytes;
} Mirror;

/* With `read` the copy has what is there. Asks the CUDA driver, if the program has loaded it. */
Mirror mirror_open(const void *memory, size_t bytes, bool read);

/* With `write` the memory is given what the copy has. */
void mirror_close(Mirror *mirror, bool write);

#endif
