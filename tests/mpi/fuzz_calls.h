/* Random collective calls for fuzz_dropin.c: each is made twice on the same data, by MPI's name, which may be the drop-in's, and by
 * the P name, the MPI library's; then the buffers must be equal to the last byte, gaps of derived types included.
 *
 * Numbers are small integers, so that no order of a sum rounds, and nothing overflows but what must wrap around the same way.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_FUZZ_CALLS_H
#define TESTS_MPI_FUZZ_CALLS_H

#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/rng.h"
#include <stdint.h>
#include <stdio.h>

/* What all ranks draw alike, and what this one draws for itself. */
typedef struct Dice {
    Rng all, mine;
} Dice;

static inline int
draw(Rng *rng, int n)
{
    return (int)rng_below(rng, (uint64_t)n);
}

/* Mostly short, rarely long, sometimes empty. */
static inline int
draw_length(Rng *rng)
{
    static const int most[] = {1, 2, 20, 20, 300, 3000, 3000, 20000};
    const int i = draw(rng, 64);
    return i == 0 ? draw(rng, 300000) : draw(rng, most[i % 8]);
}

/* ---- buffers that two calls are made on ------------------------------------------------------------------------------- */

typedef struct Pair {
    char *one, *two;
    size_t bytes;
} Pair;

static inline Pair
pair_create(size_t bytes)
{
    enum { GUARD = 64 };
    return (Pair){array_create(bytes + GUARD, 1), array_create(bytes + GUARD, 1), bytes + GUARD};
}

static inline void
pair_double(const Pair *pair)
{
    memcpy(pair->two, pair->one, pair->bytes);
}

/* Frees them. Whether they were equal. */
static inline bool
pair_close(Pair *pair)
{
    const bool equal = memcmp(pair->one, pair->two, pair->bytes) == 0;
    array_free(pair->one);
    array_free(pair->two);
    return equal;
}

/* ---- reductions ------------------------------------------------------------------------------------------------------- */

typedef struct Number {
    MPI_Datatype type;
    char kind; /* 'f', 'd', 'i': with a sign; 'u': without one, or as if */
} Number;

static inline Number
draw_number(Rng *rng)
{
    const Number numbers[] = {{MPI_FLOAT, 'f'},    {MPI_DOUBLE, 'd'},   {MPI_INT, 'i'},     {MPI_LONG, 'i'},
                              {MPI_INT64_T, 'i'},  {MPI_INT32_T, 'i'},  {MPI_UINT8_T, 'u'}, {MPI_UNSIGNED, 'u'},
                              {MPI_UINT64_T, 'u'}, {MPI_INT8_T, 'i'},   {MPI_SHORT, 'i'},   {MPI_AINT, 'i'},
                              {MPI_OFFSET, 'u'},   {MPI_LONG_LONG, 'i'}};
    return numbers[draw(rng, sizeof(numbers) / sizeof(numbers[0]))];
}

static inline MPI_Op
draw_operation(Rng *rng, Number number)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BOR, MPI_BAND};
    return ops[draw(rng, number.kind == 'f' || number.kind == 'd' ? 5 : 7)];
}

static inline void
put_number(char *at, Number number, int size, int value)
{
    const int64_t whole = number.kind == 'u' && value < 0 ? -value : value;
    const float f = (float)value;
    const double d = value;
    if (number.kind == 'f')
        memcpy(at, &f, sizeof(f));
    else if (number.kind == 'd')
        memcpy(at, &d, sizeof(d));
    else
        memcpy(at, &whole, (size_t)size); /* the low bytes come first */
}

static inline void
fill_numbers(char *x, Number number, int size, int n, Rng *mine)
{
    for (int i = 0, first = draw(mine, 5); i < n; i++)
        put_number(x + (size_t)i * (size_t)size, number, size, (i * 7 + first) % 5 - 2);
}

typedef struct Reducing {
    int n, size, root, p, rank; /* n: of all ranks' vectors; size: bytes of an element */
    Number number;
    MPI_Op op;
    bool in_place;
    Pair x, y;
} Reducing;

