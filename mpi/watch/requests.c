/* SPDX-License-Identifier: MIT */
#include "mpi/watch/requests.h"
#include "core/array.h"
#include <string.h>

/* In the order in which they began. An entry without a place is free; those in front of `first` are. */
static Request *table;
static size_t first, end, room;

static void
make_room(void)
{
    if (first > 0 && first >= end / 2) {
        memmove(table, table + first, (end - first) * sizeof(Request));
        end -= first;
        first = 0;
    }
    if (end < room)
        return;
    Request *larger = ARRAY(Request, 2 * room + 16);
    if (end > 0)
        memcpy(larger, table, end * sizeof(Request));
    array_free(table);
    table = larger;
    room = 2 * room + 16;
}

void
requests_add(MPI_Request *place, Wait wait, Group *group, int event)
{
    for (size_t i = first; i < end; i++)
        if (table[i].place == place)
            table[i].place = NULL; /* a request that was never waited for: its variable has a new value */
    make_room();
    table[end++] = (Request){*place, place, wait, group, event};
}

Request *
requests_find(MPI_Request *place)
{
    Request *copied = NULL;
    for (size_t i = first; i < end; i++) {
        Request *request = &table[i];
        if (request->place == NULL || request->handle != *place)
            continue;
        if (request->place == place)
            return request;
        if (copied == NULL)
            copied = request;
    }
    if (copied != NULL)
        copied->place = place;
    return copied;
}

Request *
requests_at(const MPI_Request *place)
{
    for (size_t i = first; i < end; i++)
        if (table[i].place == place)
            return &table[i];
    return NULL;
}

void
requests_remove(Request *request)
{
    if (request == NULL)
        return;
    request->place = NULL;
    while (first < end && table[first].place == NULL)
        first++;
    if (first == end)
        first = end = 0;
}

void
requests_forget(const Group *group)
{
    for (size_t i = first; i < end; i++)
        if (table[i].group == group)
            table[i].group = NULL;
}
