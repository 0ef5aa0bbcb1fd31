/* What a collective costs: its messages and bytes counted, and seconds predicted from them.
 *
 *     CostCase    which rung, how many ranks, how long a vector
 *       | cost_of()      plays the rung's rounds of messages through, without sending any (schedule.h)
 *     Cost        steps, bytes and sums on the critical path; messages and bytes of each rank
 *       | cost_time()    alpha steps + beta bytes + gamma reduced, with the numbers of a CostParameters (cost_parameters.h)
 *     seconds
 *
 * Nothing here communicates; fit.h measures the network of a communicator.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_COST_H
#define MPI_MODEL_COST_H

#include "mpi/model/cost_parameters.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct CostCase {
    const char *operation, *rung; /* "allreduce", "ring": names of the ladders and of their rungs */
    int p, per_node;              /* ranks; those of one node, in order, the last node maybe smaller. 0: all */
    const int *node_of; /* [p] the node of each rank, 0 .. nodes - 1, whatever per_node says; NULL: by per_node */
    size_t n, element;  /* elements of the vector, as collectives.h counts them; bytes of each */
    bool out_of_place;  /* input and output are different vectors, which may cost copies */
    bool shared;        /* they are in memory of window_allocate */
} CostCase;

/* Messages that are under way at the same time on one kind of link. */
typedef struct CostFlow {
    double bytes; /* the longest */
    double pairs; /* on the busiest node */
    Pattern pattern;
} CostFlow;

/* Rounds that are alike: messages, then sums of what has come. */
typedef struct CostPhase {
    double rounds;
    CostFlow within, between; /* bytes < 0: none */
    double reduced;           /* bytes of the busiest rank */
    bool overlapped;          /* the sums of one round go on during the messages of the next */
} CostPhase;

enum { COST_PHASES = 64 };

typedef struct Cost {
    double vector;                /* bytes of the complete vector */
    double steps, bytes, reduced; /* on the critical path: messages one after the other, their bytes, bytes combined */
    double steps_between, bytes_between; /* of these, between nodes */
    double messages, sent, received;     /* messages and bytes sent, bytes received: the maximum over ranks of each */
    double moved;  /* bytes loaded and stored by the busiest rank, where a message is copied in and out */
    double copied; /* of these, copies by one rank alone, outside all phases */
    double flags;  /* waits for a flag in shared memory, one after the other */
    int phases;
    CostPhase phase[COST_PHASES];
} Cost;

/* What one rank sends and receives: to compare with what was counted. */
typedef struct CostRank {
    double messages_sent, bytes_sent, messages_received, bytes_received;
} CostRank;

/* Fills *cost and, unless it is NULL, ranks[p]. The root is rank 0. False for a name that is not
 * known; "auto" and "mpi" have no cost of their own. p >= 1. */
bool cost_of(const CostCase *what, Cost *cost, CostRank *ranks);

/* Seconds. */
double cost_time(const Cost *cost, const CostParameters *network);

/* The rung among rungs[count] with the shortest predicted time, into *seconds too unless NULL. what->rung is ignored. -1: none
 * is known. */
int cost_best(const CostCase *what, const char *const *rungs, int count, const CostParameters *network,
              double *seconds);

/* Lower bounds of an all-reduce (of n bytes): ceil(lg p) steps, 2n(p-1)/p bytes, n(p-1)/p bytes combined. */
typedef struct CostBound {
    double steps, bytes, reduced;
} CostBound;
CostBound cost_allreduce_bound(int p, double bytes);

/* Bus bandwidth = factor * bytes / seconds: what each rank's line must carry, whatever the algorithm, as nccl-tests defines it.
 * 2(p-1)/p for all-reduce, (p-1)/p where each rank gets all but a p-th, else 1. bytes: of the whole vector. */
double cost_bus_factor(const char *operation, int p);

/* Where the best rung changes: from `from` bytes on it is rungs[best]. */
typedef struct Crossover {
    double from;
    int best;
} Crossover;

/* Over sizes of element size to `most` bytes, eight to an octave. Returns how many were filled (at most `room`); the first is
 * from the shortest. */
int cost_crossovers(const CostCase *what, const char *const *rungs, int count, const CostParameters *network,
                    double most, Crossover *found, int room);

/* For people: the network's numbers; one line for each rung with its counts and seconds; the crossovers. */
void cost_print_network(FILE *out, const CostParameters *network, bool several_nodes);
void cost_print_rungs(FILE *out, const CostCase *what, const char *const *rungs, int count,
                      const CostParameters *network);
void cost_print_crossovers(FILE *out, const CostCase *what, const char *const *rungs, int count,
                           const CostParameters *network);

#endif
