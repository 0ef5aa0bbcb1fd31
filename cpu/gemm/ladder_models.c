/* gemm's ladder: what each rung should take, from its operations, the bytes that it moves through each level, and the rates
 * that the machine was measured to have. Of all these terms the longest counts: a processor looks far enough ahead to do the
 * rest meanwhile. Only packing, a phase of its own, is added.
 *
 * A level is chosen by the reuse distance: the bytes accessed between two uses of the same element must fit there. Bytes from
 * L1 are counted by load instructions: a broadcast of one float occupies a load port as long as a vector does.
 *
 * What the models leave out: loops that are short, rows that end within a vector, and that memory answers a column's jumps from
 * page to page several times more slowly than the streams with which its rates were measured.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/gemm/ladder_internal.h"
#include "cpu/gemm/micro_kernel.h"
#include <math.h>

enum { FLOAT = sizeof(float), LINE = 64, TERMS = 4 };

typedef struct Model {
    double operations; /* seconds of computing alone */
    double packing;    /* seconds */
    Traffic traffic[TERMS];
} Model;

/* The size in doubles, whose products do not overflow, and how it is looked at. */
typedef struct Shape {
    double M, N, K, all;   /* all: M N K */
    bool a_jumps, b_jumps; /* the next k of op(A), the next column of op(B) is a row of memory away */
    double lda, ldb;       /* bytes of such a row */
    const Machine *machine;
    int threads;
} Shape;

static Shape
shape_of(const int *size, int threads, const Machine *machine)
{
    Shape s = {.M = size[GEMM_M], .N = size[GEMM_N], .K = size[GEMM_K], .machine = machine, .threads = threads};
    s.all = s.M * s.N * s.K;
    s.a_jumps = gemm_transposes_a(size);
    s.b_jumps = gemm_transposes_b(size);
    s.lda = FLOAT * (s.a_jumps ? s.M : s.K);
    s.ldb = FLOAT * (s.b_jumps ? s.K : s.N);
    return s;
}

/* The cache that `count` lines, one row of memory apart, keep busy. A cache puts a line where the lower bits of its address
 * say: with a power of two between them, they all meet in a few places, and the others stay empty. */
static double
column(double count, double row)
{
    double step = LINE;
    while (row > 0.0 && fmod(row, 2.0 * step) == 0.0)
        step *= 2.0;
    return count * step;
}

static double
seconds_of(const Shape *s, Traffic traffic)
{
    return traffic.bytes / machine_read_from(s->machine, s->threads, traffic.level);
}

/* `bytes` from the level that keeps `kept` bytes. */
static Traffic
from(const Shape *s, double bytes, double kept)
{
    return (Traffic){bytes, machine_level(s->machine, s->threads, kept)};
}

static Traffic
longest(const Shape *s, const Model *model)
{
    Traffic found = model->traffic[0];
    for (int i = 1; i < TERMS; i++)
        if (seconds_of(s, model->traffic[i]) > seconds_of(s, found))
            found = model->traffic[i];
    return found;
}

static double
predict(const Shape *s, Model model)
{
    return fmax(model.operations, seconds_of(s, longest(s, &model))) + model.packing;
}

/* ---- rungs 1 to 3: no sum stays in a register, or one ---- */

/* A sum that waits for itself, one step for each product. Each step reads an element of a column of B: a cache line from
 * wherever the K lines of a column fit, of which the next 15 columns use the rest. A transposed B is read along its rows, all
 * of it for each m; a transposed A has columns, too. */
static Model
naive(const Shape *s)
{
    Model model = {.operations = s->machine->chain * s->all};
    model.traffic[0] =
        s->b_jumps ? from(s, FLOAT * s->all, FLOAT * s->K * s->N) : from(s, LINE * s->all, column(s->K, s->ldb));
    if (s->a_jumps)
        model.traffic[1] = from(s, LINE * s->all, column(s->K, s->lda));
    return model;
}

/* Three loads and stores for a multiply-add, on whole vectors, while all of B passes by for each row. With a transposed B: one
 * by one, a cache line for each. */
static Model
reordered(const Shape *s)
{
    const double peak = machine_flops(s->machine, s->threads);
    if (s->b_jumps)
        return (Model){
            .operations = 2.0 * VECTOR_LANES * s->all / peak,
            .traffic = {from(s, 3.0 * VECTOR_BYTES * s->all, 0), from(s, LINE * s->all, column(s->N, s->ldb))}};
    return (Model){.operations = 2.0 * s->all / peak,
                   .traffic = {from(s, 3.0 * FLOAT * s->all, 0), from(s, FLOAT * s->all, FLOAT * s->K * s->N)}};
}

