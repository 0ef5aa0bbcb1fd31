/* nvcuda::wmma: fragments of 16 x 16 x 16 (also 32 x 8 x 16 and 8 x 32 x 16) half and __nv_bfloat16, of 16 x 16 x 8 TF32; sums in
 * float. See gpu/emulator/fragments.h. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_MMA_H
#define GPU_EMULATOR_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "gpu/emulator/fragments.h"

namespace nvcuda
{
namespace wmma
{

struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
struct row_major {
};
struct col_major {
};
namespace precision
{
struct tf32 {
};
} // namespace precision
enum layout_t { mem_row_major, mem_col_major };

/* What stands in x[], and how it is multiplied. */
template <typename T> struct Element;
template <> struct Element<half> {
    typedef half Storage;
    static constexpr EmulatorElement kind = ELEMENT_HALF;
};
template <> struct Element<__nv_bfloat16> {
    typedef __nv_bfloat16 Storage;
    static constexpr EmulatorElement kind = ELEMENT_BFLOAT;
};
template <> struct Element<precision::tf32> {
    typedef float Storage;
    static constexpr EmulatorElement kind = ELEMENT_TF32;
};
template <> struct Element<float> {
    typedef float Storage;
    static constexpr EmulatorElement kind = ELEMENT_FLOAT;
};

template <typename Use, int m, int n, int k> struct Shape;
template <int m, int n, int k> struct Shape<matrix_a, m, n, k> {
    static constexpr int rows = m, columns = k;
};
template <int m, int n, int k> struct Shape<matrix_b, m, n, k> {
    static constexpr int rows = k, columns = n;
};
template <int m, int n, int k> struct Shape<accumulator, m, n, k> {
    static constexpr int rows = m, columns = n;
};

template <typename Layout> constexpr bool along_columns = false;
template <> inline constexpr bool along_columns<col_major> = true;

template <typename Use, int m, int n, int k, typename T, typename Layout = void> struct fragment {
    typedef typename Element<T>::Storage element_type;
    enum { num_elements = Shape<Use, m, n, k>::rows * Shape<Use, m, n, k>::columns / 32 };
    element_type x[num_elements];

    static constexpr EmulatorFragment kind = {Shape<Use, m, n, k>::rows, Shape<Use, m, n, k>::columns, Element<T>::kind,
                                              along_columns<Layout>};
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
__attribute__((always_inline)) inline void
fill_fragment(fragment<Use, m, n, k, T, Layout> &f, Value value)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = value;
}

/* A pointer to what the fragment stores: floats for TF32. */
template <typename Use, int m, int n, int k, typename T, typename Layout>
__attribute__((always_inline)) inline void
load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f, const typename Element<T>::Storage *memory, unsigned step)
{
    emulator_fragment_load(&f.kind, f.x, memory, step, along_columns<Layout>);
}

template <int m, int n, int k, typename T>
__attribute__((always_inline)) inline void
load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *memory, unsigned step, layout_t layout)
{
    emulator_fragment_load(&f.kind, f.x, memory, step, layout == mem_col_major);
}

template <int m, int n, int k, typename T>
__attribute__((always_inline)) inline void
store_matrix_sync(T *memory, const fragment<accumulator, m, n, k, T> &f, unsigned step, layout_t layout)
{
    emulator_fragment_store(&f.kind, f.x, memory, step, layout == mem_col_major);
}

template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename C, typename D>
__attribute__((always_inline)) inline void
mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a,
         const fragment<matrix_b, m, n, k, T, LayoutB> &b, const fragment<accumulator, m, n, k, C> &c)
{
    EmulatorProduct product = {a.kind, b.kind, c.kind, d.kind, a.x, b.x, c.x, d.x, nullptr};
    emulator_multiply(&product);
}

__attribute__((always_inline)) inline float
__float_to_tf32(float value)
{
    return emulator_to_tf32(value);
}

} // namespace wmma
} // namespace nvcuda

#endif
