/* Several runs of one network: micro-batches in flight, gradients that add up, the backward pass in two halves.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "tests/capture.h"
#include "tests/nn/run_case.h"

/* The rows of micro-batch i of m: as even as can be, the larger ones last. */
static Batch
micro_batch(int i, int m)
{
    const int first = CASE_BATCH * i / m, end = CASE_BATCH * (i + 1) / m;
    return case_batch(first, end - first);
}

static RunGradients
place(int i, int m)
{
    return (i == 0 ? RUN_FIRST : 0) | (i == m - 1 ? RUN_LAST : 0);
}

/* Micro-batch after micro-batch in one run: the reference. */
static CaseResult
in_turn(const RunCase *c, int m)
{
    Net *net = case_net(c);
    Run *run = run_create(net, &(RunOptions){.max_batch = CASE_BATCH, .accumulates = true});
    double loss = 0;
    for (int i = 0; i < m; i++) {
        const Batch batch = micro_batch(i, m);
        loss += run_forward(run, &batch) * batch.size / CASE_BATCH;
        run_backward(run, (float)batch.size / CASE_BATCH, place(i, m));
    }
    const CaseResult result = case_result(net, loss);
    run_free(run);
    net_free(net);
    return result;
}

/* All m forward in a run of their own, then all backward, in their order; splits: the weights' gradients after all of that. */
static CaseResult
in_flight(const RunCase *c, int m, bool splits)
{
    Net *net = case_net(c);
    Run *runs[8];
    double loss = 0;
    for (int i = 0; i < m; i++) {
        const Batch batch = micro_batch(i, m);
        runs[i] = run_create(net, &(RunOptions){.max_batch = batch.size, .accumulates = true, .splits = splits});
        loss += run_forward(runs[i], &batch) * batch.size / CASE_BATCH;
    }
    for (int i = 0; i < m; i++) {
        const float share = (float)micro_batch(i, m).size / CASE_BATCH;
        if (splits)
            run_backward_inputs(runs[i], share);
        else
            run_backward(runs[i], share, place(i, m));
    }
    for (int i = 0; i < m && splits; i++)
        run_backward_weights(runs[i], place(i, m));
    const CaseResult result = case_result(net, loss);
    for (int i = 0; i < m; i++)
        run_free(runs[i]);
    net_free(net);
    return result;
}

TEST(runs_in_flight_have_the_bits_of_one_after_the_other)
{
    for (int c = 0; c < RUN_CASES; c++)
        for (int m = 1; m <= 8; m *= 2) {
            CaseResult want = in_turn(&run_cases[c], m), got = in_flight(&run_cases[c], m, false);
            ck_assert_same_result(run_cases[c].name, &got, &want);
            case_result_free(&got);
            got = in_flight(&run_cases[c], m, true);
            ck_assert_same_result(run_cases[c].name, &got, &want);
            case_result_free(&got);
            case_result_free(&want);
        }
}

/* Without batch normalisation the sum over the micro-batches is that of the whole batch, but for the order of additions. */
TEST(accumulated_gradients_are_those_of_the_batch)
{
    CaseResult whole = case_whole(&run_cases[LENET], &(RunOptions){.max_batch = CASE_BATCH});
    for (int m = 1; m <= 8; m *= 2) {
        CaseResult parts = in_turn(&run_cases[LENET], m);
        ck_assert_double_eq_tol(parts.loss, whole.loss, 1e-6);
        ck_assert_floats(parts.gradients, whole.gradients, whole.parameters, 1e-6, 1e-5);
        ck_assert(m == 1 || memcmp(parts.gradients, whole.gradients, whole.parameters * sizeof(float)) != 0);
        case_result_free(&parts);
    }
    case_result_free(&whole);
}

TEST(one_micro_batch_is_the_batch)
{
    for (int c = 0; c < RUN_CASES; c++) {
        CaseResult whole = case_whole(&run_cases[c], &(RunOptions){.max_batch = CASE_BATCH}), one;
        one = in_turn(&run_cases[c], 1);
        ck_assert_same_result(run_cases[c].name, &one, &whole);
        case_result_free(&one);
        one = in_flight(&run_cases[c], 1, true);
        ck_assert_same_result(run_cases[c].name, &one, &whole);
        case_result_free(&one);
        case_result_free(&whole);
    }
}

/* Each micro-batch's statistics move the averages once: after m of them they are not those of one step. */
TEST(averages_move_once_for_each_micro_batch)
{
    const RunCase *c = &run_cases[SMALL_RESNET];
    CaseResult got = in_turn(c, 4);
    Net *net = case_net(c);
    Run *run = run_create(net, &(RunOptions){.max_batch = CASE_BATCH});
    for (int i = 0; i < 4; i++) {
        const Batch batch = micro_batch(i, 4);
        run_forward(run, &batch); /* alone: nothing else moves them */
    }
    ck_assert_same_bits(c->name, got.averages, net_averages(net), got.average_count);
    case_result_free(&got);
    run_free(run);
    net_free(net);
}

/* ---- the hook ---------------------------------------------------------------------------------------------------------------- */

typedef struct Calls {
    Net *net;
    int count;
    size_t first[64], counts[64];
    double sum[64]; /* of the range when it was announced */
} Calls;

static double
sum_of(Net *net, size_t first, size_t count)
{
    double sum = 0;
    for (size_t i = first; i < first + count; i++)
        sum += (double)(i % 13 + 1) * net_gradients(net)[i];
    return sum;
}

static void
note(void *context, size_t first, size_t count)
{
    Calls *calls = context;
    ck_assert_int_lt(calls->count, 64);
    calls->first[calls->count] = first;
    calls->counts[calls->count] = count;
    calls->sum[calls->count++] = sum_of(calls->net, first, count);
}

