/* LAB 03, exercise 03.6. This copy of cpu/pool/01_naive.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=03       points for each exercise, and the first wrong value
 *     make hint LAB=03.6      the next hint for an exercise
 *     make watch LAB=03       grade again whenever this file is saved
 *     make reset LAB=03       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from cpu/pool/01_naive.c; change it there. */
/* pooling, rung 1: naive.
 * Idea      for each channel of each output, go over the pixels of its window; backwards, add to them.
 * Costs     neighbours in memory are channels of one pixel, but the inner loop goes from pixel to pixel: one number is used of each
 *           vector that is loaded. Backwards, dx is first cleared and then read and written for each window that holds it.
 * Wants     nothing.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"
#include <math.h>
#include <string.h>

/* One channel of one window. image: [height][width][channels], from that channel on. */
static float
window_max(const PoolShape *s, Taps down, Taps along, const float *image, int32_t *winner)
{
    const size_t stride = (size_t)s->channels;
    float max = -INFINITY;
    int32_t at = -1;
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step) {
            const int32_t pixel = (int32_t)(h * s->width + w);
            const float x = image[(size_t)pixel * stride];
            if (at < 0 || pool_is_better(x, max)) {
                max = x;
                at = pixel;
            }
        }
    *winner = at;
    return max;
}

void
max_pool_forward_naive(const PoolShape *s, const float *x, float *y, int32_t *winner)
{
    size_t n = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < s->out_height; i++)
            for (int j = 0; j < s->out_width; j++)
                for (int c = 0; c < s->channels; c++, n++) {
                    int32_t at;
                    y[n] = window_max(s, taps_down(s, i), taps_along(s, j), x + pool_image(s, b) + (size_t)c, &at);
                    if (winner != NULL)
                        winner[n] = at;
                }
}

/* EXERCISE 03.6  Max pooling backward (15 min, about 7 lines)
 * dx is all zeros already. For each image b, each of its `outputs` windows o and each channel c, element n = (b outputs + o) C + c
 * of dy and winner belongs to it: add dy[n] to channel c of pixel winner[n] of image b. A winner of -1 means that the window saw no
 * pixel: nothing is added. Image b of dx begins at dx + pool_image(s, b); its pixels have C channels each.
 */
void
max_pool_backward_naive(const PoolShape *s, const float *dy, const int32_t *winner, float *dx)
{
    const size_t outputs = (size_t)s->out_height * (size_t)s->out_width, C = (size_t)s->channels;
    memset(dx, 0, pool_image(s, s->batch) * sizeof(float));
    EXERCISE_NOT_SOLVED("03.6"); /* TODO: about 7 lines */
}

static float
window_sum(const PoolShape *s, Taps down, Taps along, const float *image)
{
    float sum = 0;
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step)
            sum += image[((size_t)h * (size_t)s->width + (size_t)w) * (size_t)s->channels];
    return sum;
}

void
average_pool_forward_naive(const PoolShape *s, const float *x, float *y)
{
    size_t n = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < s->out_height; i++)
            for (int j = 0; j < s->out_width; j++)
                for (int c = 0; c < s->channels; c++, n++) {
                    const Taps down = taps_down(s, i), along = taps_along(s, j);
                    y[n] = window_sum(s, down, along, x + pool_image(s, b) + (size_t)c) * pool_share(down, along);
                }
}

static void
window_add(const PoolShape *s, Taps down, Taps along, float value, float *image)
{
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step)
            image[((size_t)h * (size_t)s->width + (size_t)w) * (size_t)s->channels] += value;
}

void
average_pool_backward_naive(const PoolShape *s, const float *dy, float *dx)
{
    size_t n = 0;
    memset(dx, 0, pool_image(s, s->batch) * sizeof(float));
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < s->out_height; i++)
            for (int j = 0; j < s->out_width; j++)
                for (int c = 0; c < s->channels; c++, n++) {
                    const Taps down = taps_down(s, i), along = taps_along(s, j);
                    window_add(s, down, along, dy[n] * pool_share(down, along), dx + pool_image(s, b) + (size_t)c);
                }
}
