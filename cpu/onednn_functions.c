/* See onednn_functions.h. SPDX-License-Identifier: MIT */
#include "cpu/onednn_functions.h"
#include "cpu/onednn.h"

enum { CPU = 1, IN_ORDER = 1 };

struct OnednnFunctions onednn;

/* Every function is looked up by its name behind dnnl_; false with a sentence if one is missing. */
#define FIND(pointer, name) ((pointer = (__typeof__(pointer))onednn_function("dnnl_" name, error)) != NULL)

static bool
find_functions(Error *error)
{
    const bool by_version = onednn.version3
                                ? FIND(onednn.describe, "memory_desc_create_with_strides") &&
                                      FIND(onednn.describe_any, "memory_desc_create_with_tag") &&
                                      FIND(onednn.choose3, "convolution_forward_primitive_desc_create") &&
                                      FIND(onednn.choose_dx3, "convolution_backward_data_primitive_desc_create") &&
                                      FIND(onednn.choose_dw3, "convolution_backward_weights_primitive_desc_create") &&
                                      FIND(onednn.destroy_description, "memory_desc_destroy")
                                : FIND(onednn.describe, "memory_desc_init_by_strides") &&
                                      FIND(onednn.describe_any, "memory_desc_init_by_tag") &&
                                      FIND(onednn.describe_conv2, "dilated_convolution_forward_desc_init") &&
                                      FIND(onednn.describe_dx2, "dilated_convolution_backward_data_desc_init") &&
                                      FIND(onednn.describe_dw2, "dilated_convolution_backward_weights_desc_init") &&
                                      FIND(onednn.choose2, "primitive_desc_create");
    return by_version && FIND(onednn.choose_reorder, "reorder_primitive_desc_create") &&
           FIND(onednn.query_tensor, "primitive_desc_query_md") && FIND(onednn.tensor_bytes, "memory_desc_get_size") &&
           FIND(onednn.query, "primitive_desc_query") && FIND(onednn.create, "primitive_create") &&
           FIND(onednn.create_memory, "memory_create") && FIND(onednn.move_memory, "memory_set_data_handle") &&
           FIND(onednn.memory_at, "memory_get_data_handle") && FIND(onednn.execute, "primitive_execute") &&
           FIND(onednn.wait, "stream_wait") && FIND(onednn.destroy_chosen, "primitive_desc_destroy") &&
           FIND(onednn.destroy_primitive, "primitive_destroy") && FIND(onednn.destroy_memory, "memory_destroy");
}

bool
onednn_functions_load(Error *error)
{
    const int *(*version)(void) = NULL; /* major, minor, patch, .. */
    int (*create_engine)(void **, int, size_t) = NULL, (*create_stream)(void **, void *, unsigned) = NULL;
    if (onednn.stream != NULL)
        return true;
    if (!FIND(version, "version") || !FIND(create_engine, "engine_create") || !FIND(create_stream, "stream_create"))
        return false;
    onednn.version3 = version()[0] >= 3;
    return find_functions(error) && ((create_engine(&onednn.engine, CPU, 0) == ONEDNN_SUCCESS &&
                                      create_stream(&onednn.stream, onednn.engine, IN_ORDER) == ONEDNN_SUCCESS) ||
                                     error_set(error, "oneDNN gives no stream for the processor"));
}
