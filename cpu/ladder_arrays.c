/* Arrays of random numbers for ladders: see arrays.h. SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "core/array.h"
#include "core/rng.h"

void
ladder_arrays_refresh(void *arrays, uint64_t round)
{
    LadderArrays *s = arrays;
    for (uint64_t i = 0; i < LADDER_ARRAYS_MAX && s->array[i].x != NULL; i++) {
        const LadderArray *a = &s->array[i];
        rng_fill_uniform(s->seed, i, round * a->n, a->x, a->n, a->low, a->high);
    }
}

LadderArrays *
ladder_arrays_create(const LadderArrays *description, Error *error)
{
    LadderArrays *s = ARRAY(LadderArrays, 1);
    *s = *description;
    for (int i = 0; i < LADDER_ARRAYS_MAX && s->array[i].low < s->array[i].high; i++) {
        s->array[i].x = array_try_create(s->array[i].n, sizeof(float), error);
        if (s->array[i].x == NULL) {
            ladder_arrays_destroy(s);
            return NULL;
        }
    }
    ladder_arrays_refresh(s, 0);
    return s;
}

void
ladder_arrays_destroy(void *arrays)
{
    LadderArrays *s = arrays;
    for (int i = 0; i < LADDER_ARRAYS_MAX; i++)
        array_free(s->array[i].x);
    array_free(s);
}

size_t
ladder_arrays_count(int count, const int *number)
{
    size_t product = 1;
    for (int i = 0; i < count; i++)
        if (!size_multiply(product, (size_t)number[i], &product))
            return SIZE_MAX;
    return product;
}