static inline Reducing
reducing_create(Dice *dice, MPI_Comm mpi, int n, bool in_place)
{
    Reducing r = {.n = n, .in_place = in_place, .number = draw_number(&dice->all)};
    r.op = draw_operation(&dice->all, r.number);
    const int root = draw(&dice->all, 1 << 20);
    CHECK_MPI(MPI_Type_size(r.number.type, &r.size));
    CHECK_MPI(MPI_Comm_size(mpi, &r.p));
    CHECK_MPI(MPI_Comm_rank(mpi, &r.rank));
    r.root = root % r.p;
    r.x = pair_create((size_t)n * (size_t)r.size);
    r.y = pair_create((size_t)n * (size_t)r.size);
    fill_numbers(r.x.one, r.number, r.size, n, &dice->mine);
    fill_numbers(r.y.one, r.number, r.size, n, &dice->mine);
    pair_double(&r.x);
    pair_double(&r.y);
    return r;
}

static inline bool
reducing_close(Reducing *r)
{
    const bool x = pair_close(&r->x), y = pair_close(&r->y);
    return x && y;
}

static inline bool
fuzz_allreduce(Dice *dice, MPI_Comm mpi)
{
    const int n = draw_length(&dice->all);
    Reducing r = reducing_create(dice, mpi, n, draw(&dice->all, 2));
    CHECK_MPI(MPI_Allreduce(r.in_place ? MPI_IN_PLACE : r.x.one, r.y.one, n, r.number.type, r.op, mpi));
    CHECK_MPI(PMPI_Allreduce(r.in_place ? MPI_IN_PLACE : r.x.two, r.y.two, n, r.number.type, r.op, mpi));
    return reducing_close(&r);
}

static inline bool
fuzz_reduce(Dice *dice, MPI_Comm mpi)
{
    const int n = draw_length(&dice->all);
    Reducing r = reducing_create(dice, mpi, n, draw(&dice->all, 2));
    const bool in_place = r.in_place && r.rank == r.root;
    CHECK_MPI(MPI_Reduce(in_place ? MPI_IN_PLACE : r.x.one, r.y.one, n, r.number.type, r.op, r.root, mpi));
    CHECK_MPI(PMPI_Reduce(in_place ? MPI_IN_PLACE : r.x.two, r.y.two, n, r.number.type, r.op, r.root, mpi));
    return reducing_close(&r);
}

/* In place MPI does not define what is behind the result. */
static inline bool
reduce_scatter_close(Reducing *r, int mine)
{
    if (r->in_place)
        memcpy(r->y.two + (size_t)mine * (size_t)r->size, r->y.one + (size_t)mine * (size_t)r->size,
               (size_t)(r->n - mine) * (size_t)r->size);
    return reducing_close(r);
}

static inline bool
fuzz_reduce_scatter(Dice *dice, MPI_Comm mpi)
{
    int p, n = 0, counts[64] = {0};
    CHECK_MPI(MPI_Comm_size(mpi, &p));
    const int each = draw_length(&dice->all) % 5000, uneven = draw(&dice->all, 4) == 0;
    const int in_place = draw(&dice->all, 2), block = !uneven && draw(&dice->all, 2);
    for (int i = 0; i < p; i++)
        n += counts[i] = uneven ? (each + 7 * i) % 11 : each;
    Reducing r = reducing_create(dice, mpi, n, in_place);
    const void *one = in_place ? MPI_IN_PLACE : r.x.one, *two = in_place ? MPI_IN_PLACE : r.x.two;
    if (block) {
        CHECK_MPI(MPI_Reduce_scatter_block(one, r.y.one, each, r.number.type, r.op, mpi));
        CHECK_MPI(PMPI_Reduce_scatter_block(two, r.y.two, each, r.number.type, r.op, mpi));
    } else {
        CHECK_MPI(MPI_Reduce_scatter(one, r.y.one, counts, r.number.type, r.op, mpi));
        CHECK_MPI(PMPI_Reduce_scatter(two, r.y.two, counts, r.number.type, r.op, mpi));
    }
    return reduce_scatter_close(&r, counts[r.rank]);
}

/* ---- movements -------------------------------------------------------------------------------------------------------- */

/* n integers, with another derived type on each rank. */
typedef struct Shape {
    MPI_Datatype type;
    int count;
    size_t bytes; /* that they take, with gaps */
    bool made;
} Shape;

