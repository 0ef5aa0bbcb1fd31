/* SPDX-License-Identifier: MIT */
#include "mpi/collectives/truth.h"
#include "core/array.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5, POISON_BYTE = 0xff /* four or eight of them are a NaN, and -1 */ };

/* ---- which elements a rank gives and gets: first .. first + count - 1 of the operation's vector ----------------------- */

static bool
has_root(CollectiveKind kind)
{
    return kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_BROADCAST || kind == COLLECTIVE_GATHER ||
           kind == COLLECTIVE_SCATTER;
}

static Chunk
input_of(const CollectiveCase *c, const Comm *comm)
{
    const Chunk nothing = {0, 0}, whole = {0, c->n}, mine = chunk_of(c->n, comm->size, comm->rank);
    switch (c->kind) {
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_GATHER:
        return mine;
    case COLLECTIVE_BROADCAST:
        return nothing; /* what it gives stands where it gets it */
    case COLLECTIVE_SCATTER:
        return comm->rank == c->root ? whole : nothing;
    case COLLECTIVE_ALL_TO_ALL:
        return (Chunk){0, c->n * (size_t)comm->size};
    case COLLECTIVE_BARRIER:
        return nothing;
    default:
        return whole;
    }
}

static Chunk
output_of(const CollectiveCase *c, const Comm *comm)
{
    const Chunk nothing = {0, 0}, whole = {0, c->n}, mine = chunk_of(c->n, comm->size, comm->rank);
    switch (c->kind) {
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_GATHER:
        return comm->rank == c->root ? whole : nothing;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_SCATTER:
        return mine;
    case COLLECTIVE_ALL_TO_ALL:
        return (Chunk){0, c->n * (size_t)comm->size};
    case COLLECTIVE_BARRIER:
        return nothing;
    default:
        return whole;
    }
}

/* Input and output are the same memory: on a rank that has both. */
static bool
shares(const CollectiveCase *c, const Comm *comm)
{
    if (c->kind == COLLECTIVE_ALL_TO_ALL || c->kind == COLLECTIVE_BROADCAST || c->kind == COLLECTIVE_BARRIER)
        return false;
    return c->in_place && (!has_root(c->kind) || comm->rank == c->root);
}

/* ---- what the elements are -------------------------------------------------------------------------------------------- */

static int
exponent(const CollectiveCase *c, int rank, size_t i)
{
    return (int)((i + (size_t)rank + c->round) % 3);
}

static double
factor(const CollectiveCase *c, size_t i)
{
    return (double)((i + c->round) % 251 + 1);
}

static bool
reduces(CollectiveKind kind)
{
    return kind == COLLECTIVE_ALLREDUCE || kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_REDUCE_SCATTER;
}

static double
given(const CollectiveCase *c, int rank, size_t i)
{
    if (reduces(c->kind) && c->op == REDUCTION_PROD)
        return (double)(1 << exponent(c, rank, i));
    return (rank + 1) * factor(c, i);
}

static double
reduced(const CollectiveCase *c, int p, size_t i)
{
    double product = 1;
    switch (c->op) {
    case REDUCTION_SUM:
        return factor(c, i) * p * (p + 1) / 2;
    case REDUCTION_MIN:
        return factor(c, i);
    case REDUCTION_MAX:
        return factor(c, i) * p;
    default:
        for (int r = 0; r < p; r++)
            product *= 1 << exponent(c, r, i);
        return product;
    }
}

/* The rank whose chunk holds element i. */
static int
owner(const CollectiveCase *c, const Comm *comm, size_t i)
{
    for (int r = 0; r < comm->size; r++) {
        const Chunk chunk = chunk_of(c->n, comm->size, r);
        if (i < chunk.first + chunk.count)
            return r;
    }
    return comm->size;
}

/* Element i of what this rank should get, i as in output_of. */
static double
wanted(const CollectiveCase *c, const Comm *comm, size_t i)
{
    switch (c->kind) {
    case COLLECTIVE_BROADCAST:
    case COLLECTIVE_SCATTER:
        return given(c, c->root, i);
    case COLLECTIVE_ALL_GATHER:
    case COLLECTIVE_GATHER:
        return given(c, owner(c, comm, i), i);
    case COLLECTIVE_ALL_TO_ALL:
        return given(c, (int)(i / c->n), (size_t)comm->rank * c->n + i % c->n);
    default:
        return reduced(c, comm->size, i);
    }
}

