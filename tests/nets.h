/* Networks from a line of text, for tests that go through many of them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_NETS_H
#define TESTS_NETS_H

#include "nn/net.h"

/* "dense4 relu dense3 softmax": layers, then the loss (softmax or mse). "twice" is relu(x) + tanh(x), so that a value is read
 * by two layers; the addition is a layer of the tests' own (tests/nets.c), which shows what a layer needs at least.
 * Built for batches of up to max_batch. Free with net_free. */
Net *net_from_text(const Backend *backend, uint64_t seed, Shape input, const char *text, int max_batch);

/* y = a + b, both of one shape. */
int net_test_sum(Net *net, int a, int b);

#endif
