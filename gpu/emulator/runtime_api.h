/* The subset of CUDA's runtime that the project uses, on the host's memory. Numbers of errors and names are CUDA's.
 * Everything is over when a call returns: streams and asynchronous copies only have their names.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_RUNTIME_API_H
#define GPU_EMULATOR_RUNTIME_API_H

#include "gpu/emulator/vector_types.h"
#include <stddef.h>

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801
} cudaError_t;

/* Returns the last error and forgets it (cudaPeekAtLastError does not forget). After a kernel has failed, cudaDeviceSynchronize and
 * the copies return its error until then; a device would need a new process. */
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t error);
/* Of the last failed launch it is the emulator's own sentence: which threads wait where. */
const char *cudaGetErrorString(cudaError_t error);

/* ---- memory ------------------------------------------------------------------------------------------ */

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
} cudaMemcpyKind;
typedef struct EmulatorStream *cudaStream_t;
enum {
    cudaHostAllocDefault = 0,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDefault = 0,
    cudaEventDisableTiming = 2
};

cudaError_t cudaMalloc(void **address, size_t bytes);
cudaError_t cudaFree(void *address);
cudaError_t cudaMallocHost(void **address, size_t bytes);
cudaError_t cudaFreeHost(void *address);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *address, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *address, int byte, size_t bytes, cudaStream_t stream = nullptr);

template <typename T>
cudaError_t
cudaMalloc(T **address, size_t bytes)
{
    return cudaMalloc((void **)address, bytes);
}

template <typename T>
cudaError_t
cudaMallocHost(T **address, size_t bytes)
{
    return cudaMallocHost((void **)address, bytes);
}

/* __constant__ and __device__ variables are variables of the library. */
cudaError_t emulator_copy_symbol(void *to, const void *from, size_t bytes, size_t symbol_bytes, size_t offset);

template <typename T>
cudaError_t
cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                   cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return emulator_copy_symbol((char *)&symbol + offset, from, bytes, sizeof(symbol), offset);
}

template <typename T>
cudaError_t
cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                     cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    return emulator_copy_symbol(to, (const char *)&symbol + offset, bytes, sizeof(symbol), offset);
}

/* ---- devices, streams, events ---------------------------------------------------------------------------- */

typedef struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor,
        reservedSharedMemPerBlock;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], major,
        minor;
    int multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, l2CacheSize, memoryBusWidth;
} cudaDeviceProp;

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;

typedef struct EmulatorEvent *cudaEvent_t;

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
template <typename T>
cudaError_t
cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamDestroy(cudaStream_t stream);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

#endif
