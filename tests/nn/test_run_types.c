/* Values stored as bf16 or fp16, parameters read as such: what the layers see is rounded, what is trained is fp32, and memory is
 * planned in bytes.
 * SPDX-License-Identifier: MIT */
#include "core/bf16.h"
#include "core/fp16.h"
#include "nn/optimizer.h"
#include "tests/nn/run_case.h"

static float
rounded(NumberType type, float x)
{
    return type == NUMBER_BF16 ? bf16_to_float(bf16_from_float(x)) : fp16_to_float(fp16_from_float(x));
}

/* fp16 against its definition: (-1)^s 2^(e - 15) (1 + f / 1024), below the smallest normal number 2^-14 f / 1024. */
TEST(fp16_is_ieee_half_precision)
{
    for (int i = 0; i < 65536; i++) {
        const int e = i >> 10 & 31, f = i & 1023;
        const double size = e == 0 ? ldexp(f, -24) : ldexp(1024 + f, e - 25), want = i & 0x8000 ? -size : size;
        const float got = fp16_to_float((Fp16)i);
        if (e == 31) {
            ck_assert(f == 0 ? isinf(got) && !!signbit(got) == i >> 15 : isnan(got));
            ck_assert(f == 0 ? fp16_from_float(got) == i : isnan(fp16_to_float(fp16_from_float(got))));
            continue;
        }
        ck_assert_msg(got == want && !!signbit(got) == i >> 15, "fp16 %04x is %g, expected %g", (unsigned)i,
                      (double)got, want);
        ck_assert_int_eq(fp16_from_float(got), i);
        /* Half-way to the next number, which may be infinity at 65520: to the even one; a little more and less: not. */
        const float next = e == 30 && f == 1023 ? (i & 0x8000 ? -65536.F : 65536.F) : fp16_to_float((Fp16)(i + 1));
        const float middle = (got + next) / 2;
        ck_assert_int_eq(fp16_from_float(middle), i + (i & 1));
        ck_assert_int_eq(fp16_from_float(nextafterf(middle, got)), i);
        ck_assert_int_eq(fp16_from_float(nextafterf(middle, next)), i + 1);
    }
    ck_assert_int_eq(fp16_from_float(1e-30F), 0);
    ck_assert_int_eq(fp16_from_float(-3e38F), 0xfc00);
}

/* y = x w^T + b, 1/2 |y - t|^2, of a network whose hidden value and weights are narrow, by hand. */
TEST(layers_read_rounded_numbers)
{
    for (NumberType type = NUMBER_BF16; type <= NUMBER_FP16; type++) {
        Net *net = net_create(cpu_backend("naive", NULL), 3);
        int x = net_input(net, 1, 1, 1);
        net_number_type(net, type);
        x = net_dense(net, x, 1);
        x = net_dense(net, x, 1);
        net_mse_loss(net, x);
        net_build(net);
        Run *run = run_create(net, &(RunOptions){.max_batch = 1});
        float *w = net_parameters(net), input = 1.2345678F;
        w[0] = 0.7654321F, w[1] = 0.1111111F, w[2] = -1.3333333F, w[3] = 0.0123456F;
        run_forward(run, &(Batch){.size = 1, .x = &input, .targets = (float[]){0.5F}});
        const float hidden = rounded(type, fmaf(input, rounded(type, w[0]), rounded(type, w[1])));
        const float y = fmaf(hidden, rounded(type, w[2]), rounded(type, w[3])), dy = y - 0.5F;
        ck_assert_float_eq_tol(run_output(run)[0], y, 1e-7F); /* what goes into the loss is not rounded */
        ck_assert(run_output(run)[0] != rounded(type, y));
        run_backward(run, 1, RUN_ONLY);
        const float *dw = net_gradients(net);
        ck_assert_float_eq_tol(dw[2], dy * hidden, 1e-6F); /* gradients are not rounded */
        ck_assert_float_eq_tol(dw[3], dy, 1e-6F);
        ck_assert_float_eq_tol(dw[0], dy * rounded(type, w[2]) * input, 1e-6F);
        ck_assert(w[0] == 0.7654321F); /* the master copy is untouched */
        ck_assert_int_eq(net_parameter(net, 0)->type, type);
        ck_assert_int_eq(net_layer_info(net, 1).stored, type);
        ck_assert_int_eq(net_layer_info(net, 2).stored, NUMBER_FP32);
        run_free(run);
        net_free(net);
    }
}

