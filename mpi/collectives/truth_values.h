/* What the elements of truth.h are, and how one stands in a vector. SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_TRUTH_VALUES_H
#define MPI_COLLECTIVES_TRUTH_VALUES_H

#include "mpi/collectives/truth.h"

static inline int
exponent(const CollectiveCase *c, int rank, size_t i)
{
    return (int)((i + (size_t)rank + c->round) % 3);
}

static inline double
factor(const CollectiveCase *c, size_t i)
{
    return (double)((i + c->round) % 251 + 1);
}

static inline bool
reduces(CollectiveKind kind)
{
    return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER;
}

static inline double
given(const CollectiveCase *c, int rank, size_t i)
{
    if (reduces(c->kind) && c->op == REDUCTION_PROD)
        return (double)(1 << exponent(c, rank, i));
    return (rank + 1) * factor(c, i);
}

static inline double
reduced(const CollectiveCase *c, int p, size_t i)
{
    double product = 1;
    switch (c->op) {
    case REDUCTION_SUM:
        return factor(c, i) * p * (p + 1) / 2;
    case REDUCTION_MIN:
        return factor(c, i);
    case REDUCTION_MAX:
        return factor(c, i) * p;
    default:
        for (int r = 0; r < p; r++)
            product *= 1 << exponent(c, r, i);
        return product;
    }
}

static inline void
store(void *vector, Element type, size_t i, double value)
{
    switch (type) {
    case ELEMENT_FLOAT:
        ((float *)vector)[i] = (float)value;
        break;
    case ELEMENT_DOUBLE:
        ((double *)vector)[i] = value;
        break;
    case ELEMENT_INT32:
        ((int32_t *)vector)[i] = (int32_t)value;
        break;
    case ELEMENT_INT64:
        ((int64_t *)vector)[i] = (int64_t)value;
        break;
    default:
        ((uint8_t *)vector)[i] = (uint8_t)(uint64_t)value;
        break;
    }
}

static inline double
load(const void *vector, Element type, size_t i)
{
    switch (type) {
    case ELEMENT_FLOAT:
        return ((const float *)vector)[i];
    case ELEMENT_DOUBLE:
        return ((const double *)vector)[i];
    case ELEMENT_INT32:
        return ((const int32_t *)vector)[i];
    case ELEMENT_INT64:
        return (double)((const int64_t *)vector)[i];
    default:
        return ((const uint8_t *)vector)[i];
    }
}

/* Right is equal, so that NaN is wrong. */
static inline bool
holds(const void *vector, Element type, size_t i, double value)
{
    const double got = load(vector, type, i);
    return type == ELEMENT_BYTE ? got == (double)(uint8_t)(uint64_t)value : got == value;
}

#endif
