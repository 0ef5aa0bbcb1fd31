/* SPDX-License-Identifier: MIT */
#include "mpi/model/descent.h"
#include "core/array.h"
#include "core/rng.h"
#include <math.h>

double
stale_limit(int k)
{
    return 2 * sin(M_PI / (2 * (2.0 * k + 1)));
}

double
stale_descent(int k, double eta_lambda, long steps)
{
    const long kept = k + 1L;
    double *w =
        ARRAY(double, (size_t)kept); /* w[t % kept] is w[t]: what is overwritten is k steps old, and just used */
    for (long i = 0; i < kept; i++)
        w[i] = 1;
    double now = 1, largest = 0;
    for (long t = 0; t < steps; t++) {
        double *oldest = &w[(t + 1) % kept];
        now -= eta_lambda * *oldest;
        *oldest = now;
        if (fabs(now) > 1e100)
            break;
    }
    for (long i = 0; i < kept; i++)
        largest = fmax(largest, fabs(w[i]));
    array_free(w);
    return largest;
}

double
slowest_mean(int workers, int backups)
{
    double sum = 0;
    for (int i = backups + 1; i <= workers + backups; i++)
        sum += 1.0 / i;
    return sum;
}

/* The smallest but `rank` of x[n], whose order changes: that many minima are taken from the front. */
static double
order_statistic(double *x, int n, int rank)
{
    for (int i = 0; i <= rank; i++)
        for (int j = i + 1; j < n; j++)
            if (x[j] < x[i]) {
                const double larger = x[i];
                x[i] = x[j];
                x[j] = larger;
            }
    return x[rank];
}

double
slowest_played(int workers, int backups, int rounds, uint64_t seed)
{
    const int all = workers + backups;
    double *seconds = ARRAY(double, (size_t)all);
    double sum = 0;
    Rng rng = rng_create(seed, 0);
    for (int i = 0; i < rounds; i++) {
        for (int r = 0; r < all; r++)
            seconds[r] = -log(1 - rng_uniform(&rng)); /* exponential of mean 1; 1 - u is never 0 */
        sum += order_statistic(seconds, all, workers - 1);
    }
    array_free(seconds);
    return sum / rounds;
}

NoisyDescent
noisy_descent(NoisyQuadratic problem, double batch, double rate, int steps)
{
    return (NoisyDescent){.distance = pow(1 - rate * problem.curvature, steps),
                          .variance = rate * rate * problem.deviation * problem.deviation / batch};
}

NoisyDescent
noisy_descent_played(NoisyQuadratic problem, double batch, double rate, int steps, int runs, uint64_t seed)
{
    double distance = 0, sum = 0, squares = 0;
    for (int run = 0; run < runs; run++) {
        Rng rng = rng_create(seed, (uint64_t)run);
        double w = 1;
        for (int t = 0; t < steps; t++) {
            const double gradient = problem.curvature * w + problem.deviation * rng_normal(&rng) / sqrt(batch);
            const double movement = -rate * gradient, noise = movement + rate * problem.curvature * w;
            w += movement;
            sum += noise;
            squares += noise * noise;
        }
        distance += w;
    }
    const double count = (double)runs * steps;
    return (NoisyDescent){.distance = distance / runs, .variance = (squares - sum * sum / count) / (count - 1)};
}

double
gossip_contraction(int p)
{
    return p == 1 ? 0 : fabs(1 + 2 * cos(2 * M_PI / p)) / 3;
}

void
gossip_round(int p, const double *x, double *y)
{
    for (int r = 0; r < p; r++)
        y[r] = (x[(r + p - 1) % p] + x[r] + x[(r + 1) % p]) / 3;
}
