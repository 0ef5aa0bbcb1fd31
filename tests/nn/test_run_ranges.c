/* A network partitioned into ranges of layers, values passed by copies: the same bits as uncut, forward, backward, and after
 * steps of an optimiser; names, first weights and dropout masks are those of the whole network.
 * SPDX-License-Identifier: MIT */
#include "nn/optimizer.h"
#include "nn/tensor_list.h"
#include "tests/capture.h"
#include "tests/nn/run_case.h"
#include "tests/nn/training_fixture.h"

enum { STEPS = 2, RANGES_MAX = 3, LAYERS_MAX = 128 };

typedef struct Range {
    Net *net;
    Run *run;
    Optimizer *optimizer;
} Range;

static Range
range_create(const RunCase *c, NumberType type, int first, int last, const RunOptions *options)
{
    Range range = {.net = case_describe(c, type)};
    net_build_range(range.net, first, last);
    range.run = run_create(range.net, options);
    range.optimizer = optimizer_create(net_backend(range.net), OPTIMIZER_MOMENTUM, optimizer_defaults(),
                                       net_parameter_count(range.net));
    return range;
}

static void
range_free(Range *range)
{
    optimizer_free(range->optimizer);
    run_free(range->run);
    net_free(range->net);
}

static void
update(Range *range)
{
    optimizer_step(range->optimizer, net_parameters(range->net), net_gradients(range->net), 0.05);
}

/* What crosses the cut, from the run before it to the run behind it or back. */
static void
hand_over(const Range *before, const Range *behind, int cut, size_t size, bool gradients)
{
    int values[NET_BOUNDARY];
    const int count = net_boundary(before->net, cut, values);
    ck_assert_int_ge(count, 1);
    for (int i = 0; i < count; i++) {
        const RunValue from = run_value(before->run, values[i]), to = run_value(behind->run, values[i]);
        const size_t n = size * from.elements;
        ck_assert_uint_eq(from.elements, to.elements);
        ck_assert_int_eq(from.type, to.type);
        float *there = run_value_gradient(before->run, values[i]), *here = run_value_gradient(behind->run, values[i]);
        ck_assert((there != NULL) == net_value_learns(before->net, values[i]));
        if (!gradients)
            memcpy(to.data, from.data, n * number_bytes(from.type));
        else if (here)
            memcpy(there, here, n * sizeof(float));
    }
}

/* A step of the pipeline: its loss. */
static double
step(const Range *ranges, int count, const int *cuts, const Batch *batch)
{
    double loss = NAN;
    for (int i = 0; i < count; i++) {
        if (i > 0)
            hand_over(&ranges[i - 1], &ranges[i], cuts[i - 1], (size_t)batch->size, false);
        Batch part = *batch;
        part.x = i == 0 ? batch->x : NULL;
        part.labels = i == count - 1 ? batch->labels : NULL;
        loss = run_forward(ranges[i].run, &part);
        ck_assert(i == count - 1 || isnan(loss));
    }
    for (int i = count - 1; i >= 0; i--) {
        run_backward(ranges[i].run, 1, RUN_ONLY);
        if (i > 0)
            hand_over(&ranges[i - 1], &ranges[i], cuts[i - 1], (size_t)batch->size, true);
    }
    return loss;
}

/* The parameters that a range holds are, by name, those of the whole network. */
static void
check_held(const RunCase *c, Range *part, Range *whole, int *next)
{
    for (int i = 0; i < net_parameter_tensors(part->net); i++) {
        const Parameter *mine = net_parameter(part->net, i), *all = net_parameter(whole->net, *next);
        ck_assert_str_eq(mine->name, all->name);
        ck_assert_str_eq(net_whole_parameter(part->net, *next)->name, all->name);
        (*next)++;
        ck_assert_uint_eq(mine->count, all->count);
        ck_assert_same_bits(c->name, net_parameters(part->net) + mine->first, net_parameters(whole->net) + all->first,
                            all->count);
        ck_assert_same_bits(c->name, net_gradients(part->net) + mine->first, net_gradients(whole->net) + all->first,
                            all->count);
        ck_assert_same_bits(c->name, optimizer_state(part->optimizer, 0, NULL) + mine->first,
                            optimizer_state(whole->optimizer, 0, NULL) + all->first, all->count);
    }
    for (int i = 0; i < net_average_tensors(part->net); i++) {
        const Parameter *mine = net_average(part->net, i);
        int j = 0;
        while (strcmp(net_average(whole->net, j)->name, mine->name) != 0)
            j++;
        ck_assert_same_bits(c->name, net_averages(part->net) + mine->first,
                            net_averages(whole->net) + net_average(whole->net, j)->first, mine->count);
    }
}

