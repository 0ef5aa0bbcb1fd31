/* Data parallelism with micro-batches and with synchronised batch normalisation: ranks together learn what one process learns that
 * takes the same micro-batches, or the whole batch.
 * SPDX-License-Identifier: MIT */
#include "tests/mpi/data_case.h"

static const char *const overlaps[] = {"naive", "fused", "wfbp", "ddp"};
enum { OVERLAPS = 4 };

/* Two convolutions with batch normalisation, one of them in a residual block. No dropout: its masks follow from the net's seed,
 * which is another one on each rank here. */
static int
case_residual(Net *net, int x, int classes)
{
    x = net_relu(net, net_batchnorm(net, net_conv2d(net, x, (Conv2d){.channels = 6, .kernel = 3, .padding = 1})));
    const Conv2d again = {.channels = 6, .kernel = 3, .padding = 1, .no_bias = true};
    x = net_relu(net, net_add(net, net_batchnorm(net, net_conv2d(net, x, again)), x));
    return net_dense(net, net_maxpool(net, x, (Pool){.kernel = 2}), classes);
}

/* 10 divides by neither 3, 4 nor 7; with batches of 3 some of 4 or 7 ranks have no samples. */
static const DataCase whole = {case_residual, 41, 10, 6}, few = {case_residual, 31, 3, 6};
static const DataCase plain = {lenet_build, 41, 10, 6};

typedef struct Result {
    float *parameters, *averages;
    size_t n, average_count;
} Result;

/* own NULL: one process. */
static Result
train(const DataCase *c, Comm *comm, const DataOptions *own, int micro_batches)
{
    const ParallelOptions options = {
        .strategy = "data", .own = own, .collectives = collectives_named("ring", NULL), .straggler = -1};
    CaseRun *run = case_begin_parts(c, comm, own != NULL ? &options : NULL, NULL, micro_batches);
    for (int step = 0; step < c->steps; step++) {
        double loss;
        ck_assert_ok(trainer_step(run->trainer, &loss, &error));
    }
    Result result = {.n = net_parameter_count(run->net), .average_count = net_average_count(run->net)};
    result.parameters = ARRAY(float, result.n);
    result.averages = ARRAY(float, result.average_count);
    memcpy(result.parameters, net_parameters(run->net), result.n * sizeof(float));
    if (result.average_count > 0)
        memcpy(result.averages, net_averages(run->net), result.average_count * sizeof(float));
    case_end(run);
    return result;
}

static void
result_free(Result *result)
{
    array_free(result->parameters);
    array_free(result->averages);
}

static void
expect_equal(const Result *got, const Result *want, const char *what, const char *overlap)
{
    const double w = case_difference(got->parameters, want->parameters, want->n),
                 a = case_difference(got->averages, want->averages, want->average_count);
    ck_assert_msg(all_agree(w <= 2e-5 && a <= 2e-5), "%s, %s: weights differ by %g, averages by %g", what, overlap, w,
                  a);
    ck_assert_msg(all_agree(same_as_rank_0(got->parameters, got->n * sizeof(float))),
                  "%s, %s: ranks have different weights", what, overlap);
    ck_assert_msg(all_agree(same_as_rank_0(got->averages, got->average_count * sizeof(float))),
                  "%s, %s: ranks have different averages", what, overlap);
}

static void
check_synchronised(const DataCase *c, const char *what)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    Result want = train(c, comm, NULL, 1);
    for (int o = 0; o < OVERLAPS; o++) {
        const DataOptions own = {.overlap = overlaps[o], .first_bucket = 300, .bucket = 1000, .sync_batchnorm = true};
        Result got = train(c, comm, &own, 1);
        expect_equal(&got, &want, what, overlaps[o]);
        result_free(&got);
    }
    result_free(&want);
    comm_free(comm);
}

TEST_CALL(synchronised_ranks_are_one_process, check_synchronised(&whole, "batches of 10"))
TEST_CALL(synchronised_ranks_without_samples_take_part, check_synchronised(&few, "batches of 3"))

/* The check can fail: each rank's own statistics are another computation. */
TEST_WITH_COMM(unsynchronised_ranks_are_not_one_process)
{
    const DataOptions own = {.overlap = "fused"};
    Result want = train(&whole, comm, NULL, 1), got = train(&whole, comm, &own, 1);
    const double w = case_difference(got.parameters, want.parameters, want.n);
    ck_assert_all(comm->size == 1 ? w <= 2e-5 : w > 1e-4);
    result_free(&want);
    result_free(&got);
}

/* Without normalisation gradients of micro-batches add up to those of the batch, on ranks too, also where a rank has fewer samples
 * than micro-batches; hooks of the overlap are called once. */
TEST_WITH_COMM(micro_batches_of_ranks_are_the_batch)
{
    Result want = train(&plain, comm, NULL, 1);
    for (int o = 0; o < OVERLAPS; o++)
        for (int m = 2; m <= 5; m += 3) {
            const DataOptions own = {.overlap = overlaps[o], .first_bucket = 1000, .bucket = 4000};
            Result got = train(&plain, comm, &own, m);
            expect_equal(&got, &want, m == 2 ? "2 micro-batches" : "5 micro-batches", overlaps[o]);
            result_free(&got);
        }
    result_free(&want);
}

/* The k-th micro-batches of all ranks are normalised together: with one rank by the statistics of its micro-batches, and all ranks
 * move the same averages. */
TEST_WITH_COMM(synchronised_micro_batches_meet)
{
    const DataOptions own = {.overlap = "wfbp", .sync_batchnorm = true};
    Result got = train(&whole, comm, &own, 4), one = train(&whole, comm, NULL, 4);
    ck_assert(all_agree(same_as_rank_0(got.parameters, got.n * sizeof(float))) &&
              all_agree(same_as_rank_0(got.averages, got.average_count * sizeof(float))));
    ck_assert(comm->size > 1 || case_difference(got.parameters, one.parameters, one.n) == 0);
    result_free(&got);
    result_free(&one);
}

TEST_MAIN_MPI("micro_batches_mpi")
