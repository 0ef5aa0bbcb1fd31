/* Events of this rank while they happen; at the end, those of all ranks.
 * SPDX-License-Identifier: MIT */
#include "mpi/watch/log.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/watch/activity.h"
#include "mpi/watch/group.h"
#include "mpi/watch/replay.h"
#include "mpi/watch/watch.h"
#include <string.h>

enum { MOST_EVENTS = 1 << 17 };

static Event *events;
static int count, room;
static bool full;
static WatchTraffic traffic;
static Logs logs; /* of the last watch_end */

static int
append(Event event)
{
    if (count == MOST_EVENTS) {
        full = true;
        return -1;
    }
    if (count == room) {
        Event *larger = ARRAY(Event, 2 * (size_t)room + 64);
        if (count > 0)
            memcpy(larger, events, (size_t)count * sizeof(Event));
        array_free(events);
        events = larger;
        room = 2 * room + 64;
    }
    events[count] = event;
    return count++;
}

int
log_message(EventKind kind, int peer, int tag, uint64_t bytes, uint64_t group)
{
    if (!(watch_on & WATCH_LOG))
        return -1;
    if (kind == EVENT_SEND) {
        traffic.sent++;
        traffic.sent_bytes += (int64_t)bytes;
    }
    return append((Event){.kind = kind, .peer = peer, .tag = tag, .bytes = bytes, .group = group});
}

void
log_wait(int of, bool together)
{
    if (of < 0 || of >= count || !(watch_on & WATCH_LOG))
        return;
    together = together && count > 0 && events[count - 1].kind == EVENT_WAIT;
    append((Event){.kind = EVENT_WAIT, .of = of, .together = together});
}

/* A receive counts when its message has come: only then its length is known. */
void
log_received(int of, int peer, int tag, uint64_t bytes)
{
    if (!(watch_on & WATCH_LOG))
        return;
    traffic.received++;
    traffic.received_bytes += (int64_t)bytes;
    if (of < 0 || of >= count || events[of].kind != EVENT_RECEIVE)
        return;
    events[of].peer = peer;
    events[of].tag = tag;
    events[of].bytes = bytes;
}

void
log_collective(void)
{
    if (watch_on & WATCH_LOG)
        traffic.collectives++;
}

void
watch_begin(void)
{
    count = 0;
    full = false;
    traffic = (WatchTraffic){0};
    watch_on |= WATCH_LOG;
}

/* ---- all ranks' ------------------------------------------------------------------------------------------------ */

/* Peers as ranks of comm; -1: another's. */
static void
number_peers(MPI_Comm comm)
{
    const Group *group = group_of(comm);
    for (int i = 0; i < count; i++) {
        int peer = -1;
        for (int rank = 0; rank < group->size && peer < 0 && events[i].kind != EVENT_WAIT; rank++)
            if (group->world[rank] == events[i].peer)
                peer = rank;
        events[i].peer = peer;
    }
}

static void
gather(MPI_Comm comm)
{
    logs_free(&logs);
    PMPI_Comm_size(comm, &logs.ranks);
    logs.count = ARRAY(int, (size_t)logs.ranks);
    logs.first = ARRAY(int, (size_t)logs.ranks);
    CHECK_MPI(PMPI_Allgather(&count, 1, MPI_INT, logs.count, 1, MPI_INT, comm));
    int64_t all = 0;
    for (int r = 0; r < logs.ranks; r++) {
        logs.first[r] = (int)all;
        all += logs.count[r];
    }
    CHECK_THAT(all < INT32_MAX, "more events than an int can count: watch fewer calls at a time");
    logs.events = ARRAY(Event, (size_t)all);
    MPI_Datatype type;
    CHECK_MPI(PMPI_Type_contiguous(sizeof(Event), MPI_BYTE, &type));
    CHECK_MPI(PMPI_Type_commit(&type));
    CHECK_MPI(PMPI_Allgatherv(events, count, type, logs.events, logs.count, logs.first, type, comm));
    CHECK_MPI(PMPI_Type_free(&type));
}

WatchCounts
watch_end(MPI_Comm comm)
{
    watch_on &= ~WATCH_LOG;
    enum { NUMBERS = sizeof(WatchTraffic) / sizeof(int64_t) };
    WatchCounts counts = {.mine = traffic};
    CHECK_MPI(PMPI_Allreduce(&traffic, &counts.busiest, NUMBERS, MPI_INT64_T, MPI_MAX, comm));
    CHECK_MPI(PMPI_Allreduce(&traffic, &counts.total, NUMBERS, MPI_INT64_T, MPI_SUM, comm));
    int cut = full, any_cut = 0;
    CHECK_MPI(PMPI_Allreduce(&cut, &any_cut, 1, MPI_INT, MPI_MAX, comm));
    number_peers(comm);
    gather(comm);
    counts.steps = any_cut ? -1 : (int64_t)replay(&logs, 1, 0, NULL);
    return counts;
}

double
watch_replay(double alpha, double beta)
{
    return replay(&logs, alpha, beta, NULL);
}

bool
watch_svg(const char *path, const char *title, Error *error)
{
    return replay_svg(&logs, path, title, error);
}
