/* Arrays aligned for vectors, with sizes that cannot overflow.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include "core/error.h"
#include <stdbool.h>
#include <stddef.h>

enum { ARRAY_ALIGNMENT = 64 }; /* bytes: one cache line, and one AVX-512 vector */

/* *product = a * b, or false if that does not fit. */
bool size_multiply(size_t a, size_t b, size_t *product);

/* count zeroed elements of `size` bytes at an address that is a multiple of ARRAY_ALIGNMENT. Never NULL, also for
 * count 0. Ends the program if there is no memory: for sizes that the program chose. Free with array_free. */
void *array_create(size_t count, size_t size);

/* The same for sizes that come from a file or an option: NULL with a sentence instead of the end. */
void *array_try_create(size_t count, size_t size, Error *error);

/* NULL is allowed. */
void array_free(void *array);

/* float *x = ARRAY(float, rows * columns); the product must already be known to fit. */
#define ARRAY(type, count) ((type *)array_create((count), sizeof(type)))

#endif