static void
check_calls(const Calls *calls)
{
    size_t end = net_parameter_count(calls->net);
    for (int i = 0; i < calls->count; i++) { /* no gap, no overlap, down to 0 */
        ck_assert_uint_eq(calls->first[i] + calls->counts[i], end);
        end = calls->first[i];
        ck_assert(calls->sum[i] == sum_of(calls->net, calls->first[i], calls->counts[i])); /* nothing was added later */
        ck_assert(calls->sum[i] != 0);
    }
    ck_assert_uint_eq(end, 0);
}

TEST(the_hook_fires_once_when_a_gradient_is_final)
{
    for (int splits = 0; splits < 2; splits++) {
        Net *net = case_net(&run_cases[SMALL_RESNET]);
        Calls calls = {.net = net};
        Run *run = run_create(net, &(RunOptions){.max_batch = CASE_BATCH, .accumulates = true, .splits = splits});
        net_on_gradient(net, note, &calls);
        for (int i = 0; i < 3; i++) {
            const Batch batch = micro_batch(i, 3);
            ck_assert_int_eq(calls.count, 0);
            run_forward(run, &batch);
            if (splits) {
                run_backward_inputs(run, 1);
                ck_assert_int_eq(calls.count, 0);
                run_backward_weights(run, place(i, 3));
            } else {
                run_backward(run, 1, place(i, 3));
            }
        }
        ck_assert_int_gt(calls.count, 8);
        check_calls(&calls);
        run_free(run);
        net_free(net);
    }
}

TEST(nothing_is_added_where_there_are_no_samples)
{
    Net *net = case_net(&run_cases[LENET]);
    Calls calls = {.net = net};
    Run *run = run_create(net, &(RunOptions){.max_batch = CASE_BATCH, .accumulates = true});
    const Batch batch = case_batch(0, CASE_BATCH);
    run_forward(run, &batch);
    run_backward(run, 1, RUN_FIRST);
    float *before = copied(net_gradients(net), net_parameter_count(net));
    net_on_gradient(net, note, &calls);
    run_without_samples(run, RUN_MIDDLE);
    ck_assert_int_eq(calls.count, 0);
    run_without_samples(run, RUN_LAST);
    ck_assert_int_eq(calls.count, 5);
    ck_assert_same_bits("lenet", net_gradients(net), before, net_parameter_count(net));
    run_without_samples(run, RUN_FIRST);
    for (size_t i = 0; i < net_parameter_count(net); i++)
        ck_assert(net_gradients(net)[i] == 0);
    array_free(before);
    run_free(run);
    net_free(net);
}

/* ---- what is refused --------------------------------------------------------------------------------------------------------- */

static Run *
plain_run(const RunOptions *options)
{
    return run_create(case_net(&run_cases[LENET]), options);
}

TEST_ENDS(add_without_room, "run_backward: gradients are added to those there without RUN_FIRST")
{
    Run *run = plain_run(&(RunOptions){.max_batch = 4});
    const Batch batch = case_batch(0, 4);
    run_forward(run, &batch);
    run_backward(run, 1, RUN_LAST);
}

TEST_ENDS(half_without_plan, "RunOptions.splits plans a backward pass in two halves")
{
    Run *run = plain_run(&(RunOptions){.max_batch = 4});
    const Batch batch = case_batch(0, 4);
    run_forward(run, &batch);
    run_backward_inputs(run, 1);
}

TEST_ENDS_CALL(weights_first, "each call needs a run_backward_inputs before it",
               run_backward_weights(plain_run(&(RunOptions){.max_batch = 4, .splits = true}), RUN_ONLY);)

TEST_ENDS(forward_between_the_halves, "run_backward_weights of the batch before it is still to come")
{
    Run *run = plain_run(&(RunOptions){.max_batch = 4, .splits = true});
    const Batch batch = case_batch(0, 4);
    run_forward(run, &batch);
    run_backward_inputs(run, 1);
    run_forward(run, &batch);
}

TEST_ENDS(training_in_an_inference_run, "created for inference alone")
{
    const Batch batch = case_batch(0, 4);
    run_forward(plain_run(&(RunOptions){.max_batch = 4, .inference = true}), &batch);
}

TEST_ENDS_CALL(segment_of_the_input, "the recomputed segment of layers 0 to 3",
               plain_run(&(RunOptions){.max_batch = 4, .recomputed = &(RunSegment){0, 3}, .segments = 1});)

TEST_ENDS(overlapping_segments, "the recomputed segment of layers 3 to 5")
{
    const RunSegment segments[] = {{1, 4}, {3, 5}};
    plain_run(&(RunOptions){.max_batch = 4, .recomputed = segments, .segments = 2});
}

TEST(an_inference_run_is_smaller_and_predicts_the_same)
{
    Net *net = case_net(&run_cases[RESNET20]);
    Run *small = run_create(net, &(RunOptions){.max_batch = CASE_BATCH, .inference = true}),
        *large = run_create(net, &(RunOptions){.max_batch = CASE_BATCH});
    Batch batch = case_batch(0, CASE_BATCH);
    batch.inference = true;
    const double loss = run_forward(small, &batch);
    ck_assert(loss == run_forward(large, &batch));
    ck_assert_same_bits("resnet20", run_output(small), run_output(large), CASE_BATCH * CASE_CLASSES);
    ck_assert_uint_lt(run_memory(small) * 4, run_memory(large));
    run_free(small);
    run_free(large);
    run_free(NULL);
    net_free(net);
}

TEST_MAIN("run")
