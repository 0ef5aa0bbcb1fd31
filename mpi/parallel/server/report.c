/* What a training with parameter servers was like, for people (server.h). SPDX-License-Identifier: MIT */
#include "core/units.h"
#include "mpi/parallel/server/internal.h"

enum { ROWS = 12, BAR = 40 };

/* Of all ranks, on rank 0. Servers and workers are told apart by leaving the others' numbers out. */
typedef struct Summary {
    int64_t staleness[STALENESS_KEPT]; /* sums over servers */
    int64_t pushes;
    int64_t bytes, most_stale, most_ahead; /* the largest of the servers' */
    double server_waited, worker_waited;   /* sums */
    double worker_waited_most;
} Summary;

static Summary
summarize(const Parallel *parallel, const ServerCounts *mine)
{
    const Collectives *all = parallel->options.collectives;
    Comm *comm = parallel->comm;
    const bool server = parallel->worker < 0;
    Summary summary = {0};
    all->reduce(comm, mine->staleness, summary.staleness, STALENESS_KEPT, ELEMENT_INT64, REDUCTION_SUM, 0);
    const int64_t pushes = server ? mine->pushes : 0;
    all->reduce(comm, &pushes, &summary.pushes, 1, ELEMENT_INT64, REDUCTION_SUM, 0);
    const int64_t largest[] = {server ? mine->bytes : 0, mine->most_stale, mine->most_ahead};
    int64_t of_all[3] = {0};
    all->reduce(comm, largest, of_all, 3, ELEMENT_INT64, REDUCTION_MAX, 0);
    summary.bytes = of_all[0], summary.most_stale = of_all[1], summary.most_ahead = of_all[2];
    const double waited[] = {server ? mine->waited : 0, server ? 0 : mine->waited};
    double sums[2] = {0};
    all->reduce(comm, waited, sums, 2, ELEMENT_DOUBLE, REDUCTION_SUM, 0);
    summary.server_waited = sums[0], summary.worker_waited = sums[1];
    all->reduce(comm, &waited[1], &summary.worker_waited_most, 1, ELEMENT_DOUBLE, REDUCTION_MAX, 0);
    return summary;
}

/* The smallest staleness that half of the pushes do not exceed. */
static int
median(const Summary *summary)
{
    int64_t so_far = 0;
    int s = 0;
    for (so_far = summary->staleness[0]; 2 * so_far < summary->pushes && s < STALENESS_KEPT - 1;)
        so_far += summary->staleness[++s];
    return s;
}

static void
print_row(FILE *out, const Summary *summary, int first, int last)
{
    int64_t pushes = 0;
    for (int s = first; s <= last; s++)
        pushes += summary->staleness[s];
    const int length = (int)(BAR * (double)pushes / (double)summary->pushes + 0.5);
    fprintf(out, "    %3d%c %8lld ", first, last > first ? '+' : ' ', (long long)pushes);
    for (int i = 0; i < length; i++)
        fputc('#', out);
    fputc('\n', out);
}

static void
print_staleness(FILE *out, const Summary *summary, int bound)
{
    fprintf(out, "  staleness of %lld pushes: median %d, most %lld; the fastest worker was %lld ahead of the slowest",
            (long long)summary->pushes, median(summary), (long long)summary->most_stale,
            (long long)summary->most_ahead);
    fprintf(out, bound < 0 ? " (no bound)\n" : " (bound %d)\n", bound);
    const int most = summary->most_stale < STALENESS_KEPT ? (int)summary->most_stale : STALENESS_KEPT - 1;
    for (int s = 0; s <= most && s < ROWS - 1; s++)
        print_row(out, summary, s, s);
    if (most >= ROWS - 1)
        print_row(out, summary, ROWS - 1, STALENESS_KEPT - 1);
}

/* In and out, as ServerCounts.bytes: a push and its answer are 2 n for each worker, and a ring's all-reduce sends 2 n (p - 1) / p
 * and receives as much. */
static void
print_bytes(FILE *out, const Summary *summary, double n, int servers, int workers, double steps)
{
    const int p = servers + workers;
    char busiest[UNITS_SIZE], predicted[UNITS_SIZE], all[UNITS_SIZE], ring[UNITS_SIZE];
    fprintf(out, "  in a step the busiest server receives and sends %s; 2 x %d worker%s x %s / %d server%s is %s\n",
            units_bytes(busiest, (double)summary->bytes / steps), workers, workers == 1 ? "" : "s", units_bytes(all, n),
            servers, servers == 1 ? "" : "s", units_bytes(predicted, 2 * workers * n / servers));
    fprintf(out, "  a rank of a ring's all-reduce among all %d receives and sends %s\n", p,
            units_bytes(ring, 4 * n * (p - 1) / p));
}

void
server_report(Parallel *parallel, FILE *out)
{
    const ParameterServer *ps = (const ParameterServer *)parallel;
    const Summary summary = summarize(parallel, &ps->counts);
    const int servers = ps->options.servers, workers = parallel->workers;
    if (parallel->comm->rank != 0 || summary.pushes == 0)
        return;
    const double n = (double)net_parameter_count(ps->net) * sizeof(float);
    const double steps = (double)summary.pushes / servers / workers;
    char all[UNITS_SIZE], mean[UNITS_SIZE], most[UNITS_SIZE], server[UNITS_SIZE];
    fprintf(out, "%s: %d server%s, %d worker%s, %.0f steps; all parameters are %s\n", parallel->strategy->name, servers,
            servers == 1 ? "" : "s", workers, workers == 1 ? "" : "s", steps, units_bytes(all, n));
    print_bytes(out, &summary, n, servers, workers, steps);
    fprintf(out, "  in all steps a worker waited %s for weights on average, %s at most; a server %s for pushes\n",
            units_format(mean, summary.worker_waited / workers, "s"),
            units_format(most, summary.worker_waited_most, "s"),
            units_format(server, summary.server_waited / servers, "s"));
    if (ps->asynchronous)
        print_staleness(out, &summary, ps->options.bound);
}
