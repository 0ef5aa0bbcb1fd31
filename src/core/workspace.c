/* A buffer for each thread that only ever grows: see workspace.h. SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "core/checked.h"
#include <pthread.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { PAGE = 1 << 12, LARGE_PAGE = 1 << 21 };

static _Thread_local struct {
    void *memory;
    size_t bytes;
} own;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* only its destructor is used: it runs when a thread ends */

static void
make_key(void)
{
    CHECK_ZERO(pthread_key_create(&key, free));
}

void *
workspace(size_t bytes)
{
    if (bytes <= own.bytes)
        return own.memory;
    const size_t page = bytes >= LARGE_PAGE ? LARGE_PAGE : PAGE;
    pthread_once(&key_once, make_key);
    free(own.memory);
    own.bytes = (bytes + page - 1) / page * page;
    CHECK_THAT(own.bytes >= bytes && (own.memory = aligned_alloc(page, own.bytes)) != NULL,
               "no memory for %zu bytes of workspace", bytes);
#if defined(MADV_HUGEPAGE)
    if (page == LARGE_PAGE)
        madvise(own.memory, own.bytes, MADV_HUGEPAGE); /* refused: small pages then */
#endif
    pthread_setspecific(key, own.memory);
    return own.memory;
}
