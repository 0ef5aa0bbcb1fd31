/* Random numbers by counting: Philox4x32-10, and what is made from its bits.
 *
 * Number i of a stream is word i % 4 of the block with this counter, under the key that is the seed:
 *
 *     counter word   0, 1                        2, 3
 *                    i / 4 (62 bits) + kind      stream
 *
 * The two highest bits of the block number are free and hold the kind of number: a normal number never shares bits with
 * a uniform one, so a sequence may mix them.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"

#include <math.h>

enum { ROUNDS = 10, LANES = 16, CHUNK = 4 * LANES };
static const uint64_t KIND_BITS = 0, KIND_NORMAL = 1;
static const double TWO_POW_MINUS_32 = 1.0 / 4294967296.0;

/* The paper's constants: multipliers, and Weyl steps of the key (golden ratio, sqrt(3) - 1). */
static const uint32_t M0 = 0xD2511F53, M1 = 0xCD9E8D57, W0 = 0x9E3779B9, W1 = 0xBB67AE85;

/* LANES blocks at once, word by word: c0[l] .. c3[l] hold the counter of lane l and then its random bits. The inner loop
 * has the same instruction for all lanes, which compilers turn into vector code. */
static void
philox_lanes(uint32_t *restrict c0, uint32_t *restrict c1, uint32_t *restrict c2, uint32_t *restrict c3, int lanes,
             uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int l = 0; l < lanes; l++) {
            uint64_t p0 = (uint64_t)M0 * c0[l], p1 = (uint64_t)M1 * c2[l];
            c0[l] = (uint32_t)(p1 >> 32) ^ c1[l] ^ key0;
            c1[l] = (uint32_t)p1;
            c2[l] = (uint32_t)(p0 >> 32) ^ c3[l] ^ key1;
            c3[l] = (uint32_t)p0;
        }
        key0 += W0;
        key1 += W1;
    }
}

void
rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t random[4])
{
    for (int i = 0; i < 4; i++)
        random[i] = counter[i];
    philox_lanes(random, random + 1, random + 2, random + 3, 1, key[0], key[1]);
}

/* The four words of one block. */
static void
block_of(uint64_t seed, uint64_t stream, uint64_t kind, uint64_t block, uint32_t words[4])
{
    block |= kind << 62;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    rng_philox(counter, key, words);
}

/* The CHUNK words of LANES consecutive blocks. */
static void
chunk_of(uint64_t seed, uint64_t stream, uint64_t kind, uint64_t first_block, uint32_t words[CHUNK])
{
    uint32_t c[4][LANES];
    for (int l = 0; l < LANES; l++) {
        uint64_t block = (first_block + (uint64_t)l) | kind << 62;
        c[0][l] = (uint32_t)block;
        c[1][l] = (uint32_t)(block >> 32);
        c[2][l] = (uint32_t)stream;
        c[3][l] = (uint32_t)(stream >> 32);
    }
    philox_lanes(c[0], c[1], c[2], c[3], LANES, (uint32_t)seed, (uint32_t)(seed >> 32));
    for (int l = 0; l < LANES; l++)
        for (int w = 0; w < 4; w++)
            words[4 * l + w] = c[w][l];
}

/* Box and Muller (1958): two uniform numbers are the radius and the angle of two independent normal ones. The first is
 * taken from (0, 1], so that its logarithm is finite. */
static void
box_muller(uint32_t a, uint32_t b, double normal[2])
{
    double radius = sqrt(-2 * log(((double)a + 1) * TWO_POW_MINUS_32));
    double angle = 2 * M_PI * ((double)b * TWO_POW_MINUS_32);
    normal[0] = radius * cos(angle);
    normal[1] = radius * sin(angle);
}

uint32_t
rng_bits_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint32_t words[4];
    block_of(seed, stream, KIND_BITS, index / 4, words);
    return words[index % 4];
}

double
rng_uniform_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    return rng_bits_at(seed, stream, index) * TWO_POW_MINUS_32;
}

