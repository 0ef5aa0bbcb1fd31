/* The model for people. SPDX-License-Identifier: MIT */
#include "core/units.h"
#include "mpi/model/cost.h"

enum { ROOM = 64 };

static void
print_curve(FILE *out, const char *what, const Curve *curve)
{
    for (int i = 0; i < curve->pieces; i++) {
        char from[UNITS_SIZE], alpha[UNITS_SIZE], rate[UNITS_SIZE] = "-";
        const Piece *piece = &curve->piece[i];
        if (piece->beta > 0)
            units_format(rate, 1 / piece->beta, "B/s");
        fprintf(out, "  %-34s %12s %12s %14s\n", i == 0 ? what : "", units_bytes(from, piece->from),
                units_format(alpha, piece->alpha, "s"), rate);
    }
}

void
cost_print_network(FILE *out, const CostParameters *network, bool several_nodes)
{
    char text[UNITS_SIZE];
    fprintf(out, "  %-34s %12s %12s %14s\n", "alpha + n beta seconds, measured", "from", "alpha", "1 / beta");
    print_curve(out, "a message within a node", &network->within.curve[PATTERN_ONE_WAY]);
    print_curve(out, "around a ring in a node", &network->within.curve[PATTERN_SHIFT]);
    print_curve(out, "both directions at once in a node", &network->within.curve[PATTERN_SWAP]);
    if (several_nodes) {
        print_curve(out, "a message between nodes", &network->between.curve[PATTERN_ONE_WAY]);
        print_curve(out, "around a ring of nodes", &network->between.curve[PATTERN_SHIFT]);
        print_curve(out, "both directions at once between nodes", &network->between.curve[PATTERN_SWAP]);
        fprintf(out, "  contention for the link between nodes: %.2f (0, each rank has its own; 1, they share one)\n",
                network->between.contention);
    }
    print_curve(out, "sums (1 / gamma)", &network->reduce);
    print_curve(out, "loaded and stored in place", &network->touch);
    fprintf(out, "  a flag from rank to rank of a node: %s\n", units_format(text, network->flag, "s"));
}

void
cost_print_rungs(FILE *out, const CostCase *what, const char *const *rungs, int count, const CostParameters *network)
{
    fprintf(out, "  %-20s %8s %12s %12s %10s %12s %12s\n", what->operation, "steps", "bytes", "reduced", "messages",
            "through mem.", "predicted");
    for (int i = 0; i < count; i++) {
        CostCase one = *what;
        one.rung = rungs[i];
        Cost cost;
        char bytes[UNITS_SIZE], reduced[UNITS_SIZE], moved[UNITS_SIZE], seconds[UNITS_SIZE];
        if (!cost_of(&one, &cost, NULL))
            continue;
        fprintf(out, "  %-20s %8.0f %12s %12s %10.0f %12s %12s\n", rungs[i], cost.steps, units_bytes(bytes, cost.bytes),
                units_bytes(reduced, cost.reduced), cost.messages, units_bytes(moved, cost.moved),
                network->noisy ? "too noisy" : units_format(seconds, cost_time(&cost, network), "s"));
    }
}

void
cost_print_crossovers(FILE *out, const CostCase *what, const char *const *rungs, int count,
                      const CostParameters *network)
{
    Crossover found[ROOM];
    const int changes = cost_crossovers(what, rungs, count, network, 256e6, found, ROOM);
    fprintf(out, "  predicted to be fastest on %d ranks\n", what->p);
    for (int i = 0; i < changes; i++) {
        char from[UNITS_SIZE];
        fprintf(out, "  from %10s  %s\n", units_bytes(from, found[i].from), rungs[found[i].best]);
    }
}
