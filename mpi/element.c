/* SPDX-License-Identifier: MIT */
#include "mpi/element.h"
#include <stdint.h>

size_t
element_size(Element type)
{
    static const size_t sizes[ELEMENTS] = {sizeof(float), sizeof(double), sizeof(int32_t), sizeof(int64_t), 1};
    return sizes[type];
}

const char *
element_name(Element type)
{
    static const char *const names[ELEMENTS] = {"float", "double", "int32", "int64", "byte"};
    return names[type];
}

const char *
reduction_name(Reduction op)
{
    static const char *const names[REDUCTIONS] = {"sum", "min", "max", "prod"};
    return names[op];
}

MPI_Datatype
element_mpi(Element type)
{
    switch (type) {
    case ELEMENT_FLOAT:
        return MPI_FLOAT;
    case ELEMENT_DOUBLE:
        return MPI_DOUBLE;
    case ELEMENT_INT32:
        return MPI_INT32_T;
    case ELEMENT_INT64:
        return MPI_INT64_T;
    default:
        return MPI_UINT8_T;
    }
}

MPI_Op
reduction_mpi(Reduction op)
{
    switch (op) {
    case REDUCTION_SUM:
        return MPI_SUM;
    case REDUCTION_MIN:
        return MPI_MIN;
    case REDUCTION_MAX:
        return MPI_MAX;
    default:
        return MPI_PROD;
    }
}

/* One function for each type: loops so plain that the compiler vectorises them. Integers are computed unsigned,
 * so that they may wrap around, and compared signed. */
#define LOOP(expression)                                                                                               \
    for (size_t i = 0; i < n; i++)                                                                                     \
        y[i] = (expression);                                                                                           \
    break

#define COMBINE(name, Type, Wrapping)                                                                                  \
    static void combine_##name(Reduction op, size_t n, const Type *a, const Type *b, Type *y)                          \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
        case REDUCTION_SUM:                                                                                            \
            LOOP((Type)((Wrapping)a[i] + (Wrapping)b[i]));                                                             \
        case REDUCTION_MIN:                                                                                            \
            LOOP(b[i] < a[i] ? b[i] : a[i]);                                                                           \
        case REDUCTION_MAX:                                                                                            \
            LOOP(b[i] > a[i] ? b[i] : a[i]);                                                                           \
        default:                                                                                                       \
            LOOP((Type)((Wrapping)a[i] * (Wrapping)b[i]));                                                             \
        }                                                                                                              \
    }

COMBINE(floats, float, float)
COMBINE(doubles, double, double)
COMBINE(int32, int32_t, uint32_t)
COMBINE(int64, int64_t, uint64_t)
COMBINE(bytes, uint8_t, uint32_t)

void
combine(Reduction op, Element type, size_t n, const void *a, const void *b, void *y)
{
    switch (type) {
    case ELEMENT_FLOAT:
        combine_floats(op, n, a, b, y);
        break;
    case ELEMENT_DOUBLE:
        combine_doubles(op, n, a, b, y);
        break;
    case ELEMENT_INT32:
        combine_int32(op, n, a, b, y);
        break;
    case ELEMENT_INT64:
        combine_int64(op, n, a, b, y);
        break;
    default:
        combine_bytes(op, n, a, b, y);
        break;
    }
}
