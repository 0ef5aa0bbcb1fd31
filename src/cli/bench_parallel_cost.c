/* What the fitted model says of one all-reduce. Apart from bench_parallel_model.c because mpi/model/fit.h calls a communicator's
 * network what nn/models/models.h calls a network of layers: a Model. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel_cost.h"
#include "mpi/model/fit.h"
#include <math.h>

double
bench_parallel_all_reduce(Comm *comm, const char *rung, size_t n)
{
    Cost cost;
    const CostCase what = cost_case(comm, "allreduce", rung, n, ELEMENT_FLOAT, false);
    return cost_of(&what, &cost, NULL) ? cost_time(&cost, network_of(comm)) : NAN;
}

#endif