enum { PLAIN, IN_BYTES, WITH_GAPS, ONE_VECTOR, REVERSED, SHAPES };

static inline MPI_Datatype
resized(MPI_Datatype type, int n, bool free_it)
{
    MPI_Datatype new;
    CHECK_MPI(MPI_Type_create_resized(type, 0, n * (MPI_Aint)sizeof(int), &new));
    CHECK_MPI(MPI_Type_commit(&new));
    if (free_it)
        CHECK_MPI(MPI_Type_free(&type));
    return new;
}

static inline Shape
shape_create(int kind, int n)
{
    MPI_Datatype type;
    if (kind == IN_BYTES)
        return (Shape){MPI_BYTE, n * (int)sizeof(int), (size_t)n * sizeof(int), false};
    if (kind == WITH_GAPS)
        return (Shape){resized(MPI_INT, 2, false), n, 2 * (size_t)n * sizeof(int), true};
    if (kind == ONE_VECTOR && n > 0) {
        CHECK_MPI(MPI_Type_vector(n, 1, 3, MPI_INT, &type));
        return (Shape){resized(type, 3 * n, true), 1, 3 * (size_t)n * sizeof(int), true};
    }
    if (kind == REVERSED && n > 0 && n <= 64) {
        int at[64];
        for (int i = 0; i < n; i++)
            at[i] = n - 1 - i;
        CHECK_MPI(MPI_Type_create_indexed_block(n, 1, at, MPI_INT, &type));
        return (Shape){resized(type, n, true), 1, (size_t)n * sizeof(int), true};
    }
    return (Shape){MPI_INT, n, (size_t)n * sizeof(int), false};
}

/* The library cuts long messages by each rank's own type, and so wants equal ones there. */
static inline Shape
draw_shape(Dice *dice, int n)
{
    const int alike = draw(&dice->all, SHAPES), own = draw(&dice->mine, SHAPES);
    return shape_create(n <= 200 ? own : alike, n);
}

static inline void
shape_free(Shape *shape)
{
    if (shape->made)
        CHECK_MPI(MPI_Type_free(&shape->type));
}

static inline Pair
random_pair(Rng *mine, size_t bytes)
{
    Pair pair = pair_create(bytes);
    const uint32_t first = rng_bits(mine);
    for (size_t i = 0; i < bytes; i++)
        pair.one[i] = (char)(first + i * 37 + (i >> 8));
    pair_double(&pair);
    return pair;
}

static inline bool
fuzz_broadcast(Dice *dice, MPI_Comm mpi)
{
    const int n = draw_length(&dice->all), root = draw(&dice->all, 1 << 20);
    int p;
    CHECK_MPI(MPI_Comm_size(mpi, &p));
    Shape shape = draw_shape(dice, n);
    Pair y = random_pair(&dice->mine, shape.bytes);
    CHECK_MPI(MPI_Bcast(y.one, shape.count, shape.type, root % p, mpi));
    CHECK_MPI(PMPI_Bcast(y.two, shape.count, shape.type, root % p, mpi));
    shape_free(&shape);
    return pair_close(&y);
}

typedef int Exchange(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

static inline bool
fuzz_exchange(Dice *dice, MPI_Comm mpi, Exchange *one, Exchange *two, bool to_all)
{
    const int n = draw_length(&dice->all) % 3000, in_place = draw(&dice->all, 3) == 0;
    int p;
    CHECK_MPI(MPI_Comm_size(mpi, &p));
    Shape send = draw_shape(dice, n), receive = draw_shape(dice, n);
    Pair x = random_pair(&dice->mine, send.bytes * (size_t)(to_all ? p : 1));
    Pair y = random_pair(&dice->mine, receive.bytes * (size_t)p);
    CHECK_MPI(one(in_place ? MPI_IN_PLACE : x.one, send.count, send.type, y.one, receive.count, receive.type, mpi));
    CHECK_MPI(two(in_place ? MPI_IN_PLACE : x.two, send.count, send.type, y.two, receive.count, receive.type, mpi));
    shape_free(&send);
    shape_free(&receive);
    const bool sent = pair_close(&x), received = pair_close(&y);
    return sent && received;
}

#endif
