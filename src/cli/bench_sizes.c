/* Lists of sizes in bytes: see bench_sizes.h. SPDX-License-Identifier: MIT */
#include "cli/bench_sizes.h"
#include "core/array.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR = 4 };

/* One number with its letter; returns where it ends, or NULL. */
static const char *
parse_bytes(const char *text, size_t *bytes)
{
    static const char letters[] = "KMG";
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || errno != 0 || number > SIZE_MAX)
        return NULL;
    const char *letter = *end != '\0' ? strchr(letters, *end) : NULL;
    const size_t unit = letter == NULL ? 1 : (size_t)1 << 10 * (letter - letters + 1);
    return size_multiply((size_t)number, unit, bytes) ? end + (letter != NULL) : NULL;
}

/* "64K" or "4..256M", up to a comma or the end; returns where it ends, or NULL. */
static const char *
parse_range(const char *text, size_t *first, size_t *last)
{
    text = parse_bytes(text, first);
    *last = *first;
    if (text != NULL && strncmp(text, "..", 2) == 0)
        text = parse_bytes(text + 2, last);
    return text != NULL && (*text == ',' || *text == '\0') ? text : NULL;
}

int
bench_sizes_parse(const char *text, size_t bytes[BENCH_SIZES_MAX], Error *error)
{
    int count = 0;
    for (const char *rest = text;; rest++) {
        size_t first, last;
        rest = parse_range(rest, &first, &last);
        if (rest == NULL || first > last) {
            error_set(error, "--sizes %s: expected bytes, as in 4,1K,64K,1M, or 4..256M for every factor of 4 between",
                      text);
            return 0;
        }
        if (first == 0) {
            error_set(error, "--sizes %s: there is nothing to measure in 0 bytes: give 4 or more", text);
            return 0;
        }
        for (size_t size = first; size <= last; size *= FACTOR) {
            if (count == BENCH_SIZES_MAX) {
                error_set(error, "--sizes %s: more than %d sizes: measure them in several runs", text, BENCH_SIZES_MAX);
                return 0;
            }
            bytes[count++] = size;
            if (size > last / FACTOR)
                break;
        }
        if (*rest == '\0')
            return count;
    }
}
