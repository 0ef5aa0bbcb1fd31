/* A buffer for each thread that only ever grows: see workspace.h. SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "core/checked.h"
#include <pthread.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { PAGE = 1 << 12, LARGE_PAGE = 1 << 21 };

typedef struct Buffer {
    void *memory;
    size_t bytes;
} Buffer;

enum { INNER, OUTER, BUFFERS };

static _Thread_local Buffer own[BUFFERS];

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key[BUFFERS]; /* only the destructor is used: it runs when a thread ends */

static void
make_keys(void)
{
    for (int i = 0; i < BUFFERS; i++)
        CHECK_ZERO(pthread_key_create(&key[i], free));
}

static void *
grown(Buffer *buffer, pthread_key_t *its_key, size_t bytes)
{
    if (bytes <= buffer->bytes)
        return buffer->memory;
    const size_t page = bytes >= LARGE_PAGE ? LARGE_PAGE : PAGE;
    pthread_once(&key_once, make_keys);
    free(buffer->memory);
    buffer->bytes = (bytes + page - 1) / page * page;
    CHECK_THAT(buffer->bytes >= bytes && (buffer->memory = aligned_alloc(page, buffer->bytes)) != NULL,
               "no memory for %zu bytes of workspace", bytes);
#if defined(MADV_HUGEPAGE)
    if (page == LARGE_PAGE)
        madvise(buffer->memory, buffer->bytes, MADV_HUGEPAGE); /* refused: small pages then */
#endif
    pthread_setspecific(*its_key, buffer->memory);
    return buffer->memory;
}

void *
workspace(size_t bytes)
{
    return grown(&own[INNER], &key[INNER], bytes);
}

void *
workspace_outer(size_t bytes)
{
    return grown(&own[OUTER], &key[OUTER], bytes);
}
