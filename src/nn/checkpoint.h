/* Checkpoints: all that a training needs to go on as if it had never stopped, in one safetensors file.
 *
 *     tensors    history.loss, history.validation, history.rate     F64 [epochs done]
 *                input.mean, input.scale                            F32 [features]: x' = (x - mean) * scale
 *                layers.0.weight, layers.0.bias, ..                 F32: the network
 *                optimizer.m.layers.0.weight, ..                    F32: the optimiser's state
 *     metadata   format, epochs, epoch, step, loss_sum              where the run stands (nn/train.h)
 *                and the caller's settings: data, hidden, seed, ..  what the run is
 *                crc32.layers.0.weight, ..                          a checksum of each tensor (nn/checksum.h)
 *
 * The random numbers need no state of their own: they are counted (core/rng.h), and the order of an epoch follows from
 * seed and epoch. Two runs that stand at the same place write the same bytes: no date, no time, no machine is in them.
 * PyTorch opens the file with safetensors.torch.load_file: weights have its shapes and order (nn/torch_layout.h).
 * SPDX-License-Identifier: MIT */
#ifndef NN_CHECKPOINT_H
#define NN_CHECKPOINT_H

#include "data/dataset.h"
#include "nn/tensor_list.h"
#include "nn/train.h"

typedef struct Checkpoint {
    const char *path;
    Trainer *trainer;
    const Normalizer
        *normalizer;          /* what was done to the data; only saved, for who uses the weights later. NULL: none */
    const Metadata *settings; /* what else decides the result: each must be equal when the run goes on */
    size_t setting_count;
    TensorHolder holder; /* which tensors this process has; zeros: all */
} Checkpoint;

/* Writes the complete file or nothing: whatever happens, the older one stays good until the new one is complete. Collective
 * where the trainer has a process group: rank 0 writes (nn/group_file.h), and if that fails all ranks have its sentence. */
bool checkpoint_save(const Checkpoint *checkpoint, Error *error);

/* Reads a file and checks that it is a checkpoint of ours whose tensors are what their checksums say. The caller may look
 * at its metadata before it builds the trainer, and frees it with safetensors_free. */
bool checkpoint_open(const char *path, Safetensors *file, Error *error);

/* Puts the trainer where the file's run stood; each rank takes the tensors that it holds. Refused with one sentence: other
 * settings, another network or optimiser, or another number of epochs where it would have changed the rates of the steps that
 * are done. After a refusal the trainer is good for nothing but trainer_free. */
bool checkpoint_restore(const Checkpoint *checkpoint, const Safetensors *file, Error *error);

#endif
