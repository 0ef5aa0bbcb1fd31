/* Times of one operation on the CPU and on a GPU, predicted and measured. In seconds; NaN: not known.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_COMPARE_H
#define GPU_COMPARE_H

#include "gpu/emulator/gpu_specs.h"
#include "gpu/ladders.h"

/* What a GPU's time is predicted from. */
typedef struct GpuModel {
    const GpuSpecs *gpu;
    double link;   /* bytes/s between host and device, one way at a time */
    double launch; /* seconds from a launch to its end if there is nothing to do */
    double copy;   /* seconds of a copy of nothing */
    int copies;    /* of an operation: its inputs and its output */
} GpuModel;

/* link: bytes/s; 0: 80 % of what the GPU's PCIe carries. */
GpuModel compare_model(const GpuSpecs *gpu, double link);

/* "PCIe 5.0 x16" */
const char *compare_link_name(const GpuSpecs *gpu);

/* The roofline with peaks measured now: operations at the peak, or bytes from where they fit. */
double compare_predict_cpu(const Operation *operation, const int *size, int threads, const Machine *machine);

/* The roofline with the peaks of data sheets, and a launch. copied: also all inputs to the device and the output back. */
double compare_predict_gpu(const Operation *operation, const int *size, const GpuModel *model, bool copied);

/* Of the fastest rung that is as exact as the operation asks for and no library, verified before: the median of a few calls.
 * Fills rung with its index. NaN with a sentence. */
double compare_measure(const Ladder *ladder, const int *size, int threads, uint64_t seed, int *rung, Error *error);

/* On the device, from inputs in the host's memory to the output there: the median of a few times. */
double compare_measure_copied(const Ladder *bound, int rung, const int *size, uint64_t seed, Error *error);

/* What is compared, and where. */
typedef struct Comparer {
    const Ladder *cpu, *device; /* device: bound to one; NULL: there is none */
    Machine machine;
    GpuModel model;
    int threads;
    uint64_t seed;
} Comparer;

enum { CPU_PREDICTED, CPU_MEASURED, GPU_PREDICTED, GPU_COPIED_PREDICTED, GPU_MEASURED, GPU_COPIED_MEASURED, TIMES };
typedef struct Compared {
    int size[LADDER_DIMENSIONS];
    double seconds[TIMES];
} Compared;

/* Fills in the seconds of row->size; a call that is predicted to take long is not measured. False with a sentence. */
bool compare_size(const Comparer *c, Compared *row, Error *error);

/* The first of the rows at which the GPU should be faster; count: none. Behind the first one, size becomes the size between it and
 * the row before from which on it should be. */
int compare_crossing(const Comparer *c, const Compared *rows, int count, bool copied, int *size);

#endif
