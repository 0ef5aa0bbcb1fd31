/* src/lenet.c computes what src/nn does, its gradients are those of finite differences, and it refuses what is damaged.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "data/batches.h"
#include "nn/models/models.h"
#include "nn/optimizer.h"
#include "nn/run.h"
#include "tests/capture.h"
#include "tests/reference_net.h"
#include "tests/testing.h"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

/* The file itself, its main under another name. */
int lenet_main(int argc, char **argv);
#define main lenet_main
#include "lenet.c"
#undef main

static const uint64_t SEED = 3;
static const char digits[] = RUNGS_ROOT "/data/digits.csv.gz";
enum { COUNT = 7, STEPS = 10 };

/* Both networks for images of S x S pixels, the same batch before them. */
typedef struct Pair {
    LeNet lenet;
    Net *net;
    Run *run;
    float *x; /* the batch, in the other one's array */
    int label[COUNT];
} Pair;

/* The network in the calls of nn/net.h; its output is the logits if it ends with another loss. */
static Net *
nn_lenet(int S, bool softmax)
{
    Net *net = net_create(cpu_backend("naive", NULL), SEED);
    const int z = lenet_build(net, net_input(net, S, S, 1), CLASSES);
    if (softmax)
        net_softmax_loss(net, z);
    else
        net_mse_loss(net, z);
    net_build(net);
    return net;
}

static Pair
pair_create(int S)
{
    Pair pair = {.lenet = lenet_create(COUNT, S, SEED), .net = nn_lenet(S, true)};
    pair.run = run_create(pair.net, &(RunOptions){.max_batch = COUNT});
    pair.x = pair.lenet.v[X];
    return pair;
}

static void
pair_free(Pair *pair)
{
    LeNet *n = &pair->lenet;
    void *arrays[] = {n->w[0], n->dw[0], n->u[0], n->v[0], n->d[0], n->argmax1, n->argmax2};
    for (size_t i = 0; i < COUNT(arrays); i++)
        free(arrays[i]);
    run_free(pair->run);
    net_free(pair->net);
}

static void
draw_batch(Pair *pair, uint64_t number)
{
    rng_fill_uniform(SEED, 100 + number, 0, pair->x, COUNT * (size_t)(pair->lenet.S * pair->lenet.S), 0, 1);
    for (int b = 0; b < COUNT; b++)
        pair->label[b] = (int)(rng_bits_at(SEED, 200 + number, (uint64_t)b) % CLASSES);
}

static const int sides[] = {8, 16, 17, 28};

TEST(first_weights_are_those_of_nn)
{
    for (int i = 0; i < COUNT(sides); i++) {
        Pair pair = pair_create(sides[i]);
        ck_assert_int_eq(pair.lenet.parameters, (int)net_parameter_count(pair.net));
        ck_assert_floats(pair.lenet.w[0], net_parameters(pair.net), net_parameter_count(pair.net), 0, 1e-6);
        for (int t = 0; t < TENSORS; t++)
            ck_assert_int_eq(pair.lenet.w[t] - pair.lenet.w[0], (int)net_parameter(pair.net, t)->first);
        pair_free(&pair);
    }
}

TEST(logits_loss_and_gradients_are_those_of_nn)
{
    for (int i = 0; i < COUNT(sides); i++) {
        Pair pair = pair_create(sides[i]);
        Net *logits = nn_lenet(sides[i], false);
        Run *run = run_create(logits, &(RunOptions){.max_batch = COUNT, .inference = true});
        draw_batch(&pair, 0);
        lenet_forward(&pair.lenet, COUNT);
        run_forward(run, &(Batch){.size = COUNT, .x = pair.x, .inference = true});
        ck_assert_floats(pair.lenet.v[Z], run_output(run), COUNT * CLASSES, 1e-5, 1e-5);
        const double want = run_forward(pair.run, &(Batch){.size = COUNT, .x = pair.x, .labels = pair.label});
        run_backward(pair.run, 1, RUN_ONLY);
        const double loss = lenet_backward(&pair.lenet, COUNT, pair.label);
        ck_assert_doubles(&loss, &want, 1, 1e-5, 0);
        ck_assert_floats(pair.lenet.dw[0], net_gradients(pair.net), net_parameter_count(pair.net), 1e-5, 1e-5);
        run_free(run);
        net_free(logits);
        pair_free(&pair);
    }
}