/* The whole after STEPS steps, made once for each network and type. */
typedef struct Whole {
    Range range;
    double loss[STEPS];
    float output[CASE_BATCH * CASE_CLASSES];
} Whole;

static Whole
whole_create(const RunCase *c, NumberType type)
{
    const Batch batch = case_batch(0, CASE_BATCH);
    Net *described = case_describe(c, type);
    Whole whole = {.range =
                       range_create(c, type, 0, net_layer_count(described), &(RunOptions){.max_batch = CASE_BATCH})};
    net_free(described);
    for (int s = 0; s < STEPS; s++) {
        whole.loss[s] = step(&whole.range, 1, NULL, &batch);
        update(&whole.range);
    }
    memcpy(whole.output, run_output(whole.range.run), sizeof whole.output);
    return whole;
}

static void
check_cuts(const RunCase *c, Whole *whole, NumberType type, int count, const int *cuts, const RunOptions *options)
{
    const Batch batch = case_batch(0, CASE_BATCH);
    const int layers = net_layer_count(whole->range.net);
    Range ranges[RANGES_MAX];
    size_t parameters = 0;
    int next = 0;
    for (int i = 0; i < count; i++)
        ranges[i] = range_create(c, type, i ? cuts[i - 1] : 0, i < count - 1 ? cuts[i] : layers, options);
    for (int s = 0; s < STEPS; s++) {
        const double loss = step(ranges, count, cuts, &batch);
        ck_assert_msg(loss == whole->loss[s], "%s cut before layer %d: loss %.17g in step %d, uncut %.17g", c->name,
                      cuts[0], loss, s, whole->loss[s]);
        for (int i = 0; i < count; i++)
            update(&ranges[i]);
    }
    ck_assert_same_bits(c->name, run_output(ranges[count - 1].run), whole->output, CASE_BATCH * CASE_CLASSES);
    for (int i = 0; i < count; i++) {
        check_held(c, &ranges[i], &whole->range, &next);
        parameters += net_parameter_count(ranges[i].net);
        range_free(&ranges[i]);
    }
    ck_assert_int_eq(next, net_parameter_tensors(whole->range.net));
    ck_assert_uint_eq(parameters, net_parameter_count(whole->range.net));
}

static void
check_every_cut(const RunCase *c, NumberType type, const RunOptions *options)
{
    Whole whole = whole_create(c, type);
    for (int cut = 1; cut < net_layer_count(whole.range.net); cut++)
        check_cuts(c, &whole, type, 2, &cut, options);
    range_free(&whole.range);
}

static void
check_every_two_cuts(const RunCase *c)
{
    Whole whole = whole_create(c, NUMBER_FP32);
    const int layers = net_layer_count(whole.range.net);
    for (int first = 1; first < layers; first++)
        for (int second = first + 1; second < layers; second++)
            check_cuts(c, &whole, NUMBER_FP32, 3, (int[]){first, second}, &(RunOptions){.max_batch = CASE_BATCH});
    range_free(&whole.range);
}

TEST(two_ranges_at_every_cut)
{
    for (int c = 0; c < RUN_CASES; c++)
        check_every_cut(&run_cases[c], NUMBER_FP32, &(RunOptions){.max_batch = CASE_BATCH});
}

TEST(three_ranges_at_every_two_cuts)
{
    check_every_two_cuts(&run_cases[LENET]);
    check_every_two_cuts(&run_cases[SMALL_RESNET]);
}

TEST(ranges_with_a_backward_pass_in_halves)
{
    check_every_cut(&run_cases[SMALL_RESNET], NUMBER_FP32, &(RunOptions){.max_batch = CASE_BATCH, .splits = true});
}

