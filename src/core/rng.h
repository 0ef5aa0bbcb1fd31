/* Random numbers by counting: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
 * SC'11). Number i of stream s under a seed is a function of (seed, s, i) alone, so every rank and every thread can
 * compute its own part of a sequence, and the numbers do not depend on how many there are. The whole state is a
 * counter, which a checkpoint can hold.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* One call of the generator: 128 counter bits and 64 key bits to 128 random bits. */
void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t random[4]);

/* Random access: number `index` of the stream. uniform is in [0, 1); normal has mean 0 and variance 1 (Box-Muller). */
uint32_t rng_bits_at(uint64_t seed, uint64_t stream, uint64_t index);
double rng_uniform_at(uint64_t seed, uint64_t stream, uint64_t index);
double rng_normal_at(uint64_t seed, uint64_t stream, uint64_t index);

/* A sequence: the numbers above in order. */
typedef struct Rng {
    uint64_t seed;
    uint64_t stream;
    uint64_t counter; /* how many numbers have been drawn */
} Rng;

Rng rng_create(uint64_t seed, uint64_t stream);
uint32_t rng_bits(Rng *rng);
double rng_uniform(Rng *rng);
double rng_normal(Rng *rng);

/* An integer in 0 .. n-1, each equally likely (no modulo bias). n >= 1. */
uint64_t rng_below(Rng *rng, uint64_t n);

/* A random permutation of index[0 .. n-1] (Fisher and Yates; Knuth, TAOCP 2, algorithm P). */
void rng_shuffle(Rng *rng, size_t *index, size_t n);

/* x[i] = low + (high - low) * uniform number first+i of the stream; x[i] = mean + deviation * normal number first+i. */
void rng_fill_uniform(uint64_t seed, uint64_t stream, uint64_t first, float *x, size_t n, double low, double high);
void rng_fill_normal(uint64_t seed, uint64_t stream, uint64_t first, float *x, size_t n, double mean, double deviation);

#endif
