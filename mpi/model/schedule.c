/* SPDX-License-Identifier: MIT */
#include "mpi/model/schedule.h"
#include "core/array.h"
#include "mpi/model/places.h"
#include <math.h>
#include <string.h>

typedef struct Message {
    int from, to;
    double bytes;
} Message;

/* How often a rank, or a node, takes part in a round: both counts are set back when it ends. */
typedef struct Part {
    int out, in;
    int to; /* of its last message */
} Part;

struct Schedule {
    const CostCase *what;
    Cost *cost;
    CostRank *ranks; /* [p] */
    double *moved;   /* [p] */
    double *copied;  /* [p] */
    Message *messages;
    int count, room;     /* messages of this round */
    double *reduced;     /* [p], in this round */
    double most_reduced; /* of them */
    Part *rank, *node;   /* [p] */
    Places places;
};

void
schedule_send(Schedule *schedule, int from, int to, double bytes)
{
    if (schedule->count == schedule->room) {
        Message *larger = ARRAY(Message, 2 * (size_t)schedule->room);
        memcpy(larger, schedule->messages, (size_t)schedule->room * sizeof(Message));
        array_free(schedule->messages);
        schedule->messages = larger;
        schedule->room *= 2;
    }
    schedule->messages[schedule->count++] = (Message){from, to, bytes};
    schedule->ranks[from].messages_sent++;
    schedule->ranks[from].bytes_sent += bytes;
    schedule->ranks[to].messages_received++;
    schedule->ranks[to].bytes_received += bytes;
    schedule->moved[from] += 2 * bytes; /* into memory that both can reach, */
    schedule->moved[to] += 2 * bytes;   /* and out of it */
}

void
schedule_reduce(Schedule *schedule, int rank, double bytes)
{
    schedule->reduced[rank] += bytes;
    schedule->most_reduced = fmax(schedule->most_reduced, schedule->reduced[rank]);
    schedule->moved[rank] += 3 * bytes; /* two loads, one store */
}

void
schedule_copy(Schedule *schedule, int rank, double moved)
{
    schedule->copied[rank] += moved;
    schedule->moved[rank] += moved;
}

void
schedule_flags(Schedule *schedule, double flags)
{
    schedule->cost->flags += flags;
}

/* Whether the ends of a message, or between nodes any of their ranks, send and receive. All messages have been counted. */
static Pattern
pattern_of(const Schedule *s, const Message *m, bool between)
{
    if (s->rank[m->to].out > 0 && s->rank[m->to].to == m->from)
        return PATTERN_SWAP;
    const Part from = between ? s->node[s->places.node_of[m->from]] : s->rank[m->from];
    return from.in > 0 ? PATTERN_SHIFT : PATTERN_ONE_WAY;
}

static bool
is_on(const Schedule *s, const Message *m, bool between)
{
    return (s->places.node_of[m->from] != s->places.node_of[m->to]) == between;
}

static void
count_messages(Schedule *s, bool between)
{
    for (int i = 0; i < s->count; i++) {
        const Message *m = &s->messages[i];
        if (!is_on(s, m, between))
            continue;
        s->rank[m->from].out++;
        s->rank[m->from].to = m->to;
        s->rank[m->to].in++;
        s->node[s->places.node_of[m->from]].out++;
        s->node[s->places.node_of[m->to]].in++;
    }
}

/* The messages of this round on one kind of link, and how many share it. */
static CostFlow
flow_of(Schedule *s, bool between)
{
    CostFlow flow = {.bytes = -1};
    count_messages(s, between);
    for (int i = 0; i < s->count; i++) {
        const Message *m = &s->messages[i];
        if (!is_on(s, m, between))
            continue;
        const Part from = s->node[s->places.node_of[m->from]], to = s->node[s->places.node_of[m->to]];
        const Pattern pattern = pattern_of(s, m, between);
        flow.bytes = fmax(flow.bytes, m->bytes);
        flow.pairs = fmax(flow.pairs, fmax(fmax(from.out, from.in), fmax(to.out, to.in)));
        flow.pattern = pattern > flow.pattern ? pattern : flow.pattern;
    }
    for (int i = 0; i < s->count; i++) {
        const Message *m = &s->messages[i];
        s->rank[m->from] = s->rank[m->to] = s->node[s->places.node_of[m->from]] = s->node[s->places.node_of[m->to]] =
            (Part){0};
    }
    /* Within a node a rank that sends and receives is busy in two pairs. */
    if (!between && flow.pattern != PATTERN_ONE_WAY)
        flow.pairs = fmax(1, flow.pairs / 2);
    return flow;
}

/* Nearly: chunks differ by an element. */
static bool
same_bytes(double a, double b)
{
    return (a < 0) == (b < 0) && fabs(a - b) <= 8 + 0.01 * fmax(a, b);
}

static bool
alike(const CostPhase *a, const CostPhase *b)
{
    return a->overlapped == b->overlapped && same_bytes(a->reduced, b->reduced) &&
           a->within.pattern == b->within.pattern && same_bytes(a->within.bytes, b->within.bytes) &&
           a->between.pattern == b->between.pattern && same_bytes(a->between.bytes, b->between.bytes);
}

static void
average(double *a, double b, double rounds)
{
    *a += (b - *a) / rounds;
}