/* Rounding differs in each step and is carried on: 1e-4 after ten. */
TEST(steps_are_those_of_nn)
{
    Pair pair = pair_create(8);
    const size_t n = net_parameter_count(pair.net);
    float *first = ARRAY(float, n);
    memcpy(first, net_parameters(pair.net), n * sizeof(float));
    Optimizer *optimizer = optimizer_create(net_backend(pair.net), OPTIMIZER_MOMENTUM, optimizer_defaults(), n);
    for (int step = 0; step < STEPS; step++) {
        draw_batch(&pair, (uint64_t)step);
        run_forward(pair.run, &(Batch){.size = COUNT, .x = pair.x, .labels = pair.label});
        run_backward(pair.run, 1, RUN_ONLY);
        optimizer_step(optimizer, net_parameters(pair.net), net_gradients(pair.net), 0.01);
        lenet_forward(&pair.lenet, COUNT);
        lenet_backward(&pair.lenet, COUNT, pair.label);
        lenet_step(&pair.lenet, 0.01F, 0.9F);
    }
    ck_assert_floats(pair.lenet.w[0], net_parameters(pair.net), n, 1e-4, 0);
    double moved = 0;
    for (size_t i = 0; i < n; i++)
        moved = fmax(moved, fabs((double)pair.lenet.w[0][i] - (double)first[i]));
    ck_assert_double_gt(moved, 1e-2); /* far more than the tolerance */
    optimizer_free(optimizer);
    array_free(first);
    pair_free(&pair);
}

/* Against a forward pass in double, written by the definitions. Of each tensor the largest gradient and some others. */
TEST(gradients_are_those_of_finite_differences)
{
    static const char layers[] = "conv6k5p2 relu max2 conv16k3p1 relu max2 dense120 relu dense84 relu dense10 softmax";
    const double h = 1e-5;
    Pair pair = pair_create(8);
    LeNet *n = &pair.lenet;
    draw_batch(&pair, 0);
    lenet_forward(n, COUNT);
    lenet_backward(n, COUNT, pair.label);
    double *w = ARRAY(double, (size_t)n->parameters);
    for (int i = 0; i < n->parameters; i++)
        w[i] = (double)n->w[0][i];
    for (int t = 0; t < TENSORS; t++) {
        const int first = (int)(n->w[t] - n->w[0]),
                  end = t + 1 < TENSORS ? (int)(n->w[t + 1] - n->w[0]) : n->parameters;
        int at[4] = {first, first + (end - first) / 3, end - 1, first};
        for (int i = first; i < end; i++)
            if (fabsf(n->dw[0][i]) > fabsf(n->dw[0][at[3]]))
                at[3] = i;
        ck_assert_float_gt(fabsf(n->dw[0][at[3]]), 1e-4F);
        for (int k = 0; k < 4; k++) {
            const double middle = w[at[k]], got = (double)n->dw[0][at[k]];
            w[at[k]] = middle + h;
            const double above = reference_loss(layers, (Shape){8, 8, 1}, COUNT, pair.x, pair.label, w);
            w[at[k]] = middle - h;
            const double below = reference_loss(layers, (Shape){8, 8, 1}, COUNT, pair.x, pair.label, w);
            w[at[k]] = middle;
            const double want = (above - below) / (2 * h);
            ck_assert_doubles(&got, &want, 1, 1e-6, 1e-4);
        }
    }
    array_free(w);
    pair_free(&pair);
}

TEST(epochs_have_the_order_of_nn)
{
    enum { N = 101, EPOCH = 2 };
    Dataset dataset;
    size_t order[N];
    ck_assert(dataset_create(&dataset, N, 1, 1, 1, &error));
    dataset.classes = CLASSES;
    for (int i = 0; i < N; i++) {
        order[i] = (size_t)i;
        dataset.x[i] = (float)i;
        dataset.labels[i] = i % CLASSES;
    }
    Source *source =
        batches_create(&dataset, NULL, N, (BatchOptions){.size = N, .shuffle = true, .seed = SEED}, &error);
    ck_assert_ok(source);
    ck_assert(source_load(source, EPOCH, 0, 0, N, &error));
    random_shuffle(SEED, SHUFFLE_STREAM + EPOCH, order, N);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq((int)order[i], (int)source->x[i]);
    source_free(source);
    dataset_free(&dataset);
}

