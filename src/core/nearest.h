/* "Did you mean ...": the name nearest to a mistyped word. Offer it each name in turn, whatever table they stand in:
 *
 *     Nearest nearest = nearest_to("tarin");
 *     nearest_offer(&nearest, "train");
 *     nearest_offer(&nearest, "bench");
 *     nearest.name is "train"
 *
 * SPDX-License-Identifier: MIT */
#ifndef CORE_NEAREST_H
#define CORE_NEAREST_H

#include <stddef.h>

typedef struct Nearest {
    const char *word;
    const char *name; /* the best so far, not owned; NULL while none is near */
    size_t distance;  /* its distance, or the first one that is too far */
} Nearest;

/* Names up to a third of the word's letters away, rounded up, count as near. word must outlive the result. */
Nearest nearest_to(const char *word);

/* Keeps name if it is nearer than all before it. */
void nearest_offer(Nearest *nearest, const char *name);

/* The fewest letters to insert, delete, replace or exchange with their neighbour that turn a into b (Damerau 1964, in the form
 * that changes no part twice); a and b swapped give the same. Only the first NEAREST_LENGTH letters of each are looked at. */
enum { NEAREST_LENGTH = 64 };
size_t nearest_distance(const char *a, const char *b);

#endif