TEST(ranges_of_narrow_values)
{
    check_every_cut(&run_cases[SMALL_RESNET], NUMBER_BF16, &(RunOptions){.max_batch = CASE_BATCH});
}

TEST(a_cut_through_a_residual_block_has_two_values)
{
    Net *net = case_describe(&run_cases[SMALL_RESNET], NUMBER_FP32);
    int values[NET_BOUNDARY];
    ck_assert_int_eq(net_boundary(net, 1, values), 1); /* the batch itself */
    ck_assert_int_eq(values[0], 0);
    ck_assert(!net_value_learns(net, 0) && net_value_learns(net, 1));
    ck_assert_int_eq(net_boundary(net, 4, values), 1); /* behind the first ReLU */
    ck_assert_int_eq(values[0], 3);
    ck_assert_int_eq(net_boundary(net, 6, values), 2); /* inside the first block */
    ck_assert(values[0] == 3 && values[1] == 5);
    ck_assert_int_eq(net_boundary(net, net_layer_count(net), values), 0);
    ck_assert_int_eq(net_boundary(net, 0, values), 0);
    net_free(net);
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

/* The tensors of several nets, one behind the other, as one file. */
static void
write_file(const char *path, Net *const *nets, int count)
{
    TensorList lists[RANGES_MAX];
    Tensor all[LAYERS_MAX];
    size_t tensors = 0;
    for (int i = 0; i < count; i++) {
        const size_t n = (size_t)net_whole_parameter_tensors(nets[i]);
        lists[i] = tensor_list_create(n, net_parameter_count(nets[i]));
        tensor_list_add_parameters(&lists[i], "", nets[i], net_parameters(nets[i]));
        ck_assert_uint_eq(lists[i].count, n);
        for (size_t t = 0; t < n; t++)
            if (lists[i].tensors[t].data != NULL) /* held */
                all[tensors++] = lists[i].tensors[t];
    }
    ck_assert_ok(safetensors_write(path, all, tensors, NULL, 0, &error));
    for (int i = 0; i < count; i++)
        tensor_list_free(&lists[i]);
}

/* What ranges hold, put together, is the file of the whole network, byte by byte; also where the cut separates an image from
 * the dense layer whose weights PyTorch orders by channels. */
TEST(files_of_ranges_are_that_of_the_whole)
{
    char whole_path[256], parts_path[256];
    snprintf(whole_path, sizeof whole_path, "%s", testing_path("whole"));
    snprintf(parts_path, sizeof parts_path, "%s", testing_path("parts"));
    for (int c = 0; c < RUN_CASES; c++) {
        Net *whole = case_net(&run_cases[c]);
        const int layers = net_layer_count(whole);
        write_file(whole_path, &whole, 1);
        for (int cut = 1; cut < layers; cut++) {
            Net *parts[] = {case_describe(&run_cases[c], NUMBER_FP32), case_describe(&run_cases[c], NUMBER_FP32)};
            net_build_range(parts[0], 0, cut);
            net_build_range(parts[1], cut, layers);
            write_file(parts_path, parts, 2);
            ck_assert_msg(fixture_same_files(whole_path, parts_path), "%s cut before layer %d", run_cases[c].name, cut);
            net_free(parts[0]);
            net_free(parts[1]);
        }
        net_free(whole);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------------------- */

TEST_ENDS_CALL(empty_range, "net_build_range: layers 3 to 3 of",
               net_build_range(case_describe(&run_cases[LENET], NUMBER_FP32), 3, 3);)
TEST_ENDS_CALL(range_beyond_the_end, "net_build_range: layers 3 to 99 of",
               net_build_range(case_describe(&run_cases[LENET], NUMBER_FP32), 3, 99);)

TEST_ENDS(output_of_a_middle_range, "the range ends before the network's output")
{
    Range range = range_create(&run_cases[LENET], NUMBER_FP32, 0, 4, &(RunOptions){.max_batch = 2});
    run_output(range.run);
}

TEST_ENDS(value_inside, "value 1 crosses neither the cut before layer 0 nor that before layer 4")
{
    Range range = range_create(&run_cases[LENET], NUMBER_FP32, 0, 4, &(RunOptions){.max_batch = 2});
    run_value(range.run, 1);
}

TEST_MAIN("run ranges")
