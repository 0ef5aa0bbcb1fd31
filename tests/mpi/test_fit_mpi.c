/* Fitting lines to measurements, and the network of real ranks. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "mpi/collectives/allreduce/allreduce.h"
#include "mpi/collectives/ladders.h"
#include "mpi/model/fit.h"
#include "tests/mpi/all_agree.h"

TEST(one_line_is_found)
{
    const double bytes[] = {8, 64, 1024, 65536, 1 << 20};
    double seconds[5];
    for (int i = 0; i < 5; i++)
        seconds[i] = 2e-6 + 3e-10 * bytes[i];
    const Curve curve = curve_fit(bytes, seconds, 5);
    ck_assert_int_eq(curve.pieces, 1);
    ck_assert_double_eq_tol(curve.piece[0].alpha, 2e-6, 1e-14);
    ck_assert_double_eq_tol(curve.piece[0].beta, 3e-10, 1e-17);
    ck_assert_double_eq_tol(curve_seconds(&curve, 1 << 24), 2e-6 + 3e-10 * (1 << 24), 1e-9);
}

/* 1 us + 1 ns a byte up to 4 KiB, 10 us + 0.1 ns a byte from 8 KiB on. */
TEST(two_lines_are_found)
{
    double bytes[16], seconds[16];
    for (int i = 0; i < 16; i++) {
        bytes[i] = ldexp(1, i + 5);
        seconds[i] = bytes[i] <= 4096 ? 1e-6 + 1e-9 * bytes[i] : 10e-6 + 1e-10 * bytes[i];
    }
    const Curve curve = curve_fit(bytes, seconds, 16);
    ck_assert_int_eq(curve.pieces, 2);
    ck_assert(curve.piece[1].from > 4096 && curve.piece[1].from < 8192);
    ck_assert_double_eq_tol(curve.piece[0].alpha, 1e-6, 1e-12);
    ck_assert_double_eq_tol(curve.piece[1].alpha, 10e-6, 1e-12);
    ck_assert_double_eq_tol(curve.piece[1].beta, 1e-10, 1e-16);
}

/* Times that fall with the size would need a beta below 0, a line through the origin an alpha of 0. */
TEST(no_constant_is_negative)
{
    const double bytes[] = {1, 1000, 2000}, falling[] = {3e-6, 2e-6, 1e-6}, convex[] = {1e-9, 2e-6, 8e-6};
    const Curve fall = curve_fit(bytes, falling, 3), rise = curve_fit(bytes, convex, 3);
    for (int i = 0; i < CURVE_PIECES; i++) {
        ck_assert(i >= fall.pieces || (fall.piece[i].alpha >= 0 && fall.piece[i].beta >= 0));
        ck_assert(i >= rise.pieces || (rise.piece[i].alpha >= 0 && rise.piece[i].beta >= 0));
    }
}

/* 2 us + 0.3 ns a byte; of 9 samples of each size 3 were made while another process had the core, in another place each time. */
TEST(a_disturbed_minority_changes_nothing)
{
    enum { SIZES = 12, SAMPLES = 9 };
    FitPoint points[SIZES];
    Rng rng = rng_create(3, 0);
    for (int i = 0; i < SIZES; i++) {
        const double bytes = ldexp(1, i + 8), seconds = 2e-6 + 3e-10 * bytes;
        double samples[SAMPLES];
        for (int k = 0; k < SAMPLES; k++)
            samples[k] = seconds * (1 + 0.02 * rng_uniform(&rng)) + ((i + k) % 3 == 0 ? 4e-3 * rng_uniform(&rng) : 0);
        points[i] = fit_point(bytes, samples, SAMPLES);
        ck_assert_double_eq_tol(points[i].seconds / seconds, 1, 0.02);
        ck_assert_double_le(points[i].spread, 0.02);
    }
    Curve curve;
    ck_assert(fit_points(points, SIZES, &curve));
    ck_assert_int_eq(curve.pieces, 1);
    ck_assert_double_eq_tol(curve.piece[0].alpha / 2e-6, 1, 0.05);
    ck_assert_double_eq_tol(curve.piece[0].beta / 3e-10, 1, 0.05);
}

