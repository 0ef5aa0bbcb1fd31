/* Seconds from counts. SPDX-License-Identifier: MIT */
#include "mpi/model/cost.h"
#include <math.h>
#include <string.h>

/* Several pairs on one node share the link's bandwidth, not its latency. */
static double
flow_seconds(const CostFlow *flow, const Link *link, double whole)
{
    if (flow->bytes < 0)
        return 0;
    const Curve *curve = &link->curve[flow->pattern];
    const double latency = curve_seconds(curve, 0), all = curve_part_seconds(curve, flow->bytes, whole);
    return latency + fmax(0, all - latency) * (1 + link->contention * fmax(0, flow->pairs - 1));
}

/* Within a node the ranks themselves copy messages, so sums cannot overlap; between nodes the network adapter transfers them. */
static double
phase_seconds(const CostPhase *phase, const CostParameters *network, double whole)
{
    const double within = flow_seconds(&phase->within, &network->within, whole);
    const double between = flow_seconds(&phase->between, &network->between, 0);
    const double sums = phase->reduced > 0 ? curve_part_seconds(&network->reduce, phase->reduced, whole) : 0;
    return phase->rounds * (phase->overlapped ? fmax(within + sums, between) : fmax(within, between) + sums);
}

double
cost_time(const Cost *cost, const CostParameters *network)
{
    double seconds = cost->flags * network->flag;
    if (cost->copied > 0)
        seconds += curve_seconds(&network->touch, cost->copied / 2);
    for (int i = 0; i < cost->phases; i++)
        seconds += phase_seconds(&cost->phase[i], network, cost->vector);
    return seconds;
}

int
cost_best(const CostCase *what, const char *const *rungs, int count, const CostParameters *network, double *seconds)
{
    int best = -1;
    double shortest = 0;
    for (int i = 0; i < count; i++) {
        CostCase one = *what;
        one.rung = rungs[i];
        Cost cost;
        if (!cost_of(&one, &cost, NULL))
            continue;
        const double time = cost_time(&cost, network);
        if (best < 0 || time < shortest) {
            best = i;
            shortest = time;
        }
    }
    if (seconds != NULL && best >= 0)
        *seconds = shortest;
    return best;
}

CostBound
cost_allreduce_bound(int p, double bytes)
{
    const double share = (double)(p - 1) / p;
    return (CostBound){.steps = ceil(log2(p)), .bytes = 2 * share * bytes, .reduced = share * bytes};
}

double
cost_bus_factor(const char *operation, int p)
{
    static const char *const of_all_but_one[] = {"reduce_scatter", "all_gather", "all_to_all", "gather", "scatter"};
    const double share = (double)(p - 1) / p;
    if (strcmp(operation, "allreduce") == 0)
        return 2 * share;
    for (size_t i = 0; i < sizeof(of_all_but_one) / sizeof(of_all_but_one[0]); i++)
        if (strcmp(operation, of_all_but_one[i]) == 0)
            return share;
    return 1;
}

int
cost_crossovers(const CostCase *what, const char *const *rungs, int count, const CostParameters *network, double most,
                Crossover *found, int room)
{
    int changes = 0, last = -1;
    size_t before = 0;
    for (int eighth = 0;; eighth++) {
        CostCase at = *what;
        at.n = (size_t)(exp2(eighth / 8.0) + 1e-9);
        if ((double)at.n * (double)at.element > most)
            return changes;
        if (at.n == before)
            continue;
        before = at.n;
        const int best = cost_best(&at, rungs, count, network, NULL);
        if (best == last || best < 0)
            continue;
        if (changes == room)
            return changes;
        found[changes++] = (Crossover){.from = (double)at.n * (double)at.element, .best = best};
        last = best;
    }
}