static void
store(void *vector, Element type, size_t i, double value)
{
    switch (type) {
    case ELEMENT_FLOAT:
        ((float *)vector)[i] = (float)value;
        break;
    case ELEMENT_DOUBLE:
        ((double *)vector)[i] = value;
        break;
    case ELEMENT_INT32:
        ((int32_t *)vector)[i] = (int32_t)value;
        break;
    case ELEMENT_INT64:
        ((int64_t *)vector)[i] = (int64_t)value;
        break;
    default:
        ((uint8_t *)vector)[i] = (uint8_t)(uint64_t)value;
        break;
    }
}

static double
load(const void *vector, Element type, size_t i)
{
    switch (type) {
    case ELEMENT_FLOAT:
        return ((const float *)vector)[i];
    case ELEMENT_DOUBLE:
        return ((const double *)vector)[i];
    case ELEMENT_INT32:
        return ((const int32_t *)vector)[i];
    case ELEMENT_INT64:
        return (double)((const int64_t *)vector)[i];
    default:
        return ((const uint8_t *)vector)[i];
    }
}

/* Right is equal, so that NaN is wrong. */
static bool
holds(const void *vector, Element type, size_t i, double value)
{
    const double got = load(vector, type, i);
    return type == ELEMENT_BYTE ? got == (double)(uint8_t)(uint64_t)value : got == value;
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
    return GUARD + (shares(c, comm) ? room(x > y ? x : y, c->type) : room(x, c->type) + room(y, c->type));
}

CollectiveVectors
collective_vectors_create(const CollectiveCase *c, const Comm *comm, void *memory)
{
    const Chunk x = input_of(c, comm), y = output_of(c, comm);
    CollectiveVectors v = {.x_count = x.count, .y_count = y.count, .owned = memory == NULL};
    v.bytes = collective_vectors_bytes(c, comm);
    v.memory = memory != NULL ? memory : array_create(v.bytes, 1);
    v.x = v.memory + GUARD;
    if (!shares(c, comm))
        v.y = v.memory + GUARD + room(x.count, c->type);
    else if (x.count < y.count) {
        v.y = v.x;
        v.x = element_at(v.y, c->type, x.first);
    } else {
        v.y = element_at(v.x, c->type, y.first - x.first);
    }
    const bool nothing_in = c->kind == COLLECTIVE_SCATTER && comm->rank != c->root;
    const bool nothing_out = (c->kind == COLLECTIVE_REDUCE || c->kind == COLLECTIVE_GATHER) && comm->rank != c->root;
    v.x = nothing_in ? NULL : v.x;
    v.y = nothing_out ? NULL : v.y;
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
    for (size_t i = 0; i < x.count; i++)
        store(v->x, c->type, i, given(c, comm->rank, x.first + i));
    if (c->kind == COLLECTIVE_BROADCAST && comm->rank == c->root)
        for (size_t i = 0; i < v->y_count; i++)
            store(v->y, c->type, i, given(c, comm->rank, i));
}

/* ---- comparing -------------------------------------------------------------------------------------------------------- */

/* Bytes that belong to neither vector and are no longer what they were. Where the two share memory, it begins behind the guard. */
static size_t
guards_changed(const CollectiveCase *c, const Comm *comm, const CollectiveVectors *v)
{
    const size_t size = element_size(c->type), x_bytes = v->x_count * size, y_bytes = v->y_count * size;
    const unsigned char *x = v->x, *y = v->y, *end = v->memory + v->bytes;
    const size_t shared = !shares(c, comm) ? 0 : x_bytes > y_bytes ? x_bytes : y_bytes;
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
    size_t wrong = 0;
    for (size_t i = 0; i < y.count; i++)
        if (!holds(v->y, c->type, i, wanted(c, comm, y.first + i))) {
            if (wrong++ == 0 && first != NULL)
                *first = i;
        }
    if (!shares(c, comm))
        for (size_t i = 0; i < x.count; i++)
            wrong += !holds(v->x, c->type, i, given(c, comm->rank, x.first + i));
    return wrong + guards_changed(c, comm, v);
}