double
rng_normal_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint32_t words[4];
    block_of(seed, stream, KIND_NORMAL, index / 4, words);
    double normal[2];
    const uint32_t *pair = words + (index % 4 / 2) * 2;
    box_muller(pair[0], pair[1], normal);
    return normal[index % 2];
}

Rng
rng_create(uint64_t seed, uint64_t stream)
{
    return (Rng){.seed = seed, .stream = stream};
}

uint32_t
rng_bits(Rng *rng)
{
    return rng_bits_at(rng->seed, rng->stream, rng->counter++);
}

double
rng_uniform(Rng *rng)
{
    return rng_uniform_at(rng->seed, rng->stream, rng->counter++);
}

double
rng_normal(Rng *rng)
{
    return rng_normal_at(rng->seed, rng->stream, rng->counter++);
}

/* Draws 64 bits below the largest multiple of n, so that the remainder is fair. */
uint64_t
rng_below(Rng *rng, uint64_t n)
{
    const uint64_t excess = (UINT64_MAX % n + 1) % n; /* 2^64 mod n */
    uint64_t bits;
    do {
        uint64_t high = rng_bits(rng);
        bits = high << 32 | rng_bits(rng);
    } while (bits > UINT64_MAX - excess);
    return bits % n;
}

void
rng_shuffle(Rng *rng, size_t *index, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)rng_below(rng, i);
        size_t swap = index[i - 1];
        index[i - 1] = index[j];
        index[j] = swap;
    }
}

/* What a fill makes of a chunk's bits. */
typedef void Transform(const uint32_t words[CHUNK], double a, double b, float values[CHUNK]);

static void
to_uniform(const uint32_t words[CHUNK], double low, double high, float values[CHUNK])
{
    for (int i = 0; i < CHUNK; i++)
        values[i] = (float)(low + (high - low) * (words[i] * TWO_POW_MINUS_32));
}

static void
to_normal(const uint32_t words[CHUNK], double mean, double deviation, float values[CHUNK])
{
    for (int i = 0; i < CHUNK; i += 2) {
        double normal[2];
        box_muller(words[i], words[i + 1], normal);
        values[i] = (float)(mean + deviation * normal[0]);
        values[i + 1] = (float)(mean + deviation * normal[1]);
    }
}

/* Number `first` may be anywhere in its chunk:
 *
 *     chunks    |---------|---------|---------|
 *     wanted           [first ....... first+n)
 *
 * Every chunk is computed completely and by the same code, so the bits of a number do not depend on the slice requested. */
static void
fill(uint64_t seed, uint64_t stream, uint64_t kind, uint64_t first, float *x, size_t n, Transform *transform, double a,
     double b)
{
    if (n == 0)
        return;
    const uint64_t first_chunk = first / CHUNK;
    const size_t chunks = (size_t)((first + (n - 1)) / CHUNK - first_chunk + 1);
#pragma omp parallel for schedule(static) if (chunks > 1000)
    for (size_t c = 0; c < chunks; c++) {
        uint32_t words[CHUNK];
        float values[CHUNK];
        const uint64_t start = (first_chunk + c) * CHUNK;
        chunk_of(seed, stream, kind, start / 4, words);
        transform(words, a, b, values);
        const size_t from = start < first ? (size_t)(first - start) : 0;
        const size_t left = (size_t)(first + n - start);
        for (size_t i = from; i < CHUNK && i < left; i++)
            x[start + i - first] = values[i];
    }
}

void
rng_fill_uniform(uint64_t seed, uint64_t stream, uint64_t first, float *x, size_t n, double low, double high)
{
    fill(seed, stream, KIND_BITS, first, x, n, to_uniform, low, high);
}

void
rng_fill_normal(uint64_t seed, uint64_t stream, uint64_t first, float *x, size_t n, double mean, double deviation)
{
    fill(seed, stream, KIND_NORMAL, first, x, n, to_normal, mean, deviation);
}
