/* Errors, the device's properties, streams and events: see runtime_api.h. SPDX-License-Identifier: MIT */
#include "gpu/emulator/runtime.h"
#include "gpu/emulator/limits.h"
#include "gpu/emulator/observe.h"
#include <map>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <time.h>

static std::mutex &lock = *new std::mutex;
typedef std::lock_guard<std::mutex> Locked;
static cudaError_t last_error, launch_error;
/* The sentence of the last launch that failed, and the error that it explains; cudaSuccess: none. */
static char launch_text[1024];
static cudaError_t explained;

/* ---- errors ------------------------------------------------------------------------------------------ */

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no device was found"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device number"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid handle"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "the kernel failed"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "not supported"},
};

cudaError_t
runtime_error(cudaError_t error)
{
    Locked locked(lock);
    last_error = error;
    if (explained == error)
        explained = cudaSuccess;
    return error;
}

void
runtime_launch_error(cudaError_t error, const char *text)
{
    Locked locked(lock);
    if (launch_error != cudaSuccess)
        return;
    last_error = launch_error = explained = error;
    snprintf(launch_text, sizeof(launch_text), "%s", text);
}

cudaError_t
runtime_pending()
{
    Locked locked(lock);
    return launch_error;
}

cudaError_t
cudaGetLastError()
{
    Locked locked(lock);
    const cudaError_t error = last_error;
    last_error = launch_error = cudaSuccess;
    return error;
}

cudaError_t
cudaPeekAtLastError()
{
    Locked locked(lock);
    return last_error;
}

const char *
cudaGetErrorName(cudaError_t error)
{
    for (const auto &known : errors)
        if (known.error == error)
            return known.name;
    return "an error that the emulator does not know";
}

const char *
cudaGetErrorString(cudaError_t error)
{
    if (error != cudaSuccess && error == explained)
        return launch_text;
    for (const auto &known : errors)
        if (known.error == error)
            return known.text;
    return "an error that the emulator does not know";
}

/* ---- the device -------------------------------------------------------------------------------------- */

cudaError_t
cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : runtime_error(cudaErrorInvalidDevice);
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device != 0)
        return runtime_error(cudaErrorInvalidDevice);
    size_t available;
    memset(properties, 0, sizeof(*properties));
    snprintf(properties->name, sizeof(properties->name), "emulator (results right, times meaningless)");
    cudaMemGetInfo(&available, &properties->totalGlobalMem);
    properties->sharedMemPerBlock = EMULATOR_SHARED;
    properties->sharedMemPerBlockOptin = EMULATOR_SHARED_OPTIN;
    properties->sharedMemPerMultiprocessor = 228 * 1024;
    properties->reservedSharedMemPerBlock = 1024;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = EMULATOR_WARP;
    properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = EMULATOR_MAX_THREADS;
    properties->maxThreadsDim[2] = EMULATOR_MAX_Z;
    properties->maxGridSize[0] = EMULATOR_MAX_GRID;
    properties->maxGridSize[1] = properties->maxGridSize[2] = EMULATOR_MAX_GRID_YZ;
    properties->major = 9;
    properties->multiProcessorCount = 132;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->l2CacheSize = 50 << 20;
    properties->memoryBusWidth = 5120;
    return cudaSuccess;
}

cudaError_t
cudaDeviceSynchronize()
{
    return runtime_pending();
}

cudaError_t
cudaDeviceReset()
{
    return cudaSuccess;
}

static std::map<const void *, size_t> &dynamic_limits = *new std::map<const void *, size_t>;

cudaError_t
cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > EMULATOR_SHARED_OPTIN)
        return runtime_error(cudaErrorInvalidValue);
    Locked locked(lock);
    dynamic_limits[kernel] = (size_t)value;
    return cudaSuccess;
}

size_t
runtime_shared_limit(const void *kernel)
{
    Locked locked(lock);
    const auto entry = dynamic_limits.find(kernel);
    return entry != dynamic_limits.end() && entry->second > EMULATOR_SHARED ? entry->second : (size_t)EMULATOR_SHARED;
}

/* ---- streams and events ------------------------------------------------------------------------------- */

struct EmulatorStream {
    unsigned flags;
};
struct EmulatorEvent {
    struct timespec when;
};

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = new EmulatorStream{flags};
    return cudaSuccess;
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
    return runtime_pending();
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    delete stream;
    return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new EmulatorEvent();
    return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    return cudaSuccess;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t)
{
    return runtime_pending();
}

cudaError_t
cudaEventQuery(cudaEvent_t)
{
    return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const double seconds = (double)(end->when.tv_sec - start->when.tv_sec);
    *milliseconds = (float)(seconds * 1e3 + (double)(end->when.tv_nsec - start->when.tv_nsec) * 1e-6);
    return cudaSuccess;
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}
