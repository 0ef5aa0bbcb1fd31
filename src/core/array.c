/* Arrays aligned for vectors, with sizes that cannot overflow.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked.h"
#include "core/host.h"
#include "core/units.h"

#include <stdint.h>
#include <stdlib.h>

bool
size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* NULL if there is no memory. The length is not rounded up to the alignment: AddressSanitizer then sees an access one
 * element behind the end. */
static void *
allocate(size_t bytes)
{
    void *array = NULL;
    if (bytes > SIZE_MAX / 2 || posix_memalign(&array, ARRAY_ALIGNMENT, bytes ? bytes : 1) != 0)
        return NULL;
    return memset(array, 0, bytes ? bytes : 1);
}

void *
array_create(size_t count, size_t size)
{
    size_t bytes = 0;
    CHECK_THAT(size_multiply(count, size, &bytes), "%zu elements of %zu bytes do not fit into memory", count, size);
    void *array = allocate(bytes);
    CHECK_THAT(array, "no memory for %zu elements of %zu bytes", count, size);
    return array;
}

/* Linux promises memory that it does not have and ends the program when the pages are touched: so what cannot fit is refused
 * before the allocation. */
void *
array_try_create(size_t count, size_t size, Error *error)
{
    size_t bytes = 0;
    if (!size_multiply(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        error_set(error, "%zu elements of %zu bytes are more than any memory holds; is the file damaged?", count, size);
        return NULL;
    }
    char needed[UNITS_SIZE], present[UNITS_SIZE];
    units_bytes(needed, (double)bytes);
    units_bytes(present, (double)host_get()->memory);
    void *array = bytes <= host_get()->memory ? allocate(bytes) : NULL;
    if (!array)
        error_set(error, "%zu elements of %zu bytes need %s, more than is free (this machine has %s); take fewer",
                  count, size, needed, present);
    return array;
}

void
array_free(void *array)
{
    free(array);
}
