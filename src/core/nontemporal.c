/* SPDX-License-Identifier: MIT */
#include "core/nontemporal.h"
#include "core/host.h"

static size_t limit; /* 0: not read yet */

bool
nontemporal_pays(size_t bytes)
{
    if (limit == 0) {
        const size_t cache = host_get()->cache[3];
        limit = VECTOR_BYTES >= 32 && cache > 0 ? cache / 2 : SIZE_MAX;
    }
    return bytes > limit;
}

void
nontemporal_above(size_t bytes)
{
    limit = bytes;
}
