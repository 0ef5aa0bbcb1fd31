/* What a collective should take: by the fitted model, and by the bytes that go through memory. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_collective.h"
#include "core/checked_mpi.h"
#include "core/host.h"
#include "mpi/model/fit.h"
#include <math.h>
#include <stdio.h>

double
collective_bus_factor(CollectiveKind kind, int p)
{
    return cost_bus_factor(collective_ladder(kind)->name, p);
}

/* Each rank measures what one thread can do while all others do the same; the slowest counts. */
void
collective_measure_memory(CollectiveBench *bench)
{
    Machine machine;
    CHECK_MPI(MPI_Barrier(bench->comm->mpi));
    machine_measure(&machine, 1);
    double rates[2] = {machine.one.read[MACHINE_L3], machine.one.triad};
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, rates, 2, MPI_DOUBLE, MPI_MIN, bench->comm->mpi));
    bench->read = rates[0];
    bench->write_read = rates[1];
}

/* What one rank wrote another reads, so at the best from the cache that they share: if it holds all vectors of the node. */
static double
rate_of_memory(const CollectiveBench *bench, const CollectiveTable *table, int place)
{
    const double vectors = (double)table->bytes * (place == IN_PLACE ? 1 : 2) * bench->comm->node->size;
    return vectors <= (double)host_get()->cache[3] ? bench->read : bench->write_read;
}

/* Where the measured vectors lie, too. rung may be NULL: any. */
static CostCase
case_of(const CollectiveBench *bench, const char *rung, size_t n, bool out_of_place)
{
    CostCase what = cost_case(bench->comm, bench->ladder->name, rung, n, bench->type, out_of_place);
    what.shared = bench->in_window;
    return what;
}

void
collective_fit(const CollectiveBench *bench)
{
    cost_parameters_of(bench->comm);
}

void
collective_predict(const CollectiveBench *bench, CollectiveTable *table)
{
    const CostParameters *network = cost_parameters_of(bench->comm);
    for (int i = 0; i < table->rows; i++)
        for (int place = 0; place < PLACES; place++) {
            CollectiveTime *time = &table->row[i].place[place];
            const CostCase what = case_of(bench, table->row[i].rung->name, table->n, place == OUT_OF_PLACE);
            Cost cost;
            if (!table->has[place] || !cost_of(&what, &cost, NULL))
                continue;
            time->noisy = network->noisy;
            time->predicted = network->noisy || bench->comm->size == 1 ? NAN : cost_time(&cost, network);
            time->moved = cost.moved;
            time->limit = cost.moved / rate_of_memory(bench, table, place);
        }
}

void
collective_print_model(const CollectiveReport *report)
{
    const CollectiveBench *bench = report->bench;
    const CostParameters *network = cost_parameters_of(bench->comm);
    const size_t n = report->tables[report->count - 1]->n;
    const CostCase what = case_of(bench, NULL, n, false);
    const char *names[LADDER_RUNGS];
    int count = 0;
    for (int i = 0; i < bench->count; i++)
        if (!bench->rungs[i]->peer)
            names[count++] = bench->rungs[i]->name;
    if (bench->comm->rank != 0)
        return;
    printf("\n");
    if (bench->comm->size == 1) {
        printf("  one rank sends nothing: there is nothing to predict\n");
        return;
    }
    cost_print_network(stdout, network, bench->comm->nodes > 1);
    printf("\n");
    cost_print_rungs(stdout, &what, names, count, network);
    printf("\n");
    if (network->noisy)
        printf("  too noisy to predict: samples of one message differ by more than %.0f %%; end other programs\n",
               100 * FIT_SPREAD);
    else
        cost_print_crossovers(stdout, &what, names, count, network);
}

#endif
