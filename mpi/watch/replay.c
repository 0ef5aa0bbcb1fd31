/* SPDX-License-Identifier: MIT */
#include "mpi/watch/replay.h"
#include "core/array.h"
#include <stdlib.h>

/* One end of a message, and what sorts all of them: the k-th of equals is the k-th. */
typedef struct End {
    int from, to, tag, event;
    uint64_t group;
} End;

/* Of each event: a message's other end, and when it was sent and has arrived; -1: none, not yet. */
typedef struct Message {
    int other;
    double begin, sent, received;
} Message;

typedef struct Player {
    int next, last;                /* events */
    double clock, sends, receives; /* the rank's, and its two ports' */
} Player;

typedef struct Replay {
    const Logs *logs;
    double alpha, beta;
    Message *messages;
    Player *players;
} Replay;

void
logs_free(Logs *logs)
{
    array_free(logs->first);
    array_free(logs->count);
    array_free(logs->events);
    *logs = (Logs){0};
}

static int
compare(const void *a, const void *b)
{
    const End *x = a, *y = b;
#define BY(field)                                                                                                      \
    if (x->field != y->field)                                                                                          \
        return x->field < y->field ? -1 : 1;
    BY(from)
    BY(to)
    BY(group)
    BY(tag)
    BY(event)
#undef BY
    return 0;
}

/* The sorted ends of all messages of this kind; returns how many. */
static int
collect(const Logs *logs, EventKind kind, End *ends)
{
    int n = 0;
    for (int r = 0; r < logs->ranks; r++)
        for (int i = logs->first[r]; i < logs->first[r] + logs->count[r]; i++) {
            const Event *event = &logs->events[i];
            if (event->kind != kind || event->peer < 0)
                continue;
            const bool sends = kind == EVENT_SEND;
            ends[n++] = (End){sends ? r : event->peer, sends ? event->peer : r, event->tag, i, event->group};
        }
    qsort(ends, (size_t)n, sizeof(End), compare);
    return n;
}

/* Two sorted lists: what stands first in both is one message, else the smaller has no other end. */
static void
match(const Logs *logs, int all, Message *messages)
{
    End *sent = ARRAY(End, (size_t)all), *received = ARRAY(End, (size_t)all);
    const int sends = collect(logs, EVENT_SEND, sent), receives = collect(logs, EVENT_RECEIVE, received);
    for (int s = 0, r = 0; s < sends && r < receives;) {
        End mine = sent[s];
        mine.event = received[r].event;
        const int order = compare(&mine, &received[r]);
        if (order == 0) {
            messages[sent[s].event].other = received[r].event;
            messages[received[r].event].other = sent[s].event;
        }
        s += order <= 0;
        r += order >= 0;
    }
    array_free(sent);
    array_free(received);
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

/* The waits of one call, events first .. last - 1: it ends with the latest message. False: one is not sent yet. */
static bool
play_waits(const Replay *all, Player *player, int first, int last)
{
    const int base = all->logs->first[player - all->players];
    double end = player->clock;
    for (int i = first; i < last; i++) {
        const int of = base + all->logs->events[i].of;
        const Message *message = &all->messages[of];
        const bool sends = all->logs->events[of].kind == EVENT_SEND;
        if (!sends && message->other >= 0 && message->received < 0)
            return false;
        end = larger(end, sends ? message->sent : message->received);
    }
    player->clock = end;
    return true;
}

/* Plays this rank up to its next send, or to a message that is not sent yet. */
static void
play(const Replay *all, Player *player)
{
    const Event *events = all->logs->events;
    while (player->next < player->last && events[player->next].kind != EVENT_SEND) {
        int last = player->next + 1;
        if (events[player->next].kind == EVENT_WAIT) {
            while (last < player->last && events[last].kind == EVENT_WAIT && events[last].together)
                last++;
            if (!play_waits(all, player, player->next, last))
                return;
        }
        player->next = last;
    }
}

static double
cost(const Replay *all, int event)
{
    return all->alpha + all->beta * (double)all->logs->events[event].bytes;
}

/* The rank whose next send ends first, or -1. */
static int
first_to_send(const Replay *all)
{
    int first = -1;
    double earliest = 0;
    for (int r = 0; r < all->logs->ranks; r++) {
        const Player *player = &all->players[r];
        if (player->next == player->last || all->logs->events[player->next].kind != EVENT_SEND)
            continue;
        const double end = larger(player->clock, player->sends) + cost(all, player->next);
        if (first < 0 || end < earliest) {
            first = r;
            earliest = end;
        }
    }
    return first;
}

static void
play_send(const Replay *all, Player *player)
{
    const int i = player->next++;
    Message *message = &all->messages[i];
    message->begin = larger(player->clock, player->sends);
    message->sent = player->sends = message->begin + cost(all, i);
    if (message->other < 0)
        return;
    Player *receiver = &all->players[all->logs->events[i].peer];
    receiver->receives = larger(message->sent, receiver->receives + cost(all, i));
    all->messages[message->other].received = receiver->receives;
}

static double
finish(const Replay *all, int events, Arrows *arrows)
{
    double end = 0;
    for (int i = 0; i < events; i++) {
        const Message *sent = &all->messages[i], *received = sent->other < 0 ? NULL : &all->messages[sent->other];
        end = larger(end, larger(sent->sent, sent->received));
        if (arrows == NULL || all->logs->events[i].kind != EVENT_SEND || received == NULL || received->received < 0)
            continue;
        const int from = all->logs->events[sent->other].peer, to = all->logs->events[i].peer;
        arrows->arrow[arrows->count++] = (Arrow){from, to, sent->begin, received->received, all->logs->events[i].bytes};
    }
    return end;
}

double
replay(const Logs *logs, double alpha, double beta, Arrows *arrows)
{
    int events = 0;
    for (int r = 0; r < logs->ranks; r++)
        events += logs->count[r];
    Replay all = {logs, alpha, beta, ARRAY(Message, (size_t)events), ARRAY(Player, (size_t)logs->ranks)};
    for (int i = 0; i < events; i++)
        all.messages[i] = (Message){.other = -1, .sent = -1, .received = -1};
    match(logs, events, all.messages);
    for (int r = 0; r < logs->ranks; r++)
        all.players[r] = (Player){.next = logs->first[r], .last = logs->first[r] + logs->count[r]};
    /* Sends in the order in which they end: so messages come to a rank in the order in which it takes them in. */
    for (int r = 0; r < logs->ranks; r++)
        play(&all, &all.players[r]);
    for (int r = first_to_send(&all); r >= 0; r = first_to_send(&all)) {
        const int to = logs->events[all.players[r].next].peer;
        play_send(&all, &all.players[r]);
        play(&all, &all.players[r]);
        if (to >= 0)
            play(&all, &all.players[to]);
    }
    const double end = finish(&all, events, arrows);
    array_free(all.messages);
    array_free(all.players);
    return end;
}
