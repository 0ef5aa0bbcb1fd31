/* SPDX-License-Identifier: MIT */
#include "mpi/collectives/truth.h"
#include "core/array.h"
#include "mpi/collectives/truth_values.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5, POISON_BYTE = 0xff /* four or eight of them are a NaN, and -1 */ };

/* ---- which elements a rank gives and gets: first .. first + count - 1 of the operation's vector ----------------------- */

/* Of the whole vector: all of it, or the chunk of this rank; of [p][n] rows: all of them. AT_ROOT: the root alone has it. */
typedef enum Share { NOTHING, WHOLE, WHOLE_AT_ROOT, CHUNK, ROWS } Share;

/* clang-format off */
static const struct {
    Share given, got;
} shares_of[COLLECTIVES] = {
    [COLLECTIVE_ALLREDUCE]      = {WHOLE, WHOLE},
    [COLLECTIVE_REDUCE]         = {WHOLE, WHOLE_AT_ROOT},
    [COLLECTIVE_BROADCAST]      = {NOTHING, WHOLE}, /* what the root gives stands where it gets it */
    [COLLECTIVE_REDUCE_SCATTER] = {WHOLE, CHUNK},
    [COLLECTIVE_ALL_GATHER]     = {CHUNK, WHOLE},
    [COLLECTIVE_GATHER]         = {CHUNK, WHOLE_AT_ROOT},
    [COLLECTIVE_SCATTER]        = {WHOLE_AT_ROOT, CHUNK},
    [COLLECTIVE_ALL_TO_ALL]     = {ROWS, ROWS},
    [COLLECTIVE_BARRIER]        = {NOTHING, NOTHING},
};
/* clang-format on */

static Chunk
elements_of(Share share, const CollectiveCase *c, const Comm *comm)
{
    switch (share) {
    case WHOLE:
        return (Chunk){0, c->n};
    case WHOLE_AT_ROOT:
        return (Chunk){0, comm->rank == c->root ? c->n : 0};
    case CHUNK:
        return chunk_of(c->n, comm->size, comm->rank);
    case ROWS:
        return (Chunk){0, c->n * (size_t)comm->size};
    default:
        return (Chunk){0, 0};
    }
}

static Chunk
input_of(const CollectiveCase *c, const Comm *comm)
{
    return elements_of(shares_of[c->kind].given, c, comm);
}

static Chunk
output_of(const CollectiveCase *c, const Comm *comm)
{
    return elements_of(shares_of[c->kind].got, c, comm);
}

/* The root alone has such a vector, and this rank is another. */
static bool
lacks(Share share, const CollectiveCase *c, const Comm *comm)
{
    return share == WHOLE_AT_ROOT && comm->rank != c->root;
}

/* Input and output are the same memory: on a rank that has both. */
static bool
same_memory(const CollectiveCase *c, const Comm *comm)
{
    const Share given = shares_of[c->kind].given, got = shares_of[c->kind].got;
    return c->in_place && given != NOTHING && given != ROWS && !lacks(given, c, comm) && !lacks(got, c, comm);
}

/* ---- elements that follow each other: all values repeat after PERIOD of them -------------------------------------------- */

enum { PERIOD = 251 * 3, REDUCED = -1 };

/* Elements first .. of what rank `from` gives, or of the reduction. */
typedef struct Run {
    int from;
    size_t first, count;
} Run;

static double
value_of(const CollectiveCase *c, const Comm *comm, const Run *run, size_t i)
{
    return run->from == REDUCED ? reduced(c, comm->size, run->first + i) : given(c, run->from, run->first + i);
}

static void
fill_run(const CollectiveCase *c, const Comm *comm, const Run *run, void *vector)
{
    const size_t period = run->count < PERIOD ? run->count : PERIOD;
    for (size_t i = 0; i < period; i++)
        store(vector, c->type, i, value_of(c, comm, run, i));
    for (size_t i = period; i < run->count; i += period) {
        const size_t rest = run->count - i;
        memcpy(element_at(vector, c->type, i), vector, (rest < period ? rest : period) * element_size(c->type));
    }
}

/* Number of wrong elements; *first: the first of them, if there are none before. */
static size_t
wrong_in_run(const CollectiveCase *c, const Comm *comm, const Run *run, const void *vector, size_t *first)
{
    double want[PERIOD]; /* room for the period in any type */
    const Run begin = {run->from, run->first, run->count < PERIOD ? run->count : PERIOD};
    size_t wrong = 0;
    fill_run(c, comm, &begin, want);
    for (size_t i = 0; i < run->count; i += PERIOD) {
        const size_t rest = run->count - i, count = rest < PERIOD ? rest : PERIOD;
        if (memcmp(element_at(vector, c->type, i), want, count * element_size(c->type)) == 0)
            continue;
        for (size_t k = i; k < i + count; k++)
            if (!holds(vector, c->type, k, value_of(c, comm, run, k)) && wrong++ == 0)
                *first = k;
    }
    return wrong;
}