/* The same, but B comes from the cache that keeps a tile of 128 x 512 of it, and C from afar once for 128 steps. */
static Model
blocked(const Shape *s)
{
    Model model = reordered(s);
    const double tile = FLOAT * fmin(s->K, 128) * fmin(s->N, 512);
    model.traffic[1] =
        s->b_jumps ? from(s, LINE * s->all, column(fmin(s->N, 512), s->ldb)) : from(s, FLOAT * s->all, tile);
    model.traffic[2] = from(s, 2.0 * FLOAT * s->all / 128, FLOAT * s->M * s->N);
    return model;
}

/* ---- rungs 4 to 8: a tile of C in registers ---- */

/* A tile of rows x vectors: rows + vectors loads for rows * vectors multiply-adds. A passes once for each tile of columns, from
 * where the M_block x K_block elements of it fit that are used in between. C comes and goes once for K_block steps. */
static Model
tiled(const Shape *s, double rows, double vectors, double M_block, double K_block)
{
    const double loads = s->all / VECTOR_LANES * (rows + vectors) / (rows * vectors);
    const double block = FLOAT * fmin(s->M, M_block * s->threads) * fmin(s->K, K_block);
    return (Model){.operations = 2.0 * s->all / machine_flops(s->machine, s->threads),
                   .traffic = {from(s, VECTOR_BYTES * loads, 0),
                               from(s, FLOAT * s->all / (vectors * VECTOR_LANES), block),
                               from(s, 2.0 * FLOAT * s->M * s->N * ceil(s->K / K_block), FLOAT * s->M * s->N)}};
}

/* Edges aside, B in place: a transposed one has no whole tiles, and is summed like naive does. */
static Model
register_tile(const Shape *s)
{
    return s->b_jumps ? naive(s) : tiled(s, 4, 32.0 / VECTOR_LANES, s->M, 256);
}

/* A is packed once for each 4096 columns, B once: read in place, and written. */
static Model
packed(const Shape *s, double rows, double vectors)
{
    Model model = tiled(s, rows, vectors, 384, 256);
    const double elements = s->M * s->K * ceil(s->N / 4096) + s->K * s->N;
    model.packing = seconds_of(s, from(s, 2.0 * FLOAT * elements, FLOAT * elements));
    return model;
}

static Model
on_vectors(const Shape *s)
{
    return packed(s, VECTOR_BYTES == 64 ? 14 : 6, 2);
}

/* A is packed if it is transposed, B if it is large, or transposed: panel by panel between the tiles, which this counts as if it
 * came before them. */
static Model
expert(const Shape *s)
{
    Model model = tiled(s, TILE_ROWS, TILE_VECTORS, s->M, 1024);
    double elements = s->a_jumps ? s->M * s->K : 0.0;
    if (s->b_jumps || s->K * s->N > 1 << 19)
        elements += s->K * s->N;
    model.packing = seconds_of(s, from(s, 2.0 * FLOAT * elements, FLOAT * elements));
    return model;
}

static Model
packed_4x32(const Shape *s)
{
    return packed(s, 4, 32.0 / VECTOR_LANES);
}

/* ---- what the table of rungs calls ---- */

/* The rungs before openmp use one thread, whatever there are. */
#define MODEL(rung, model, threads_used)                                                                               \
    double gemm_predict_##rung(const int *size, int threads, const Machine *machine)                                   \
    {                                                                                                                  \
        const Shape s = shape_of(size, threads_used, machine);                                                         \
        (void)threads;                                                                                                 \
        return predict(&s, model(&s));                                                                                 \
    }                                                                                                                  \
    Traffic gemm_traffic_##rung(const int *size, int threads, const Machine *machine)                                  \
    {                                                                                                                  \
        const Shape s = shape_of(size, threads_used, machine);                                                         \
        const Model m = model(&s);                                                                                     \
        (void)threads;                                                                                                 \
        return longest(&s, &m);                                                                                        \
    }

MODEL(naive, naive, 1)
MODEL(reordered, reordered, 1)
MODEL(blocked, blocked, 1)
MODEL(register_tile, register_tile, 1)
MODEL(packed, packed_4x32, 1)
MODEL(vector, on_vectors, 1)
MODEL(openmp, on_vectors, threads)
MODEL(in_place, expert, threads)
MODEL(masked, expert, threads)
MODEL(prefetch, expert, threads)
MODEL(tall_skinny, expert, threads)
MODEL(expert, expert, threads)