static void
images_free(Images *images)
{
    free(images->x);
    free(images->label);
    free(images->sample);
}

TEST(digits_are_read)
{
    Dataset want;
    ck_assert_ok(dataset_open("digits", &want, &error));
    Images got = read_digits(digits);
    ck_assert_uint_eq(got.count, want.count);
    for (size_t i = 0; i < want.count * want.features; i++)
        want.x[i] /= 16;
    ck_assert_floats(got.x, want.x, want.count * want.features, 0, 0);
    ck_assert_mem_eq(got.label, want.labels, want.count * sizeof(int));
    images_free(&got);
    dataset_free(&want);
}

/* ---- the program ---- */

enum { IMAGES = 23, SIDE = 9, IMAGE_BYTES = 16 + IMAGES * SIDE * SIDE, LABEL_BYTES = 8 + IMAGES };
static unsigned char images[IMAGE_BYTES] = {0, 0, 8, 3, 0, 0, 0, IMAGES, 0, 0, 0, SIDE, 0, 0, 0, SIDE, 255, 51};
static unsigned char labels[LABEL_BYTES] = {0, 0, 8, 1, 0, 0, 0, IMAGES, 9, 0, 1, 2};

TEST(idx_files_are_read)
{
    Images got =
        read_images(testing_write("images", images, sizeof(images)), testing_write("labels", labels, sizeof(labels)));
    ck_assert_uint_eq(got.count, IMAGES);
    ck_assert_int_eq(got.S, SIDE);
    ck_assert_floats(got.x, ((const float[]){1, 0.2F, 0}), 3, 1e-7, 0);
    ck_assert_mem_eq(got.label, ((const int[]){9, 0, 1, 2, 0}), 5 * sizeof(int));
    images_free(&got);
}

/* What it has allocated when it refuses its input is left to the system. */
static void
run_program(void *arguments)
{
    char **argv = arguments;
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    exit(lenet_main(argc, argv));
}

/* Runs it with these arguments; it must end with this status and print these words, and nothing else than one line if it fails. */
#define check_program(status, words, ...)                                                                              \
    check_arguments((status), (words), (char *[]){"lenet", __VA_ARGS__, NULL}, __LINE__)

static Captured
check_arguments(int status, const char *words, char **argv, int line)
{
    const Captured captured = capture(run_program, argv);
    const char *end = strchr(captured.text, '\n');
    ck_assert_msg(captured.status == status && strstr(captured.text, words) != NULL,
                  "line %d: status %d, not %d; printed: %s", line, captured.status, status, captured.text);
    ck_assert_msg(status == 0 || (end != NULL && end[1] == '\0'), "line %d: not one line: %s", line, captured.text);
    return captured;
}

TEST(it_learns_the_digits)
{
    const Captured captured = check_program(0, "test accuracy", "--epochs", "10", (char *)digits);
    double accuracy = 0;
    ck_assert_int_eq(sscanf(strstr(captured.text, "test accuracy"), "test accuracy %lf", &accuracy), 1);
    ck_assert_double_ge(accuracy, 0.93);
}

TEST(it_trains_on_idx_files)
{
    char *i = (char *)testing_write("images", images, sizeof(images)),
         *l = (char *)testing_write("labels", labels, sizeof(labels));
    check_program(0, "19 samples to train, 4 to test", i, l, "--epochs", "1", "--batch", "5");
    check_program(0, "23 samples to train, 23 to test", i, l, i, l, "--epochs", "2", "--momentum", "0", "--seed", "7");
}

/* The bytes with one of them changed, or fewer. */
static char *
damaged(const unsigned char *bytes, size_t size, size_t at, int byte)
{
    unsigned char copy[IMAGE_BYTES];
    memcpy(copy, bytes, size);
    if (at < size)
        copy[at] = (unsigned char)byte;
    return (char *)testing_write("damaged", copy, size);
}