/* Into the last phase if it is alike, or if there is no room for another: a phase has the averages of its rounds. */
static void
add_phase(Cost *cost, const CostPhase *round)
{
    CostPhase *last = cost->phases > 0 ? &cost->phase[cost->phases - 1] : NULL;
    if (last == NULL || (!alike(last, round) && cost->phases < COST_PHASES)) {
        cost->phase[cost->phases++] = *round;
        return;
    }
    last->rounds++;
    average(&last->reduced, round->reduced, last->rounds);
    average(&last->within.bytes, round->within.bytes, last->rounds);
    average(&last->within.pairs, round->within.pairs, last->rounds);
    average(&last->between.bytes, round->between.bytes, last->rounds);
    average(&last->between.pairs, round->between.pairs, last->rounds);
}

void
schedule_round(Schedule *s, bool overlapped)
{
    if (s->count == 0 && s->most_reduced <= 0)
        return;
    const CostPhase round = {.rounds = 1,
                             .within = flow_of(s, false),
                             .between = flow_of(s, true),
                             .reduced = s->most_reduced,
                             .overlapped = overlapped};
    Cost *cost = s->cost;
    cost->steps += s->count > 0;
    cost->bytes += fmax(0, fmax(round.within.bytes, round.between.bytes));
    cost->reduced += round.reduced;
    if (round.between.bytes >= 0) {
        cost->steps_between++;
        cost->bytes_between += round.between.bytes;
    }
    add_phase(cost, &round);
    memset(s->reduced, 0, (size_t)s->what->p * sizeof(double));
    s->most_reduced = 0;
    s->count = 0;
}

void
schedule_through(Schedule *s, double moved, double bytes, double pieces)
{
    int ranks = 1; /* of the largest node */
    for (int i = 0; i < s->what->p; i++)
        ranks = s->places.place[i] + 1 > ranks ? s->places.place[i] + 1 : ranks;
    const CostPhase phase = {
        .rounds = pieces,
        .within = {.bytes = bytes / fmax(1, pieces), .pairs = fmax(1, ranks / 2), .pattern = PATTERN_ONE_WAY},
        .between = {.bytes = -1}};
    add_phase(s->cost, &phase);
    for (int r = 0; r < s->what->p; r++)
        s->moved[r] += moved;
}

const CostCase *
schedule_case(const Schedule *schedule)
{
    return schedule->what;
}

double
schedule_bytes(const Schedule *schedule, size_t elements)
{
    return (double)elements * (double)schedule->what->element;
}

void
schedule_play(Schedule *schedule, const Algorithm *algorithm, const Group *groups, int count)
{
    int rounds = 0;
    for (int g = 0; g < count; g++) {
        const int more = algorithm->rounds(schedule, &groups[g]);
        rounds = more > rounds ? more : rounds;
    }
    for (int round = 0; round < rounds; round++) {
        for (int g = 0; g < count; g++)
            if (round < algorithm->rounds(schedule, &groups[g]))
                algorithm->round(schedule, &groups[g], round);
        schedule_round(schedule, algorithm->overlapped);
    }
}

void
schedule_play_all(Schedule *s, const Algorithm *algorithm)
{
    const int *order = algorithm->ring ? s->places.ring : s->places.natural;
    const Group everyone = {.member = order, .place = order, .size = s->what->p, .n = s->what->n};
    schedule_play(s, algorithm, &everyone, 1);
}

int
schedule_nodes(const Schedule *s, Group *nodes)
{
    return places_nodes(&s->places, s->what->n, nodes);
}

int
schedule_columns(const Schedule *s, Group *columns)
{
    return places_columns(&s->places, s->what->n, columns);
}

/* What the busiest rank has of each. */
static void
take_busiest(const Schedule *s)
{
    Cost *cost = s->cost;
    for (int r = 0; r < s->what->p; r++) {
        cost->messages = fmax(cost->messages, s->ranks[r].messages_sent);
        cost->sent = fmax(cost->sent, s->ranks[r].bytes_sent);
        cost->received = fmax(cost->received, s->ranks[r].bytes_received);
        cost->moved = fmax(cost->moved, s->moved[r]);
        cost->copied = fmax(cost->copied, s->copied[r]);
    }
}

bool
cost_of(const CostCase *what, Cost *cost, CostRank *ranks)
{
    const size_t p = (size_t)what->p;
    Schedule s = {.what = what, .cost = cost, .room = 16, .messages = ARRAY(Message, 16)};
    s.ranks = ARRAY(CostRank, p);
    s.moved = ARRAY(double, p);
    s.copied = ARRAY(double, p);
    s.reduced = ARRAY(double, p);
    s.rank = ARRAY(Part, p);
    s.node = ARRAY(Part, p);
    s.places = places_create(what);
    *cost = (Cost){.vector = schedule_bytes(&s, what->n)};
    const bool known = strcmp(what->operation, "allreduce") == 0 ? schedule_allreduce(&s) : schedule_other(&s);
    take_busiest(&s);
    if (ranks != NULL)
        memcpy(ranks, s.ranks, p * sizeof(*ranks));
    array_free(s.messages);
    array_free(s.ranks);
    array_free(s.moved);
    array_free(s.copied);
    array_free(s.reduced);
    array_free(s.rank);
    array_free(s.node);
    places_free(&s.places);
    return known;
}
