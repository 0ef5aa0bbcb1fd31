/* "Did you mean ...". SPDX-License-Identifier: MIT */
#include "core/nearest.h"
#include <string.h>

Nearest
nearest_to(const char *word)
{
    return (Nearest){.word = word, .distance = (strlen(word) + 2) / 3 + 1};
}

void
nearest_offer(Nearest *nearest, const char *name)
{
    const size_t distance = nearest_distance(nearest->word, name);
    if (distance >= nearest->distance)
        return;
    nearest->name = name;
    nearest->distance = distance;
}

static size_t
smallest(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

size_t
nearest_distance(const char *a, const char *b)
{
    const size_t a_length = strnlen(a, NEAREST_LENGTH), b_length = strnlen(b, NEAREST_LENGTH);
    /* rows[0][j]: distance between the first i letters of a and the first j of b; rows[1] and rows[2]: the same for i-1, i-2.
     *
     *     corner   above      rows[0][j] = min(left + 1, above + 1, corner + (0 if the letters are equal, else 1)),
     *     left     here       and two letters that were exchanged cost one more than rows[2][j-2] */
    size_t storage[3][NEAREST_LENGTH + 1], *rows[3] = {storage[0], storage[1], storage[2]};
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *const free_row = rows[2];
        rows[2] = rows[1];
        rows[1] = rows[0];
        rows[0] = free_row;
        rows[0][0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            rows[0][j] = smallest(rows[0][j - 1] + 1, rows[1][j] + 1, rows[1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[0][j] = smallest(rows[0][j], rows[0][j], rows[2][j - 2] + 1);
        }
    }
    return rows[0][b_length];
}
