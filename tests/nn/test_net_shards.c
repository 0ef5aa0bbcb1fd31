/* Shards of dense layers: slices of the layer that one process would draw; concatenated, their outputs are its outputs.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "cpu/backend.h"
#include "nn/run.h"
#include "tests/capture.h"
#include "tests/testing.h"

enum { IN = 13, UNITS = 29, BATCH = 6 };

static Net *
dense_net(int units, Shard shard)
{
    Net *net = net_create(cpu_backend("best", NULL), 17);
    const int x = net_relu(net, net_dense(net, net_input(net, 1, 1, 7), IN));
    net_mse_loss(net, net_dense_shard(net, x, units, shard));
    net_build(net);
    return net;
}

/* Predicts into y [BATCH][outputs]; returns how many. */
static int
predict(Net *net, float *y)
{
    float x[BATCH * 7];
    const int outputs = net_output_shape(net).channels;
    Run *run = run_create(net, &(RunOptions){.max_batch = BATCH, .inference = true});
    rng_fill_normal(3, 1, 0, x, BATCH * 7, 0, 1);
    run_forward(run, &(Batch){.size = BATCH, .x = x, .inference = true});
    memcpy(y, run_output(run), (size_t)(BATCH * outputs) * sizeof(float));
    run_free(run);
    return outputs;
}

static void
check_shards(int count)
{
    float want[BATCH * UNITS], got[BATCH * UNITS];
    Net *whole = dense_net(UNITS, (Shard){0, 1});
    const Parameter *w = net_parameter(whole, 2);
    int first = 0;
    predict(whole, want);
    ck_assert_uint_eq(w->shard_whole, 0);
    for (int s = 0; s < count; s++) {
        Net *net = dense_net(UNITS, (Shard){s, count});
        const Parameter *mine = net_parameter(net, 2);
        const int outputs = predict(net, got);
        ck_assert_str_eq(mine->name, w->name);
        ck_assert_uint_eq(mine->shape[0], (size_t)outputs);
        ck_assert_uint_eq(mine->shape[1], IN);
        ck_assert_uint_eq(mine->shard_begin, count == 1 ? 0 : (size_t)first);
        ck_assert_uint_eq(mine->shard_whole, count == 1 ? 0 : UNITS);
        ck_assert(memcmp(net_parameters(net) + mine->first, net_parameters(whole) + w->first + (size_t)first * IN,
                         mine->count * sizeof(float)) == 0);
        for (int i = 0; i < BATCH; i++)
            ck_assert_floats(got + i * outputs, want + i * UNITS + first, (size_t)outputs, 1e-6, 1e-6);
        first += outputs;
        net_free(net);
    }
    ck_assert_int_eq(first, UNITS);
    net_free(whole);
}

TEST(shards_are_cut_out_of_the_whole)
{
    const int counts[] = {1, 2, 3, 4, 7, UNITS};
    for (int i = 0; i < 6; i++)
        check_shards(counts[i]);
}

TEST_ENDS_CALL(no_such_shard, "net_dense_shard: shard 3 of 3", dense_net(UNITS, (Shard){3, 3});)
TEST_ENDS_CALL(more_shards_than_units, "at most one for each of the 2 units", dense_net(2, (Shard){0, 3});)

TEST_MAIN("net shards")
