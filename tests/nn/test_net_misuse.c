/* Networks that cannot be: each wrong call ends the program with a sentence that says which and why.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "tests/capture.h"
#include "tests/nets.h"
#include "tests/testing.h"
#include <limits.h>

static Net *
begin(void)
{
    Net *net = net_create(cpu_backend("naive", NULL), 1);
    net_input(net, 1, 1, 3);
    return net;
}

static Run *
classifier(void)
{
    return run_from_text(cpu_backend("naive", NULL), 1, (Shape){1, 1, 3}, "dense2 softmax", 2);
}

static const float x[9];

TEST_ENDS_CALL(dense_before_input, "net_dense: there is no value 0",
               net_dense(net_create(cpu_backend("naive", NULL), 1), 0, 2);)
TEST_ENDS_CALL(value_of_the_future, "net_relu: there is no value 7", net_relu(begin(), 7);)
TEST_ENDS_CALL(negative_value, "net_tanh: there is no value -1", net_tanh(begin(), -1);)
TEST_ENDS_CALL(second_input, "the network has an input already", net_input(begin(), 1, 1, 1);)
TEST_ENDS_CALL(empty_input, "net_input: 0 x 1 x 1", net_input(net_create(cpu_backend("naive", NULL), 1), 0, 1, 1);)
TEST_ENDS_CALL(huge_input, "does not fit",
               net_input(net_create(cpu_backend("naive", NULL), 1), INT_MAX, INT_MAX, INT_MAX);)
TEST_ENDS_CALL(no_units, "net_dense: 0 units", net_dense(begin(), 0, 0);)
TEST_ENDS_CALL(two_losses, "the network ends with its loss", Net *net = begin(); net_mse_loss(net, 0);
               net_softmax_loss(net, 0);)
TEST_ENDS_CALL(layer_after_the_loss, "the network ends with its loss", Net *net = begin(); net_mse_loss(net, 0);
               net_sigmoid(net, 0);)
TEST_ENDS_CALL(no_loss, "the network has no loss", net_build(begin());)
TEST_ENDS_CALL(built_twice, "net_build was called already", net_build(run_net(classifier()));)
TEST_ENDS_CALL(layer_after_build, "net_build was called already", net_relu(run_net(classifier()), 0);)
TEST_ENDS_CALL(empty_plan, "run_create: batches of up to 0 samples: at least 1 is needed",
               run_from_text(cpu_backend("naive", NULL), 1, (Shape){1, 1, 3}, "mse", 0);)
TEST_ENDS_CALL(value_that_nobody_reads, "nothing reads value 1 (dense)", Net *net = begin(); net_dense(net, 0, 2);
               net_mse_loss(net, 0); net_build(net);)
TEST_ENDS_CALL(batch_too_large, "a batch of 3 samples; run_create planned for 1 to 2",
               run_forward(classifier(), &(Batch){3, x, (int[]){0, 0, 0}, NULL});)
TEST_ENDS_CALL(empty_batch, "a batch of 0 samples", run_forward(classifier(), &(Batch){0, x, NULL, NULL});)
TEST_ENDS_CALL(batch_without_x, "the batch has no x", run_forward(classifier(), &(Batch){1, NULL, NULL, NULL});)
TEST_ENDS_CALL(run_before_build, "call net_build first", run_create(begin(), &(RunOptions){.max_batch = 1});)
TEST_ENDS_CALL(label_too_large, "label 2 of sample 1 is not one of the network's 2 classes, 0 to 1",
               run_forward(classifier(), &(Batch){2, x, (int[]){0, 2}, NULL});)
TEST_ENDS_CALL(label_negative, "label -1 of sample 0", run_forward(classifier(), &(Batch){2, x, (int[]){-1, 1}, NULL});)
TEST_ENDS_CALL(targets_for_classes, "softmax loss wants labels, not targets",
               run_forward(classifier(), &(Batch){1, x, NULL, x});)
TEST_ENDS_CALL(labels_for_mse, "mse loss wants targets, not labels",
               run_forward(run_from_text(cpu_backend("naive", NULL), 1, (Shape){1, 1, 3}, "mse", 1),
                           &(Batch){1, x, (int[]){0}, NULL});)
TEST_ENDS_CALL(backward_first, "needs a run_forward with labels", run_backward(classifier(), 1, RUN_ONLY);)
TEST_ENDS_CALL(backward_after_prediction, "needs a run_forward with labels", Run *run = classifier();
               run_forward(run, &(Batch){1, x, NULL, NULL}); run_backward(run, 1, RUN_ONLY);)
TEST_ENDS_CALL(backward_twice, "needs a run_forward with labels", Run *run = classifier();
               run_forward(run, &(Batch){1, x, (int[]){0}, NULL}); run_backward(run, 1, RUN_ONLY);
               run_backward(run, 1, RUN_ONLY);)
TEST_ENDS_CALL(output_first, "there is none before the first run_forward", run_output(classifier());)
TEST_ENDS_CALL(no_such_parameter, "there is no parameter 2, the network has 2",
               net_parameter(run_net(classifier()), 2);)

TEST_MAIN("net misuse")