TEST(a_damaged_idx_file_is_refused)
{
    char i[1000], l[1000]; /* testing_path's texts live for eight calls */
    snprintf(i, sizeof(i), "%s", testing_write("images", images, sizeof(images)));
    snprintf(l, sizeof(l), "%s", testing_write("labels", labels, sizeof(labels)));
    check_program(1, "No such file", "missing", l);
    check_program(1, "is no IDX file of bytes in 3 dimensions", damaged(images, 10, 10, 0), l);
    check_program(1, "is no IDX file", damaged(images, sizeof(images), 0, 1), l);
    check_program(1, "is no IDX file", damaged(images, sizeof(images), 2, 9), l);
    check_program(1, "images and labels swapped", l, i);
    check_program(1, "it is damaged", damaged(images, sizeof(images) - 1, IMAGE_BYTES, 0), l);
    check_program(1, "it is damaged", damaged(images, sizeof(images), 4, 255), l);
    check_program(1, "square, of 8 to 256", damaged(images, sizeof(images), 8, 255), l);
    check_program(1, "square, of 8 to 256", damaged(images, sizeof(images), 15, 10), l);
    check_program(1, "1 image or more", damaged(images, sizeof(images), 7, 0), l);
    check_program(1, "label 3 is 10, expected 0 .. 9", i, damaged(labels, sizeof(labels), 11, 10));
    unsigned char fewer[LABEL_BYTES - 1];
    memcpy(fewer, labels, sizeof(fewer));
    fewer[7] = IMAGES - 1;
    check_program(1, "23 images", i, damaged(fewer, sizeof(fewer), sizeof(fewer), 0));
}

TEST(a_cut_compressed_file_is_refused)
{
    unsigned char packed[2000];
    FILE *file = fopen(digits, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(packed, 1, sizeof(packed), file), sizeof(packed));
    fclose(file);
    check_program(1, "gzip cannot read it", (char *)testing_write("cut.csv.gz", packed, sizeof(packed)));
}

/* A table of one digit, whose number `at` (0 .. 64) is this text. */
static char *
table(int at, const char *text)
{
    static char all[1024];
    size_t length = (size_t)snprintf(all, sizeof(all), "names\n");
    for (int p = 0; p <= 64; p++)
        length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s", p > 0 ? "," : "", p == at ? text : "1");
    length += (size_t)snprintf(all + length, sizeof(all) - length, "\n");
    return (char *)testing_write("table.csv", all, length);
}

TEST(a_damaged_table_is_refused)
{
    Images one = read_digits(table(64, "9"));
    ck_assert_uint_eq(one.count, 1);
    ck_assert_int_eq(one.label[0], 9);
    images_free(&one);
    check_program(1, "line 2, number 65: expected", table(64, "10"));
    check_program(1, "line 2, number 1: expected", table(0, "17"));
    check_program(1, "line 2, number 3: expected", table(2, "-1"));
    check_program(1, "line 2, number 3: expected", table(2, "nan"));
    check_program(1, "line 2, number 3: expected", table(2, ""));
    check_program(1, "line 2, number 3: expected", table(2, "\n1"));
    check_program(1, "line 2, number 65: expected", table(64, "1,1"));
    check_program(1, "has no lines of digits", (char *)testing_write("table.csv", "names\n", 6));
    check_program(1, "has no lines of digits", (char *)testing_write("table.csv", "", 0));
}

TEST(wrong_usage_is_refused)
{
    check_program(0, "usage: lenet", "--help");
    check_program(2, "--nix: is no option", "--nix");
    check_program(2, "--epochs: expected a whole number from 1 to 1e+06", "--epochs");
    check_program(2, "--epochs: expected a whole number", "--epochs", "2.5");
    check_program(2, "--batch: expected a whole number", "--batch", "0");
    check_program(2, "--batch: expected a whole number", "--batch", "1025");
    check_program(2, "--lr: expected a number", "--lr", "nan");
    check_program(2, "--lr: expected a number", "--lr", "1x");
    check_program(2, "--momentum: expected a number", "--momentum", "1");
    check_program(2, "c: the labels", "a", "b", "c");
    check_program(2, "e: is no option, or one file too many", "a", "b", "c", "d", "e");
}

TEST_MAIN("lenet in one file")
