/* Activations and their gradients, element by element: see kernels.h. cpu/activation/activation.h has the formulas.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

/* Each function is a type, so that one kernel serves all of them. */
struct Sigmoid {
    static __device__ float
    value(float x)
    {
        return 1 / (1 + expf(-x)); /* -x large: expf is infinite, the value 0 */
    }
    static __device__ float
    gradient(float y, float dy)
    {
        return dy * (y * (1 - y));
    }
};

struct Tanh {
    static __device__ float
    value(float x)
    {
        return tanhf(x);
    }
    static __device__ float
    gradient(float y, float dy)
    {
        return dy * (1 - y * y);
    }
};

struct Relu {
    static __device__ float
    value(float x)
    {
        return x < 0 ? 0 : x; /* NaN stays NaN */
    }
    static __device__ float
    gradient(float y, float dy)
    {
        return y > 0 ? dy : y; /* 0 or NaN */
    }
};

template <typename Activation>
static __global__ void
activation(size_t n, const float *x, float *y)
{
    const size_t i = element_number();
    if (i < n)
        y[i] = Activation::value(x[i]);
}

template <typename Activation>
static __global__ void
activation_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    const size_t i = element_number();
    if (i < n)
        dx[i] = Activation::gradient(y[i], dy[i]);
}

void
launch_sigmoid(size_t n, const float *x, float *y)
{
    if (n > 0)
        activation<Sigmoid><<<element_blocks(n), ELEMENT_THREADS>>>(n, x, y);
}

void
launch_tanh(size_t n, const float *x, float *y)
{
    if (n > 0)
        activation<Tanh><<<element_blocks(n), ELEMENT_THREADS>>>(n, x, y);
}

void
launch_relu(size_t n, const float *x, float *y)
{
    if (n > 0)
        activation<Relu><<<element_blocks(n), ELEMENT_THREADS>>>(n, x, y);
}

void
launch_sigmoid_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    if (n > 0)
        activation_gradient<Sigmoid><<<element_blocks(n), ELEMENT_THREADS>>>(n, y, dy, dx);
}

void
launch_tanh_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    if (n > 0)
        activation_gradient<Tanh><<<element_blocks(n), ELEMENT_THREADS>>>(n, y, dy, dx);
}

void
launch_relu_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    if (n > 0)
        activation_gradient<Relu><<<element_blocks(n), ELEMENT_THREADS>>>(n, y, dy, dx);
}
