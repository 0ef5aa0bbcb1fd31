/* What a command line asks of a ladder: sizes and rungs, as text.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/nearest.h"
#include "ladder/ladder.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
ladder_size_numbers(const Ladder *ladder)
{
    return ladder->operation.dimension_count + (ladder->operation.variants != NULL);
}

const char *
ladder_size_text(const Ladder *ladder, const int *size, char text[64])
{
    int length = 0;
    text[0] = '\0';
    for (int i = 0; i < ladder->operation.dimension_count && length < 50; i++)
        length += snprintf(text + length, 64 - (size_t)length, "%s%zu", i > 0 ? "x" : "",
                           (size_t)size[i] * (ladder->operation.unit > 0 ? ladder->operation.unit : 1));
    const char *const *variants = ladder->operation.variants;
    const int variant = variants != NULL ? size[ladder->operation.dimension_count] : 0;
    if (variant > 0)
        snprintf(text + length, 64 - (size_t)length, ":%s", variants[variant]);
    return text;
}

/* The variant behind a colon, up to a comma or the end; returns where it ends, or NULL. */
static const char *
parse_variant(const char *text, const char *const *variants, int *index)
{
    const size_t length = strcspn(text, ",");
    for (*index = 0; variants[*index] != NULL; ++*index)
        if (strlen(variants[*index]) == length && memcmp(variants[*index], text, length) == 0)
            return text + length;
    return NULL;
}

/* One size, up to a comma or the end; returns where it ends, or NULL. */
static const char *
parse_size(const char *text, const Operation *operation, int *size)
{
    const int dimensions = operation->dimension_count;
    int count = 0;
    for (;;) {
        char *end;
        errno = 0;
        long number = strtol(text, &end, 10);
        if (*text < '0' || *text > '9' || errno != 0 || number > INT_MAX || count == dimensions)
            return NULL;
        size[count++] = (int)number;
        text = end;
        if (*text != 'x')
            break;
        text++;
    }
    for (int i = 1; count == 1 && i < dimensions; i++)
        size[i] = size[0];
    if (operation->variants != NULL)
        size[dimensions] = 0;
    if (operation->variants != NULL && *text == ':')
        text = parse_variant(text + 1, operation->variants, &size[dimensions]);
    return (count == 1 || count == dimensions) && text != NULL && (*text == ',' || *text == '\0') ? text : NULL;
}

static void
no_sizes(const char *text, const Operation *operation, Error *error)
{
    char variants[64] = "";
    for (int i = 0; operation->variants != NULL && operation->variants[i] != NULL; i++)
        snprintf(variants + strlen(variants), sizeof variants - strlen(variants), "%s:%s",
                 i == 0 ? "; behind it may stand " : " ", operation->variants[i]);
    error_set(error, "\"%s\" is not a list of sizes of %s: each is %s, as in 256,1003x999, or one number for all%s",
              text, operation->name, operation->dimensions, variants);
}

int
ladder_parse_sizes(const Ladder *ladder, const char *text, int max, int (*sizes)[LADDER_DIMENSIONS], Error *error)
{
    const Operation *operation = &ladder->operation;
    const char *rest = text;
    for (int count = 0; count < max; count++) {
        rest = parse_size(rest, operation, sizes[count]);
        if (rest == NULL) {
            no_sizes(text, operation, error);
            return 0;
        }
        if (*rest == '\0')
            return count + 1;
        rest++;
    }
    error_set(error, "\"%s\" holds more than %d sizes: measure them in several runs", text, max);
    return 0;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------------ */

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
ladder_parse_bytes(const char *text, int max, size_t *bytes, Error *error)
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
            if (count == max) {
                error_set(error, "--sizes %s: more than %d sizes: measure them in several runs", text, max);
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

/* ---- rungs ------------------------------------------------------------------------------------------------------------ */

static int
find_rung(const Ladder *ladder, const char *name, size_t length)
{
    for (int i = 0; i < ladder->count; i++)
        if (strlen(ladder->rungs[i].name) == length && memcmp(ladder->rungs[i].name, name, length) == 0)
            return i;
    return -1;
}

static bool
unknown_rung(const Ladder *ladder, const char *name, size_t length, Error *error)
{
    char known[256] = "", word[NEAREST_LENGTH];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    Nearest nearest = nearest_to(word);
    for (int i = 0; i < ladder->count; i++) {
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", ladder->rungs[i].name);
        nearest_offer(&nearest, ladder->rungs[i].name);
    }
    return error_set(error, "%s has no rung \"%.*s\": it has %s, or all%s%s%s", ladder->operation.name, (int)length,
                     name, known, nearest.name != NULL ? "; did you mean " : "",
                     nearest.name != NULL ? nearest.name : "", nearest.name != NULL ? "?" : "");
}

static bool
means_all(const char *name, size_t length)
{
    return length == 3 && memcmp(name, "all", 3) == 0;
}

bool
ladder_selects_all(const char *text)
{
    for (;; text += strcspn(text, ",") + 1) {
        const size_t length = strcspn(text, ",");
        if (means_all(text, length) || text[length] == '\0')
            return means_all(text, length);
    }
}

bool
ladder_parse_rungs(const Ladder *ladder, const char *text, bool *selected, Error *error)
{
    const bool all = ladder_selects_all(text);
    for (int i = 0; i < ladder->count; i++)
        selected[i] = all;
    for (;; text += strcspn(text, ",") + 1) {
        const size_t length = strcspn(text, ",");
        const int rung = find_rung(ladder, text, length);
        if (rung < 0 && !means_all(text, length))
            return unknown_rung(ladder, text, length > 64 ? 64 : length, error);
        if (rung >= 0)
            selected[rung] = true;
        if (text[length] == '\0')
            return true;
    }
}
