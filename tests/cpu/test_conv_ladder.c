/* The table of conv: its rungs and peers are right on shapes of networks, and broken versions are rejected, also by the wider
 * tolerance of Winograd's rungs.
 * SPDX-License-Identifier: MIT */
#include "core/bf16.h"
#include "core/host.h"
#include "cpu/conv/conv.h"
#include "tests/cpu/ladder_case.h"

/* B, H, W, C, O, kernel, stride, padding. */
static const int sizes[][LADDER_DIMENSIONS] = {{0, 8, 8, 4, 4, 3, 1, 1},     {1, 1, 1, 1, 1, 1, 1, 0},
                                               {2, 9, 7, 3, 5, 3, 1, 1},     {1, 30, 30, 3, 64, 7, 2, 3},
                                               {2, 14, 14, 64, 64, 3, 1, 1}, {1, 14, 14, 128, 64, 3, 2, 1},
                                               {2, 14, 14, 64, 32, 1, 2, 0}, {3, 7, 7, 17, 33, 1, 1, 0},
                                               {1, 7, 7, 256, 64, 3, 1, 1},  {4, 28, 28, 32, 48, 3, 1, 1}};

TEST(the_ladder_verifies_its_rungs_and_peers)
{
    Ladder ours = conv_ladder;
    while (ours.rungs[ours.count - 1].peer)
        ours.count--;
    for (int s = 0; s < COUNT(sizes); s++) {
        host_set_threads(s % 3 + 1);
        ladder_check(sizes[s][0] == 0 ? &ours : &conv_ladder, sizes[s], false);
    }
}

TEST(a_result_of_the_round_before_is_wrong)
{
    const int size[LADDER_DIMENSIONS] = {2, 9, 8, 16, 20, 3, 1, 1};
    for (int r = 0; r < conv_ladder.count; r++)
        if (rung_accepts(&conv_ladder.rungs[r], size, &error) && !conv_ladder.rungs[r].peer)
            ck_assert_uint_ge(ladder_old_wrong(&conv_ladder, size, &conv_ladder.rungs[r], 1), 2 * 9 * 8 * 20 - 20);
}

/* ---- broken versions ---- */

static size_t
outputs(const ConvShape *s)
{
    return (size_t)s->batch * (size_t)conv_out_height(s) * (size_t)conv_out_width(s) * (size_t)s->out_channels;
}

static void
zeros(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    (void)x, (void)w, (void)epilogue;
    memset(y, 0, sizeof(float) * outputs(s));
}

static void
no_last_pixel(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    conv_direct(s, x, w, epilogue, y);
    for (int o = 0; o < s->out_channels; o++)
        y[outputs(s) - 1 - (size_t)o] = NAN;
}

static void
one_too_many(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    conv_direct(s, x, w, epilogue, y);
    y[outputs(s)] = 1.0f;
}

static void
turned_kernel(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    const size_t row = (size_t)s->channels * (size_t)s->out_channels;
    float turned[9 * 64 * 16];
    for (size_t tap = 0; tap < 9; tap++)
        memcpy(turned + tap * row, w + (8 - tap) * row, sizeof(float) * row);
    conv_direct(s, x, turned, epilogue, y);
}

static void
sixteen_bits(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    conv_direct(s, x, w, epilogue, y);
    for (size_t i = 0; i < outputs(s); i++)
        y[i] = bf16_to_float(bf16_from_float(y[i]));
}

TEST(every_wrong_version_is_rejected)
{
    static const struct {
        const char *name;
        ConvForward *function;
    } wrongs[] = {{"zeros", zeros},
                  {"no last pixel", no_last_pixel},
                  {"one too many", one_too_many},
                  {"turned kernel", turned_kernel},
                  {"sixteen bits", sixteen_bits}};
    const int size[LADDER_DIMENSIONS] = {1, 9, 8, 64, 16, 3, 1, 1};
    for (int r = 0; r < conv_ladder.count; r++) /* with the tolerance of each rung */
        for (int i = 0; i < 5; i++)
            ladder_rejects(&conv_ladder, size,
                           &(Rung){.name = wrongs[i].name,
                                   .function = (LadderFunction *)wrongs[i].function,
                                   .tolerance_factor = conv_ladder.rungs[r].tolerance_factor});
}

TEST(impossible_sizes_are_refused)
{
    ladder_refuses(&conv_ladder, (int[LADDER_DIMENSIONS]){1, 8, 8, 4, 4, 0, 1, 1}, "kernel 0");
    ladder_refuses(&conv_ladder, (int[LADDER_DIMENSIONS]){1, 8, 8, 4, 4, 3, 0, 1}, "stride 0");
    ladder_refuses(&conv_ladder, (int[LADDER_DIMENSIONS]){-1, 8, 8, 4, 4, 3, 1, 1}, "must be 0 or more");
    ladder_refuses(&conv_ladder, (int[LADDER_DIMENSIONS]){2000000000, 2000000000, 2000000000, 4, 4, 3, 1, 1},
                   "elements");
}

TEST_MAIN("conv_ladder")
