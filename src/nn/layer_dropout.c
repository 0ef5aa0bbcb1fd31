/* Dropout (Srivastava et al. 2014): while training, each number is replaced by 0 with probability p and the others are divided by
 * 1 - p, so that their sum stays the same on average and inference has nothing to do.
 *
 * Which ones: a random number for each element, counted by seed, step and the element's index in the global batch. So the mask
 * needs no memory (backward draws it again), and it is the same for any number of threads or ranks.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/layer.h"

/* Random streams of the seed: "DROP" and the step. Elements of one layer are numbered below 2^48, layers above that. */
#define DROPOUT_STREAM 0x44524f5000000000U

static void
apply(const Pass *pass, const float *x, float *y)
{
    const size_t n = pass_elements(pass);
    const uint64_t first =
        ((uint64_t)pass->layer->number << 48) + pass->first_sample * shape_elements(pass->layer->shape);
    if (pass->inference || pass->layer->options.probability <= 0)
        pass->backend->copy(1, n, x, n, y, n);
    else
        pass->backend->dropout(n, x, y, pass->layer->options.probability, pass->seed, DROPOUT_STREAM + pass->step,
                               first);
}

static void
dropout_forward(const Pass *pass)
{
    apply(pass, pass->x[0], pass->y);
}

static void
dropout_backward(const Pass *pass)
{
    apply(pass, pass->dy, pass->dx[0]);
}

static const LayerType dropout_type = {.name = "dropout",
                                       .shape = layer_same_shape,
                                       .forward = dropout_forward,
                                       .backward_inputs = dropout_backward,
                                       .passes_on = true};

int
net_dropout(Net *net, int x, float probability)
{
    CHECK_THAT(probability >= 0 && probability < 1, "net_dropout: probability %g: expected 0 or more, and less than 1",
               (double)probability);
    return net_append(net, &dropout_type, "net_dropout", 1, &x, (LayerOptions){.probability = probability});
}
