/* Networks from a line of text, for tests that go through many of them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_NETS_H
#define TESTS_NETS_H

#include "nn/run.h"

/* "conv6k3p1 relu max2 dense4 softmax": layers, then the loss (softmax or mse).
 *
 *     dense4 sigmoid tanh relu flatten batchnorm layernorm global (average)
 *     conv6k3s2p1d1g2n1     6 channels; kernel, stride, padding, dilation, groups; n1: no bias
 *     max3s2p1c1 avg2       kernel; stride, padding; c1: ceil
 *     drop50                dropout with probability 0.5
 *     twice                 relu(x) + tanh(x)
 *     wide                  relu(x), x and tanh(x) side by side
 *
 * Built. Free with net_free. */
Net *net_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text);

/* Such a net and a run of it, for batches of up to max_batch. Free both with run_free_all. */
Run *run_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text, int max_batch);
void run_free_all(Run *run);

/* The parts of such words. word_is("conv6k3", "conv") is true. */
bool word_is(const char *word, const char *name);
Conv2d conv_from_word(const char *word);
Pool pool_from_word(const char *word);

#endif
