/* CIFAR-10: 60,000 photographs of 32 x 32 pixels in three colours, ten classes. Six files of records:
 *
 *     byte 0              label, 0 .. 9
 *     1 .. 1024           red, row by row
 *     1025 .. 2048        green
 *     2049 .. 3072        blue
 *
 * Source: A. Krizhevsky, "The CIFAR-10 dataset", www.cs.toronto.edu/~kriz/cifar.html, section "Binary version".
 * SPDX-License-Identifier: MIT */
#ifndef DATA_CIFAR10_H
#define DATA_CIFAR10_H

#include "data/dataset.h"

/* Reads data_batch_1.bin .. data_batch_5.bin, which train, and test_batch.bin, raw or .gz, from the folder
 * data_folder()/cifar10/cifar-10-batches-bin. Pixels are put into our order, [height][width][colour], values 0 .. 255. Any
 * number of complete records is taken; an incomplete record, or another label, is refused. */
bool cifar10_open(Dataset *dataset, Error *error);

#endif
