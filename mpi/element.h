/* Element types of vectors, and reductions of two vectors.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_ELEMENT_H
#define MPI_ELEMENT_H

#include "mpi/chunk.h"
#include <mpi.h>
#include <stddef.h>

typedef enum Element { ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_INT32, ELEMENT_INT64, ELEMENT_BYTE, ELEMENTS } Element;
typedef enum Reduction { REDUCTION_SUM, REDUCTION_MIN, REDUCTION_MAX, REDUCTION_PROD, REDUCTIONS } Reduction;

size_t element_size(Element type); /* bytes */
const char *element_name(Element type);
const char *reduction_name(Reduction op);
MPI_Datatype element_mpi(Element type);
MPI_Op reduction_mpi(Reduction op);

/* y[i] = a[i] op b[i] for n elements, in the order of the arguments: ranks that combine the same values in the same order get the
 * same bits. y may be a or b. Integers wrap around; bytes are unsigned. */
void combine(Reduction op, Element type, size_t n, const void *a, const void *b, void *y);

/* Element number `index` of the vector. */
static inline void *
element_at(const void *vector, Element type, size_t index)
{
    return (char *)(size_t)vector + index * element_size(type);
}

#endif