/* A few sizes that never had a quiet moment are left out; where half of them had none, the curve is not to be believed. */
TEST(points_without_a_quiet_moment_are_left_out)
{
    enum { SIZES = 12 };
    for (int wild = 0; wild <= SIZES; wild++) {
        FitPoint points[SIZES];
        for (int i = 0; i < SIZES; i++) {
            const double bytes = ldexp(1, i + 8), seconds = 2e-6 + 3e-10 * bytes;
            const double good[] = {seconds, seconds, 40 * seconds}, bad[] = {5 * seconds, 9 * seconds, 30 * seconds};
            points[i] = fit_point(bytes, i < wild ? bad : good, 3);
            ck_assert_int_eq(points[i].spread > FIT_SPREAD, i < wild);
        }
        Curve curve;
        ck_assert_int_eq(fit_points(points, SIZES, &curve), wild <= SIZES / 3);
        if (wild <= SIZES / 3)
            ck_assert_double_eq_tol(curve_seconds(&curve, 1 << 16) / (2e-6 + 3e-10 * (1 << 16)), 1, 1e-6);
    }
}

/* What auto does then: few messages for short vectors, few bytes for long ones. */
TEST_WITH_COMM(auto_does_without_a_noisy_model)
{
    float x = 1;
    cost_parameters_of(comm);
    comm->model->network.noisy = true;
    allreduce_auto(comm, &x, &x, 1, ELEMENT_FLOAT, REDUCTION_SUM);
    const char *first = allreduce_ladder.rungs[comm->model->choice[0]].name;
    const char *last = allreduce_ladder.rungs[comm->model->choice[MODEL_CHOICES - 1]].name;
    const bool good = x == (float)comm->size;
    ck_assert(good);
    ck_assert_str_eq(first, "recursive_doubling");
    ck_assert_str_eq(last, "rabenseifner");
}

/* The same bits on all ranks, and numbers that can be: above nothing and, unless the machine was too busy, below 10 seconds. */
static bool
good_network(Comm *comm)
{
    const CostParameters *network = cost_parameters_of(comm);
    CostParameters theirs = *network;
    MPI_Bcast(&theirs, sizeof(theirs), MPI_BYTE, 0, comm->mpi);
    bool good = memcmp(&theirs, network, sizeof(theirs)) == 0 && network == cost_parameters_of(comm);
    for (int i = 0; i < PATTERNS && comm->size > 1; i++) {
        const double within = curve_seconds(&network->within.curve[i], 1e6);
        const double between = curve_seconds(&network->between.curve[i], 1e6);
        good = good && within > 0 && between > 0 && (network->noisy || (within < 10 && between < 10));
    }
    return all_agree(good);
}

TEST(all_ranks_have_the_same_network)
{
    for (int per_node = 0; per_node <= 2; per_node++) {
        Comm *comm = comm_create(MPI_COMM_WORLD, per_node);
        const bool good = good_network(comm);
        comm_free(comm);
        ck_assert_msg(good, "nodes of %d ranks", per_node);
    }
}

/* auto sums up, whatever it chooses; every choice is a rung that these ranks can use, not auto itself nor the library's. */
TEST(auto_chooses_a_rung)
{
    Comm *comm = comm_create(MPI_COMM_WORLD, 2);
    const size_t lengths[] = {0, 1, 3, 1000, 100003};
    bool good = true;
    for (int i = 0; i < 5; i++) {
        const size_t n = lengths[i];
        double *x = ARRAY(double, n), want = comm->size * (comm->size + 1) / 2;
        for (size_t k = 0; k < n; k++)
            x[k] = (comm->rank + 1) * (double)(k % 251 + 1);
        allreduce_auto(comm, x, x, n, ELEMENT_DOUBLE, REDUCTION_SUM);
        for (size_t k = 0; k < n; k++)
            good = good && x[k] == want * (double)(k % 251 + 1);
        array_free(x);
    }
    for (int i = 0; i < MODEL_CHOICES; i++) {
        const CollectiveRung *rung = &allreduce_ladder.rungs[comm->model->choice[i]];
        good =
            good && comm->model->choice[i] < allreduce_ladder.count && !rung->peer && strcmp(rung->name, "auto") != 0;
    }
    comm_free(comm);
    ck_assert_all(good);
}

TEST_MAIN_MPI("fit")
