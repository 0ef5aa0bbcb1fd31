/* How much work a network is: multiplications, numbers and bytes, counted from shapes alone. Nothing is run or allocated for it.
 *
 * What is counted
 *   weights      numbers that multiply something in a convolution or dense layer. Not biases, not normalisations.
 *   parameters   everything that is trained: weights, biases, the factors and terms of normalisations.
 *   MACs         multiplications, each with its addition, of convolutions and dense layers. All other layers do a few operations
 *                for each number that passes, a few percent of the work at most. A convolution uses each of its weights once
 *                for every pixel of its output (pixels of the padding are multiplied too), and a dense layer is one pixel:
 *
 *                    MACs = weights * H' * W' = (IC / groups) * K * K * OC * H' * W'          for one sample
 *
 *   backward     the gradient of the weights and that of the input multiply the same pairs as forward does: twice the work.
 *                Where nothing before a layer is trained its input's gradient is not needed: the first layer does it once.
 *   bytes        4 for each number, 2 for an activation stored as bf16 or fp16. Weights: the parameters. Activations: the input and
 *                every layer's output for the whole batch, as if none was overwritten; training plans them into less. Gradients:
 *                one for each parameter, and one for each activation that depends on a parameter. Not counted: what an optimiser
 *                keeps.
 *   intensity    flops of the forward pass for each byte, if every layer reads its inputs and parameters from memory and
 *                writes its output there once: two flops for each MAC.
 * SPDX-License-Identifier: MIT */
#ifndef NN_WORK_H
#define NN_WORK_H

#include "nn/net.h"
#include <stdint.h>

/* Of a layer, or the sum of several. MACs and bytes are those of the whole batch. */
typedef struct Work {
    int layers;
    uint64_t weights, parameters;
    uint64_t forward, weight_gradient, input_gradient;       /* MACs */
    uint64_t weight_bytes, activation_bytes, gradient_bytes; /* in memory */
    uint64_t moved_bytes;                                    /* between memory and processor, forward */
} Work;

typedef struct LayerWork {
    LayerInfo info;
    Work work;
} LayerWork;

typedef struct NetWork {
    int batch;
    int layers; /* the input counts */
    LayerWork *layer;
    Work convolutions, dense, all;
    int depth; /* convolutions on the longest way from the input to the output */
} NetWork;

/* Counts a network, built or not, for a batch of 1 to 2^20 samples. Free with net_work_free. */
NetWork net_work(const Net *net, int batch);
void net_work_free(NetWork *work);

uint64_t work_backward(const Work *work); /* MACs */
double work_intensity(const Work *work);  /* flops for each byte; 0 where nothing is multiplied */

#endif
