/* The mean loss of a network, computed by the definitions of its layers, in double, on one thread: what finite differences need.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_REFERENCE_NET_H
#define TESTS_REFERENCE_NET_H

#include "nn/net.h"

/* layers: as in tests/nets.h, ending with softmax, without dropout. x [batch] images of `input`; parameters as net_parameters()
 * lays them out. Normalisation takes the statistics of the batch. */
double reference_loss(const char *layers, Shape input, int batch, const float *x, const int *labels,
                      const double *parameters);

#endif
