/* CUDA's small vectors: float4, uint3, dim3 and so on. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_VECTOR_TYPES_H
#define GPU_EMULATOR_VECTOR_TYPES_H

/* Also where nothing is optimised: what a kernel calls is then attributed to the kernel's line. */
#define EMULATOR_INLINE static inline __attribute__((always_inline, unused))

/* clang-format off */
/* `a[i] = make_float4(..)` is one access on the device. The compiler would write the four floats one by one, and the counters would
 * count four; through a vector it writes them at once. */
#define EMULATOR_ASSIGN(Name, T, n, bytes)                                                                             \
    Name() = default;                                                                                                  \
    Name(const Name &) = default;                                                                                      \
    __attribute__((always_inline)) Name &operator=(const Name &from)                                                   \
    {                                                                                                                  \
        typedef T Lanes __attribute__((vector_size(n * sizeof(T)), aligned(bytes), may_alias));                        \
        *(Lanes *)this = *(const Lanes *)&from;                                                                        \
        return *this;                                                                                                  \
    }

/* Sizes and alignments are those of the device: a float4 is loaded at once, so its address must be a multiple of 16. */
#define EMULATOR_VECTORS(name, T, align2, align4)                                                                      \
    typedef struct name##1 { T x; } name##1;                                                                           \
    typedef struct alignas(align2) name##2 { T x, y; EMULATOR_ASSIGN(name##2, T, 2, align2) } name##2;                 \
    typedef struct name##3 { T x, y, z; } name##3;                                                                     \
    typedef struct alignas(align4) name##4 { T x, y, z, w; EMULATOR_ASSIGN(name##4, T, 4, align4) } name##4;           \
    EMULATOR_INLINE name##1 make_##name##1(T x) { return name##1{x}; }                                                 \
    EMULATOR_INLINE name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                                         \
    EMULATOR_INLINE name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }                                 \
    EMULATOR_INLINE name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

EMULATOR_VECTORS(char, signed char, 2, 4)
EMULATOR_VECTORS(uchar, unsigned char, 2, 4)
EMULATOR_VECTORS(short, short, 4, 8)
EMULATOR_VECTORS(ushort, unsigned short, 4, 8)
EMULATOR_VECTORS(int, int, 8, 16)
EMULATOR_VECTORS(uint, unsigned, 8, 16)
EMULATOR_VECTORS(long, long, 16, 16)
EMULATOR_VECTORS(ulong, unsigned long, 16, 16)
EMULATOR_VECTORS(longlong, long long, 16, 16)
EMULATOR_VECTORS(ulonglong, unsigned long long, 16, 16)
EMULATOR_VECTORS(float, float, 8, 16)
EMULATOR_VECTORS(double, double, 16, 16)

/* Sizes of a grid or a block; what is not said is 1. */
typedef struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
} dim3;

/* clang-format on */
#endif
