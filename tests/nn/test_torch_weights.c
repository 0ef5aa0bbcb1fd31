/* Weights that are saved here load in PyTorch and give the same outputs, and the other way round. Runs where python3 has torch;
 * tests/golden/torch_weights.py is the other side.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "nn/weights.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { BATCH = 3, PATH = 512 };

static void
need_torch(void)
{
    if (system("python3 -c 'import torch' >/dev/null 2>&1") != 0)
        skip_test("python3 has no torch here");
}

/* The path of a file in this test's folder, to keep. */
static void
path_of(const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s", testing_path(name));
}

static void
run_python(const char *layers, Shape input)
{
    char folder[PATH], command[3 * PATH];
    path_of("", folder);
    snprintf(command, sizeof(command),
             "PYTHONDONTWRITEBYTECODE=1 python3 '%s/tests/golden/torch_weights.py' '%s' %d %d %d %d '%s'", RUNGS_ROOT,
             layers, input.height, input.width, input.channels, BATCH, folder);
    ck_assert_msg(system(command) == 0, "PyTorch does not agree: %s", command);
}

static void
infer(Run *run, const float *x, float *y, size_t outputs)
{
    run_forward(run, &(Batch){.size = BATCH, .x = x, .inference = true});
    memcpy(y, run_output(run), outputs * sizeof(float));
}

/* Averages like those of a trained network, weights that keep numbers around 1. */
static void
draw(Net *net)
{
    rng_fill_uniform(3, 1, 0, net_averages(net), net_average_count(net), 0.2, 1.2);
    for (int i = 0; i < net_parameter_tensors(net); i++) {
        const Parameter *p = net_parameter(net, i);
        if (p->dimensions == 1)
            rng_fill_normal(3, (uint64_t)i + 2, 0, net_parameters(net) + p->first, p->count, 0.2, 0.5);
    }
}

static void
check(const char *layers, int height, int width, int channels)
{
    const Shape input = {height, width, channels};
    const size_t inputs = (size_t)(BATCH * height * width * channels);
    char path[PATH];
    need_torch();
    Run *run = run_from_text(cpu_backend("best", NULL), 9, input, layers, BATCH);
    Net *net = run_net(run);
    const Shape out = net_output_shape(net);
    const size_t outputs = BATCH * (size_t)(out.height * out.width * out.channels);
    float *x = ARRAY(float, inputs), *y = ARRAY(float, outputs), *want = ARRAY(float, outputs);
    rng_fill_normal(3, 0, 0, x, inputs, 0, 1);
    draw(net);
    infer(run, x, y, outputs);
    path_of("ours.safetensors", path);
    ck_assert_ok(weights_save(net, path, &error));
    testing_write("x", x, inputs * sizeof(float));
    testing_write("ours.y", y, outputs * sizeof(float));

    run_python(layers, input);
    path_of("theirs.safetensors", path);
    ck_assert_ok(weights_load(net, path, &error));
    infer(run, x, y, outputs);
    FILE *file = fopen(testing_path("theirs.y"), "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(want, sizeof(float), outputs, file), outputs);
    fclose(file);
    ck_assert_floats(y, want, outputs, 1e-4, 1e-5);
    array_free(x);
    array_free(y);
    array_free(want);
    run_free_all(run);
}

#define TORCH(name, layers, height, width, channels)                                                                   \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        check(layers, height, width, channels);                                                                        \
    }

TORCH(lenet, "conv6k5p2 relu max2 conv16k5 relu max2 dense120 relu dense84 relu dense10 mse", 28, 28, 1)
TORCH(odd_image, "conv3k3p1n1 batchnorm relu avg2 flatten dense5 relu dense4 mse", 7, 5, 2)
TORCH(groups, "conv6k3s2p1 relu conv6k3p1g3 batchnorm relu dense4 mse", 6, 9, 3)
TORCH(dense_of_the_image, "dense7 tanh dense2 mse", 3, 4, 2)
TORCH(global_average, "conv5k2 layernorm relu global dense3 mse", 4, 5, 2)

/* Without PyTorch: saved weights come back bit by bit. */
TEST(weights_come_back)
{
    const char *layers = "conv3k3p1n1 batchnorm relu max2 flatten dense5 relu dense4 softmax";
    Net *a = net_from_text(cpu_backend("naive", NULL), 1, (Shape){7, 5, 2}, layers);
    Net *b = net_from_text(cpu_backend("naive", NULL), 2, (Shape){7, 5, 2}, layers);
    draw(a);
    ck_assert_ok(weights_save(a, testing_path("w"), &error));
    ck_assert_ok(weights_load(b, testing_path("w"), &error));
    const size_t n = net_parameter_count(a), averages = net_average_count(a);
    ck_assert_mem_eq(net_parameters(a), net_parameters(b), n * sizeof(float));
    ck_assert_mem_eq(net_averages(a), net_averages(b), averages * sizeof(float));
    net_free(a);
    net_free(b);
}

TEST(weights_of_another_network_are_refused)
{
    Net *a = net_from_text(cpu_backend("naive", NULL), 1, (Shape){4, 4, 2}, "conv3k3 dense3 softmax");
    Net *b = net_from_text(cpu_backend("naive", NULL), 1, (Shape){4, 4, 2}, "conv3k2 dense3 softmax");
    Net *c = net_from_text(cpu_backend("naive", NULL), 1, (Shape){4, 4, 2}, "conv3k3 relu dense3 softmax");
    ck_assert(weights_save(a, testing_path("w"), &error));
    ck_assert_refused(weights_load(b, testing_path("w"), &error), "\"layers.0.weight\" has another shape");
    ck_assert_refused(weights_load(c, testing_path("w"), &error), "no tensor \"layers.2.weight\"");
    ck_assert(!weights_load(c, testing_path("nowhere"), &error));
    net_free(a);
    net_free(b);
    net_free(c);
}

TEST_MAIN("torch weights")