/* A step too small for bf16's 8 bits moves the master copy all the same, and many of them move what the layers read. */
TEST(small_steps_are_not_lost)
{
    Net *net = net_create(cpu_backend("naive", NULL), 3);
    net_number_type(net, NUMBER_FP32);
    int x = net_input(net, 1, 1, 1);
    net_number_type(net, NUMBER_BF16);
    x = net_dense(net, x, 1);
    net_mse_loss(net, x);
    net_build(net);
    Run *run = run_create(net, &(RunOptions){.max_batch = 1});
    Optimizer *sgd = optimizer_create(net_backend(net), OPTIMIZER_SGD, optimizer_defaults(), net_parameter_count(net));
    float *w = net_parameters(net);
    w[0] = 1, w[1] = 0;
    const Batch batch = {.size = 1, .x = (float[]){1}, .targets = (float[]){2}};
    run_forward(run, &batch);
    const float before = run_output(run)[0];
    for (int s = 0; s < 40; s++) {
        run_forward(run, &batch);
        ck_assert(s > 0 || run_output(run)[0] == before);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(sgd, w, net_gradients(net), 1e-3);
        ck_assert(s > 0 || (w[0] > 1 && rounded(NUMBER_BF16, w[0]) == 1));
    }
    run_forward(run, &batch);
    ck_assert(run_output(run)[0] > before);
    optimizer_free(sgd);
    run_free(run);
    net_free(net);
}

/* LeNet and a residual network in bf16: near the fp32 one, not equal to it; with runs in flight and recomputation the bits of one
 * run; in about half the memory where values are kept. */
TEST(networks_in_bf16)
{
    for (int c = 0; c < RUN_CASES; c++) {
        Net *net = case_describe(&run_cases[c], NUMBER_BF16);
        net_build(net);
        const Batch batch = case_batch(0, CASE_BATCH);
        CaseResult fp32 = case_whole(&run_cases[c], &(RunOptions){.max_batch = CASE_BATCH});
        float *averages = copied(net_averages(net), net_average_count(net));
        CaseResult results[2];
        for (int again = 0; again < 2; again++) {
            const RunSegment segment = {2, net_layer_count(net) - 1};
            memcpy(net_averages(net), averages, net_average_count(net) * sizeof(float));
            Run *run =
                run_create(net, &(RunOptions){.max_batch = CASE_BATCH, .recomputed = &segment, .segments = again});
            const double loss = run_forward(run, &batch);
            run_backward(run, 1, RUN_ONLY);
            results[again] = case_result(net, loss);
            run_free(run);
        }
        ck_assert_same_result(run_cases[c].name, &results[1], &results[0]);
        ck_assert_double_eq_tol(results[0].loss, fp32.loss, 0.05);
        ck_assert(results[0].loss != fp32.loss);
        array_free(averages);
        for (int i = 0; i < 2; i++)
            case_result_free(&results[i]);
        case_result_free(&fp32);
        net_free(net);
    }
}

/* A dense layer in fp32 and 20 sigmoids, whose backward pass reads their y. All are there when the last sigmoids go backward: with
 * fp32, 20 y and dy of two; with bf16 19 y of half the size, the last one, which is the output and stays fp32, dy of two, and
 * room to widen one y. */
TEST(memory_is_planned_in_bytes)
{
    enum { WIDTH = 64, BATCH = 16, DEPTH = 20, VALUE = WIDTH * BATCH * 4 };
    static const size_t want[] = {(DEPTH + 2) * VALUE, (DEPTH - 1) * VALUE / 2 + VALUE + 2 * VALUE + VALUE};
    for (NumberType type = NUMBER_FP32; type <= NUMBER_BF16; type++) {
        Net *net = net_create(NULL, 1);
        int x = net_dense(net, net_input(net, 1, 1, WIDTH), WIDTH);
        net_number_type(net, type);
        for (int l = 0; l < DEPTH; l++)
            x = net_sigmoid(net, x);
        net_mse_loss(net, x);
        ck_assert_uint_eq(run_memory_planned(net, 0, net_layer_count(net), &(RunOptions){.max_batch = BATCH}),
                          want[type]);
        net_free(net);
    }
}

TEST_MAIN("run types")
