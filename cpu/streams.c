/* Arrays of random numbers for ladders: see streams.h. SPDX-License-Identifier: MIT */
#include "cpu/streams.h"
#include "core/array.h"
#include "core/rng.h"

void
streams_refresh(void *streams, uint64_t round)
{
    Streams *s = streams;
    for (uint64_t i = 0; i < STREAMS_MAX && s->stream[i].x != NULL; i++) {
        const Stream *a = &s->stream[i];
        rng_fill_uniform(s->seed, i, round * a->n, a->x, a->n, a->low, a->high);
    }
}

Streams *
streams_create(const Streams *description, Error *error)
{
    Streams *s = ARRAY(Streams, 1);
    *s = *description;
    for (int i = 0; i < STREAMS_MAX && s->stream[i].low < s->stream[i].high; i++) {
        s->stream[i].x = array_try_create(s->stream[i].n, sizeof(float), error);
        if (s->stream[i].x == NULL) {
            streams_destroy(s);
            return NULL;
        }
    }
    streams_refresh(s, 0);
    return s;
}

void
streams_destroy(void *streams)
{
    Streams *s = streams;
    for (int i = 0; i < STREAMS_MAX; i++)
        array_free(s->stream[i].x);
    array_free(s);
}

size_t
streams_count(int count, const int *number)
{
    size_t product = 1;
    for (int i = 0; i < count; i++)
        if (!size_multiply(product, (size_t)number[i], &product))
            return SIZE_MAX;
    return product;
}
