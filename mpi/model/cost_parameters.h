/* What messages, sums and copies cost on a machine: the numbers that turn a count (cost.h) into seconds. fit.h measures them.
 *
 * A message of n bytes takes alpha + n beta seconds (Hockney, Parallel Computing 20 (1994) 389), combining n bytes n gamma
 * (Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19 (2005) 49). On a real machine short messages use
 * another protocol than long ones, and a long one may fit in a cache or not: so the curve is piecewise linear.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_COST_PARAMETERS_H
#define MPI_MODEL_COST_PARAMETERS_H

#include <stdbool.h>

enum { CURVE_PIECES = 6 };

/* From `from` bytes on: alpha + n beta seconds. */
typedef struct Piece {
    double from, alpha, beta;
} Piece;

typedef struct Curve {
    int pieces; /* at least 1; piece[0].from = 0 */
    Piece piece[CURVE_PIECES];
} Curve;

/* How ranks use a link at the same time. */
typedef enum Pattern {
    PATTERN_ONE_WAY, /* one message, whose receiver waits for it */
    PATTERN_SHIFT,   /* every rank sends to one and receives from another, as in a ring */
    PATTERN_SWAP,    /* two ranks send to each other */
    PATTERNS
} Pattern;

/* What joins two ranks: the memory of a node, or the network between nodes. m pairs at once need 1 + contention (m - 1) times
 * as long: 0, each has a link of its own; 1, they share one link; more, they disturb each other. */
typedef struct Link {
    Curve curve[PATTERNS];
    double contention;
} Link;

typedef struct CostParameters {
    Link within, between; /* a node; nodes */
    Curve reduce;         /* combine() of n bytes with all ranks of a node at it: gamma */
    Curve touch;          /* n bytes loaded and stored again, with all ranks of a node at it */
    bool noisy;           /* measured on a machine so disturbed that nothing should be predicted from it (fit.h) */
    double flag;          /* seconds until another rank of the node has seen what one has stored, at most */
} CostParameters;

/* The textbook's: the same line everywhere, one for each rank, which sends and receives at the same time. Memory and flags are
 * free. */
CostParameters cost_parameters_textbook(double alpha, double beta, double gamma);

/* Seconds for n bytes. 0 bytes still cost alpha. */
double curve_seconds(const Curve *curve, double bytes);

/* Seconds for a segment of n bytes of a vector of `whole` bytes that is all sent over the same link: no segment has a higher
 * bandwidth than one message with the complete vector, because what the caches do not hold comes from memory, whatever the
 * segments. whole = 0: a message of its own. */
double curve_part_seconds(const Curve *curve, double bytes, double whole);

#endif
