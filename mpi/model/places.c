/* SPDX-License-Identifier: MIT */
#include "mpi/model/places.h"
#include "core/array.h"
#include "mpi/ring.h"

/* Place by place, at each of them in the order of ranks. */
static void
sort_columns(Places *places)
{
    int sorted = 0;
    for (int place = 0; sorted < places->p; place++)
        for (int rank = 0; rank < places->p; rank++)
            if (places->place[rank] == place)
                places->column[sorted++] = rank;
}

Places
places_create(const CostCase *what)
{
    const size_t p = (size_t)what->p;
    int *numbers = ARRAY(int, 5 * p);
    Places places = {what->p, numbers, numbers + p, numbers + 2 * p, numbers + 3 * p, numbers + 4 * p};
    for (int rank = 0; rank < what->p; rank++) {
        places.natural[rank] = rank;
        places.node_of[rank] = what->node_of != NULL ? what->node_of[rank]
                               : what->per_node > 0  ? rank / what->per_node
                                                     : 0;
    }
    ring_order(places.node_of, what->p, places.ring);
    for (int i = 1; i < what->p; i++) {
        const int rank = places.ring[i], before = places.ring[i - 1];
        places.place[rank] = places.node_of[rank] == places.node_of[before] ? places.place[before] + 1 : 0;
    }
    sort_columns(&places);
    return places;
}

void
places_free(Places *places)
{
    array_free(places->node_of);
    *places = (Places){0};
}

/* Ranks that follow each other in `order` and have the same number are a group. */
static int
cut(const int *order, const int *number, int p, size_t n, Group *groups)
{
    int count = 0;
    for (int i = 0; i < p; i++) {
        if (i == 0 || number[order[i]] != number[order[i - 1]])
            groups[count++] = (Group){.member = &order[i], .n = n};
        groups[count - 1].size++;
    }
    return count;
}

int
places_nodes(const Places *places, size_t n, Group *nodes)
{
    return cut(places->ring, places->node_of, places->p, n, nodes);
}

int
places_columns(const Places *places, size_t n, Group *columns)
{
    return cut(places->column, places->place, places->p, n, columns);
}
