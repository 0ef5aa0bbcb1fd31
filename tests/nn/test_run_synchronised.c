/* Synchronised batch normalisation: threads stand for processes, each with a part of the batch and a network of its own. Together
 * they are one process with the whole batch.
 * SPDX-License-Identifier: MIT */
#include "nn/exchange.h"
#include "tests/nn/run_case.h"
#include <pthread.h>

enum { PROCESSES_MAX = 4, SUMS_MAX = 1024 };

/* Adds up in the order of the processes, whichever comes first. */
typedef struct Group {
    int count;
    pthread_barrier_t all;
    double given[PROCESSES_MAX][SUMS_MAX];
} Group;

typedef struct Process {
    Group *group;
    int number, first, size; /* its samples */
    const RunCase *c;
    RunOptions options;
    bool synchronised;
    int micro_batches;
    CaseResult result;
    Exchange exchange;
    int calls;
    pthread_t thread;
} Process;

static void
sum_of_group(void *context, double *x, size_t n)
{
    Process *process = context;
    Group *group = process->group;
    ck_assert_uint_le(n, SUMS_MAX);
    process->calls++;
    memcpy(group->given[process->number], x, n * sizeof *x);
    pthread_barrier_wait(&group->all);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        for (int p = 0; p < group->count; p++)
            x[i] += group->given[p][i];
    }
    pthread_barrier_wait(&group->all);
}

static void *
step(void *context)
{
    Process *process = context;
    Net *net = case_net(process->c);
    Run *run = run_create(net, &process->options);
    double loss = 0;
    process->exchange = (Exchange){process, sum_of_group};
    if (process->synchronised)
        net_exchange(net, &process->exchange);
    const int m = process->micro_batches;
    for (int i = 0; i < m; i++) {
        const int first = process->size * i / m, end = process->size * (i + 1) / m;
        const RunGradients gradients = (i == 0 ? RUN_FIRST : 0) | (i == m - 1 ? RUN_LAST : 0);
        const Batch batch = case_batch(process->first + first, end - first);
        if (batch.size == 0) {
            run_without_samples(run, gradients);
            continue;
        }
        loss += run_forward(run, &batch) * batch.size / CASE_BATCH;
        run_backward(run, (float)batch.size / CASE_BATCH, gradients);
    }
    process->result = case_result(net, loss);
    run_free(run);
    net_free(net);
    return NULL;
}

/* Sums losses and gradients over processes that partition the global batch; the averages must be the same bits on all. */
static CaseResult
train_group(const RunCase *c, int count, const int *sizes, RunOptions options, bool synchronised, int micro_batches)
{
    static Group group;
    Process process[PROCESSES_MAX];
    int first = 0;
    group.count = count;
    pthread_barrier_init(&group.all, NULL, (unsigned)count);
    for (int p = 0; p < count; p++) {
        process[p] = (Process){.group = &group,
                               .number = p,
                               .first = first,
                               .size = sizes[p],
                               .c = c,
                               .options = options,
                               .synchronised = synchronised,
                               .micro_batches = micro_batches};
        first += sizes[p];
    }
    (void)case_batch(0, 1); /* fill its arrays before there are threads */
    ck_assert_int_eq(first, CASE_BATCH);
    for (int p = 0; p < count; p++)
        ck_assert_int_eq(pthread_create(&process[p].thread, NULL, step, &process[p]), 0);
    for (int p = 0; p < count; p++)
        pthread_join(process[p].thread, NULL);
    for (int p = 1; p < count; p++) {
        CaseResult *sum = &process[0].result, *part = &process[p].result;
        ck_assert_int_eq(process[p].calls, process[0].calls);
        sum->loss += part->loss;
        for (size_t i = 0; i < sum->parameters; i++)
            sum->gradients[i] += part->gradients[i];
        if (synchronised)
            ck_assert_same_bits(c->name, part->averages, sum->averages, sum->average_count);
        case_result_free(part);
    }
    pthread_barrier_destroy(&group.all);
    return process[0].result;
}

static bool
close_to(const CaseResult *got, const CaseResult *want)
{
    double worst = 0, largest = 0;
    for (size_t i = 0; i < want->parameters; i++) {
        const double difference = got->gradients[i] - want->gradients[i];
        worst = difference * difference > worst ? difference * difference : worst;
        largest = (double)want->gradients[i] * want->gradients[i] > largest
                      ? (double)want->gradients[i] * want->gradients[i]
                      : largest;
    }
    return worst <= 1e-8 * largest && got->loss - want->loss < 1e-5 && want->loss - got->loss < 1e-5;
}

static const int parts[][PROCESSES_MAX] = {{9}, {5, 4}, {3, 3, 3}, {8, 1}, {0, 9}, {4, 0, 5}, {2, 3, 2, 2}};
static const int counts[] = {1, 2, 3, 2, 2, 3, 4};

TEST(parts_are_the_whole_batch)
{
    const RunSegment segment = {4, 12};
    const RunOptions ways[] = {{.max_batch = CASE_BATCH},
                               {.max_batch = CASE_BATCH, .splits = true},
                               {.max_batch = CASE_BATCH, .recomputed = &segment, .segments = 1}};
    for (int c = SMALL_RESNET; c <= RESNET20; c++) {
        CaseResult whole = case_whole(&run_cases[c], &ways[0]);
        for (int i = 0; i < COUNT(counts); i++)
            for (int w = 0; w < 3; w++) {
                CaseResult together = train_group(&run_cases[c], counts[i], parts[i], ways[w], true, 1);
                ck_assert_msg(close_to(&together, &whole), "%s in %d parts, way %d: not the global batch's gradients",
                              run_cases[c].name, counts[i], w);
                ck_assert_floats(together.averages, whole.averages, whole.average_count, 1e-6, 1e-5);
                if (counts[i] == 1)
                    ck_assert_same_result(run_cases[c].name, &together, &whole);
                case_result_free(&together);
            }
        case_result_free(&whole);
    }
}

/* The check above can fail: without the exchange each part is normalised by its own statistics. */
TEST(without_exchange_parts_are_not_the_whole_batch)
{
    CaseResult whole = case_whole(&run_cases[SMALL_RESNET], &(RunOptions){.max_batch = CASE_BATCH});
    CaseResult apart =
        train_group(&run_cases[SMALL_RESNET], 2, parts[1], (RunOptions){.max_batch = CASE_BATCH}, false, 1);
    ck_assert(!close_to(&apart, &whole));
    case_result_free(&apart);
    case_result_free(&whole);
}

/* Micro-batches of all processes meet: the k-th of each, also where one is empty. */
TEST(micro_batches_meet)
{
    const RunOptions options = {.max_batch = CASE_BATCH, .accumulates = true};
    const int even[] = {6, 3}, uneven[] = {8, 1};
    CaseResult one = train_group(&run_cases[SMALL_RESNET], 2, even, options, true, 3);
    ck_assert(one.loss > 0 && one.loss < 10);
    CaseResult other = train_group(&run_cases[SMALL_RESNET], 2, uneven, options, true, 3);
    ck_assert(other.loss > 0 && other.loss < 10);
    case_result_free(&one);
    case_result_free(&other);
}

TEST_MAIN("run synchronised")
