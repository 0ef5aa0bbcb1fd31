/* The device, in plain calls of CUDA's runtime: see device.h. SPDX-License-Identifier: MIT */
#include "gpu/device.h"
#include <cuda_runtime.h>
#include <stdio.h>

bool
gpu_available(char *reason, size_t size)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        snprintf(reason, size, "no CUDA device: %s",
                 error != cudaSuccess ? cudaGetErrorString(error) : "none is visible");
        (void)cudaGetLastError();
        return false;
    }
    return true;
}

void
gpu_properties(GpuProperties *properties)
{
    cudaDeviceProp device;
    *properties = GpuProperties();
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        return;
    snprintf(properties->name, sizeof(properties->name), "%.63s", device.name);
    properties->major = device.major;
    properties->minor = device.minor;
    properties->multiprocessors = device.multiProcessorCount;
    properties->warp = device.warpSize;
    properties->threads_per_block = device.maxThreadsPerBlock;
    properties->threads_per_multiprocessor = device.maxThreadsPerMultiProcessor;
    properties->registers_per_multiprocessor = device.regsPerMultiprocessor;
    properties->memory = device.totalGlobalMem;
    properties->l2 = (size_t)device.l2CacheSize;
    properties->shared_per_block = device.sharedMemPerBlock;
    properties->shared_per_block_most = device.sharedMemPerBlockOptin;
    properties->shared_per_multiprocessor = device.sharedMemPerMultiprocessor;
#if defined(RUNGS_EMULATOR) && !defined(RUNGS_STAND_IN) /* tools/gpu.mk: a test of what a device would be given */
    properties->emulated = true;
#endif
#ifdef RUNGS_CHECKED
    properties->checked = true;
#endif
}

void *
gpu_allocate(size_t bytes)
{
    void *memory = NULL;
    if (bytes == 0)
        return NULL;
    if (cudaMalloc(&memory, bytes) == cudaSuccess)
        return memory;
    (void)cudaGetLastError();
    return NULL;
}

void
gpu_free(void *memory)
{
    (void)cudaFree(memory);
}

/* NULL or the error's text; the error is forgotten. */
static const char *
text_of(cudaError_t error)
{
    if (error == cudaSuccess)
        return NULL;
    (void)cudaGetLastError();
    return cudaGetErrorString(error);
}

const char *
gpu_copy_in(void *device, const void *host, size_t bytes)
{
    return text_of(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

const char *
gpu_copy_out(void *host, const void *device, size_t bytes)
{
    return text_of(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

const char *
gpu_copy(void *to, const void *from, size_t bytes)
{
    const cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
    return text_of(error != cudaSuccess ? error : cudaDeviceSynchronize());
}

const char *
gpu_fill(void *device, int byte, size_t bytes)
{
    const cudaError_t error = cudaMemset(device, byte, bytes);
    return text_of(error != cudaSuccess ? error : cudaDeviceSynchronize());
}

const char *
gpu_synchronize(void)
{
    /* A launch that the device refused is known at once, what went wrong in a kernel when it has ended. */
    const cudaError_t launch = cudaPeekAtLastError();
    const cudaError_t run = cudaDeviceSynchronize();
    return text_of(launch != cudaSuccess ? launch : run);
}

double
gpu_seconds(void (*run)(void *), void *context)
{
    cudaEvent_t begin, end;
    float milliseconds = -1000;
    if (cudaEventCreate(&begin) != cudaSuccess)
        return -1;
    if (cudaEventCreate(&end) == cudaSuccess) {
        (void)cudaEventRecord(begin, 0);
        run(context);
        (void)cudaEventRecord(end, 0);
        if (cudaEventSynchronize(end) != cudaSuccess || cudaEventElapsedTime(&milliseconds, begin, end) != cudaSuccess)
            milliseconds = -1000;
        (void)cudaEventDestroy(end);
    }
    (void)cudaEventDestroy(begin);
    return milliseconds * 1e-3;
}
