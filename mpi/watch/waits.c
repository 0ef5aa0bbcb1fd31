/* SPDX-License-Identifier: MIT */
#include "mpi/watch/waits.h"
#include "core/array.h"
#include <inttypes.h>

static bool
ended(const Activity *activity)
{
    return activity->state == STATE_ENDED || (activity->moves % 2 == 1 && activity->wait.call == CALL_Finalize);
}

static bool
inside(const Activity *activity)
{
    return activity->state == STATE_RUNNING && activity->moves % 2 == 1;
}

bool
waits_stopped(const Activity *activity)
{
    return activity->state == STATE_STOPPED || activity->state == STATE_HELD;
}

bool
waits_all(const Activity *ranks, int p)
{
    bool someone = false;
    for (int r = 0; r < p; r++) {
        if (ranks[r].state == STATE_RUNNING && !inside(&ranks[r]))
            return false;
        someone = someone || (inside(&ranks[r]) && !ended(&ranks[r]));
    }
    return someone;
}

/* Whether a rank is in the caller's collective. One that is at a later collective of the group has done its part. */
static bool
takes_part(const Activity *caller, const Activity *other)
{
    const Wait *a = &caller->wait, *b = &other->wait;
    if (!inside(other) || b->kind != WAIT_ALL || b->group != a->group)
        return false;
    return b->collective > a->collective || (b->collective == a->collective && b->call == a->call);
}

/* Whether a rank that should take part in the caller's collective does something else. */
static bool
is_missing(const Activity *caller, const Activity *other, int rank)
{
    if (rank >= 64 || !(caller->wait.members >> rank & 1) || other->state == STATE_ELSEWHERE)
        return false;
    return !takes_part(caller, other);
}

/* Of a rank beyond 64 it is not known whether it is a member: it must take part. */
bool
waits_collective_runs(const Activity *ranks, int p)
{
    for (int r = 0; r < p; r++) {
        bool runs = inside(&ranks[r]) && ranks[r].wait.kind == WAIT_ALL;
        for (int q = 0; runs && q < p; q++)
            runs = (q < 64 && !(ranks[r].wait.members >> q & 1)) || takes_part(&ranks[r], &ranks[q]);
        if (runs)
            return true;
    }
    return false;
}

int
waits_for(const Activity *ranks, int p, int rank)
{
    const Activity *activity = &ranks[rank];
    if (!inside(activity) || ended(activity))
        return -1;
    if (activity->wait.kind == WAIT_TO || activity->wait.kind == WAIT_FROM)
        return activity->wait.peer < p ? activity->wait.peer : -1;
    for (int r = 0; activity->wait.kind == WAIT_ALL && r < p; r++)
        if (is_missing(activity, &ranks[r], r))
            return r;
    return -1;
}

/* Every rank waits for at most one, so a walk either ends or comes back to where it was: seen[r] tells in which walk. */
int
waits_cycle(const Activity *ranks, int p, int *cycle)
{
    int *seen = ARRAY(int, (size_t)p), length = 0;
    for (int start = 0; start < p && length == 0; start++) {
        int at = start;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = start + 1;
            at = waits_for(ranks, p, at);
        }
        if (at < 0 || seen[at] != start + 1)
            continue;
        int least = at;
        for (int r = waits_for(ranks, p, at); r != at; r = waits_for(ranks, p, r))
            least = r < least ? r : least;
        cycle[length++] = least;
        for (int r = waits_for(ranks, p, least); r != least; r = waits_for(ranks, p, r))
            cycle[length++] = r;
    }
    array_free(seen);
    return length;
}

static void
print_missing(FILE *out, const Activity *ranks, int p, int rank)
{
    int missing = 0;
    for (int r = 0; r < p; r++)
        if (is_missing(&ranks[rank], &ranks[r], r))
            fprintf(out, "%s %d", missing++ ? "," : " for rank", r);
    if (missing == 0)
        fprintf(out, " as others do");
}

static void
print_peer(FILE *out, const Wait *wait)
{
    if (wait->call == CALL_WINDOW) {
        fprintf(out, " for rank %d", wait->peer);
        return;
    }
    fprintf(out, wait->kind == WAIT_TO ? " for rank %d to receive" : " for a message from rank %d", wait->peer);
    if (wait->tag >= 0)
        fprintf(out, ": tag %d", wait->tag);
    else
        fprintf(out, ": any tag");
    if (wait->call != CALL_Probe)
        fprintf(out, ", %" PRIu64 " bytes", wait->bytes);
}

static void
print_stopped(FILE *out, const Activity *activity, double seconds)
{
    if (activity->state == STATE_HELD)
        fprintf(out, "is held by a debugger, for %.0f s", seconds);
    else
        fprintf(out, "is stopped, for %.0f s", seconds);
    fprintf(out, ": process %ld of its machine", activity->process);
    if (activity->state == STATE_STOPPED)
        fprintf(out, ", kill -CONT %ld lets it go on", activity->process);
    if (activity->moves % 2 == 1)
        fprintf(out, "; it was in %s", watch_call_name(activity->wait.call));
    fprintf(out, "\n");
}

static void
print_rank(FILE *out, const Activity *ranks, int p, int rank, double seconds)
{
    const Activity *activity = &ranks[rank];
    fprintf(out, "  rank %d ", rank);
    if (activity->state == STATE_ELSEWHERE) {
        fprintf(out, "is on another machine\n");
        return;
    }
    if (waits_stopped(activity)) {
        print_stopped(out, activity, seconds);
        return;
    }
    if (activity->state == STATE_ENDED || ended(activity)) {
        fprintf(out, "has ended%s\n", activity->state == STATE_ENDED ? "" : " (MPI_Finalize)");
        return;
    }
    if (!inside(activity)) {
        fprintf(out, "computes\n");
        return;
    }
    fprintf(out, "waits in %s", watch_call_name(activity->wait.call));
    if (activity->wait.kind == WAIT_ALL)
        print_missing(out, ranks, p, rank);
    else if (activity->wait.kind == WAIT_ANY)
        fprintf(out, " for anyone");
    else
        print_peer(out, &activity->wait);
    /* The moves of a phase are odd at the first call's beginning, and two more at each that follows. */
    fprintf(out, ", call %" PRIu64, (activity->moves - activity->phase_began + 1) / 2);
    if (activity->phase[0] != '\0')
        fprintf(out, " of \"%s\"", activity->phase);
    fprintf(out, ", for %.0f s\n", seconds);
}

void
waits_print(FILE *out, const Activity *ranks, const double *seconds, int p)
{
    for (int r = 0; r < p; r++)
        print_rank(out, ranks, p, r, seconds[r]);
    int *cycle = ARRAY(int, (size_t)p), length = waits_cycle(ranks, p, cycle), gone = 0; /* gone: or stopped */
    if (length > 0) {
        fprintf(out, "rungs: deadlock: rank %d waits for", cycle[0]);
        for (int i = 1; i < length; i++)
            fprintf(out, " rank %d, which waits for", cycle[i]);
        fprintf(out, " rank %d\n", cycle[0]);
    }
    for (int r = 0; r < p; r++) {
        const int other = waits_for(ranks, p, r);
        if (other < 0 || (!ended(&ranks[other]) && !waits_stopped(&ranks[other])))
            continue;
        fprintf(out, "rungs: rank %d waits for rank %d, which %s\n", r, other,
                waits_stopped(&ranks[other]) ? "is stopped" : "has ended");
        gone++;
    }
    if (length == 0 && gone == 0)
        fprintf(out, "rungs: no cycle is seen: a message that is never sent, or a network slower than the watchdog's "
                     "patience\n");
    array_free(cycle);
}
