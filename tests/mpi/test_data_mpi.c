/* Data-parallel training equals that of one process, whatever is added when. SPDX-License-Identifier: MIT */
#include "tests/mpi/data_case.h"

static ParallelOptions
options_of(const char *overlap, const char *collectives)
{
    Error error = {""};
    const Collectives *chosen = collectives_named(collectives, &error);
    ck_assert_msg(chosen != NULL, "%s", error.text);
    return (ParallelOptions){.kind = "data", .overlap = overlap, .collectives = chosen, .straggler = -1};
}

static void
check_equals_serial(const DataCase *c, Comm *comm, const ParallelOptions *options)
{
    const size_t n = case_parameters(c);
    float *serial = case_train(c, comm, NULL, NULL), *together = case_train(c, comm, options, NULL);
    const double difference = case_difference(together, serial, n);
    ck_assert_msg(all_agree(difference <= 1e-5), "%s, %s, batches of %d: %g from one process", options->overlap,
                  options->collectives->name, c->batch, difference);
    ck_assert_msg(case_same_bits(together, n), "%s, %s, batches of %d: other bits on other ranks", options->overlap,
                  options->collectives->name, c->batch);
    array_free(serial);
    array_free(together);
}

static const char *const overlaps[] = {"naive", "fused"};
static const char *const collectives[] = {"ring", "recursive_doubling", "window", "mpi"};
enum { COUNT_OVERLAPS = sizeof(overlaps) / sizeof(overlaps[0]), COUNT_COLLECTIVES = 4 };

START_TEST(data_parallel_equals_serial)
{
    /* 10 does not divide by 3, 4, 7; 97 leaves a last batch of 7 for the tenth step; 3 leaves ranks without samples. */
    const DataCase cases[] = {{case_mlp, 97, 10, 10}, {lenet_build, 97, 10, 10}, {case_mlp, 31, 3, 11}};
    Comm *comm = comm_create(MPI_COMM_WORLD, 0);
    for (int i = 0; i < 3; i++)
        for (int o = 0; o < COUNT_OVERLAPS; o++)
            for (int k = 0; k < COUNT_COLLECTIVES; k++) {
                const ParallelOptions options = options_of(overlaps[o], collectives[k]);
                check_equals_serial(&cases[i], comm, &options);
            }
    comm_free(comm);
}
END_TEST

TEST_MAIN_MPI("data_mpi", data_parallel_equals_serial)