/* Run number `part` of what this rank should get, whose elements are y.first ..; false: there are no more. */
static bool
output_run(const CollectiveCase *c, const Comm *comm, Chunk y, int part, Run *run)
{
    *run = (Run){REDUCED, y.first, y.count};
    if (c->kind == COLLECTIVE_BROADCAST || c->kind == COLLECTIVE_SCATTER)
        run->from = c->root;
    if (c->kind == COLLECTIVE_ALL_TO_ALL)
        *run = (Run){part, (size_t)comm->rank * c->n, c->n};
    else if (c->kind == COLLECTIVE_ALL_GATHER || c->kind == COLLECTIVE_GATHER) {
        const Chunk chunk = chunk_of(c->n, comm->size, part);
        *run = (Run){part, chunk.first, chunk.count};
    } else
        return part < 1;
    return part < comm->size && y.count > 0;
}

/* ---- memory: guard, x, guard, y, guard; or guard, the larger of the two with the other inside, guard ------------------ */

static size_t
room(size_t count, Element type)
{
    const size_t bytes = count * element_size(type);
    return (bytes + GUARD - 1) / GUARD * GUARD + GUARD;
}

size_t
collective_vectors_bytes(const CollectiveCase *c, const Comm *comm)
{
    const size_t x = input_of(c, comm).count, y = output_of(c, comm).count;
    return GUARD + (same_memory(c, comm) ? room(x > y ? x : y, c->type) : room(x, c->type) + room(y, c->type));
}

CollectiveVectors
collective_vectors_create(const CollectiveCase *c, const Comm *comm, void *memory)
{
    const Chunk x = input_of(c, comm), y = output_of(c, comm);
    CollectiveVectors v = {.x_count = x.count, .y_count = y.count, .owned = memory == NULL};
    v.bytes = collective_vectors_bytes(c, comm);
    v.memory = memory != NULL ? memory : array_create(v.bytes, 1);
    v.x = v.memory + GUARD;
    if (!same_memory(c, comm))
        v.y = v.memory + GUARD + room(x.count, c->type);
    else if (x.count < y.count) {
        v.y = v.x;
        v.x = element_at(v.y, c->type, x.first);
    } else {
        v.y = element_at(v.x, c->type, y.first - x.first);
    }
    if (lacks(shares_of[c->kind].given, c, comm))
        v.x = NULL;
    if (lacks(shares_of[c->kind].got, c, comm))
        v.y = NULL;
    return v;
}

void
collective_vectors_free(CollectiveVectors *vectors)
{
    if (vectors->owned)
        array_free(vectors->memory);
    *vectors = (CollectiveVectors){0};
}

void
collective_vectors_fill(const CollectiveCase *c, const Comm *comm, CollectiveVectors *v)
{
    const Chunk x = input_of(c, comm);
    memset(v->memory, GUARD_BYTE, v->bytes);
    if (v->y_count > 0)
        memset(v->y, POISON_BYTE, v->y_count * element_size(c->type));
    if (x.count > 0)
        fill_run(c, comm, &(Run){comm->rank, x.first, x.count}, v->x);
    if (c->kind == COLLECTIVE_BROADCAST && comm->rank == c->root && v->y_count > 0)
        fill_run(c, comm, &(Run){comm->rank, 0, v->y_count}, v->y);
}

/* ---- comparing -------------------------------------------------------------------------------------------------------- */

/* Bytes that belong to neither vector and are no longer what they were. Where the two share memory, it begins behind the guard. */
static size_t
guards_changed(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *v)
{
    const size_t size = element_size(c->type), x_bytes = v->x_count * size, y_bytes = v->y_count * size;
    const unsigned char *x = v->x, *y = v->y, *end = v->memory + v->bytes;
    const size_t shared = !same_memory(c, comm) ? 0 : x_bytes > y_bytes ? x_bytes : y_bytes;
    size_t changed = 0;
    for (const unsigned char *byte = v->memory; byte < end;)
        if (shared > 0 && byte == v->memory + GUARD)
            byte += shared;
        else if (shared == 0 && x_bytes > 0 && byte == x)
            byte += x_bytes;
        else if (shared == 0 && y_bytes > 0 && byte == y)
            byte += y_bytes;
        else
            changed += *byte++ != GUARD_BYTE;
    return changed;
}

size_t
collective_vectors_wrong(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *v, size_t *first)
{
    const Chunk x = input_of(c, comm), y = output_of(c, comm);
    size_t wrong = 0, done = 0, here = 0;
    Run run;
    for (int part = 0; output_run(c, comm, y, part, &run); part++) {
        const size_t more = wrong_in_run(c, comm, &run, element_at(v->y, c->type, done), &here);
        if (wrong == 0 && more > 0 && first != NULL)
            *first = done + here;
        wrong += more;
        done += run.count;
    }
    if (!same_memory(c, comm) && x.count > 0)
        wrong += wrong_in_run(c, comm, &(Run){comm->rank, x.first, x.count}, v->x, &here);
    return wrong + guards_changed(c, comm, v);
}
