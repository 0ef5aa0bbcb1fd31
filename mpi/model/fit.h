/* The network of a communicator, measured: alpha, beta and gamma by least squares.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_MODEL_FIT_H
#define MPI_MODEL_FIT_H

#include "mpi/comm.h"
#include "mpi/model/cost.h"

/* alpha + n beta for each segment, with the fewest segments that fit: segmented least squares (Bellman, Comm. ACM 4 (1961) 284)
 * of the relative errors, so that short and long messages count alike; alpha, beta >= 0. bytes[count] grow, seconds > 0, count
 * >= 2. */
Curve curve_fit(const double *bytes, const double *seconds, int count);

/* A time that was measured several times, in rounds apart: the first quartile of its samples, as what disturbs a sample makes it
 * longer, and the least one may be a lucky one, which no median of a table is. spread: how much longer than the least it is,
 * relative: so far apart are samples that were hardly disturbed. Both are those of a quiet machine as long as a quarter of the
 * samples were made on one. samples[count] > 0, count >= 1. */
typedef struct FitPoint {
    double bytes, seconds, spread;
} FitPoint;
FitPoint fit_point(double bytes, const double *samples, int count);

/* A point with a larger spread is none: nobody knows what its time would be without the others of the machine. */
#define FIT_SPREAD 0.25

/* curve_fit of the points that are good. False if more than a third of them are not; the curve is then of all. */
bool fit_points(const FitPoint *points, int count, Curve *curve);

/* Measured on the first call, in which all ranks must take part (a second or two in the memory of one node, most of a second more
 * where it is disturbed), then kept in comm->model: the same numbers on all ranks. noisy, if any of its curves is. Belongs to
 * comm. */
const CostParameters *cost_parameters_of(Comm *comm);

/* What a communicator keeps: its network, and for each class of sizes the rung that is to be used, filled in by who asks
 * (mpi/collectives/allreduce/11_auto.c). */
enum { MODEL_CHOICES = 160 };
typedef struct CommModel {
    CostParameters network;
    bool chosen;
    unsigned char choice[MODEL_CHOICES];
} CommModel;

/* The case of these ranks: p and the nodes of comm, the rest as given. It refers to comm, which must live as long. */
CostCase cost_case(const Comm *comm, const char *operation, const char *rung, size_t n, Element type,
                   bool out_of_place);

#endif
