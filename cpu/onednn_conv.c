/* See onednn_conv.h. Functions and numbers are those of oneapi/dnnl/dnnl.h and dnnl_types.h of 2.6.3 and 3.2, as in onednn.c.
 * SPDX-License-Identifier: MIT */
#include "cpu/onednn_conv.h"
#include "core/array.h"
#include "core/checked.h"
#include "cpu/onednn_functions.h"
#include <string.h>

enum { ALGORITHM_AUTO = 3, FLOATS = 3, TAG_ANY = 1, QUERY_IMPLEMENTATION = 8 };
enum { FORWARD_TRAINING = 64, FORWARD_INFERENCE = 96 };
enum { ARGUMENT_FROM = 1, ARGUMENT_TO = 17 };
enum { X, W, Y, TENSORS, IMAGE = 4 /* dimensions of a tensor */ };

/* Of x, w and y. The query of a gradient is the next number, its argument 128 more. */
static const int queries[TENSORS] = {129, 131, 133}, argument_names[TENSORS] = {1, 33, 17};
enum { GRADIENT_QUERY = 1, GRADIENT_ARGUMENT = 128 };

/* The caller of version 2 holds the descriptions of tensors (696 bytes in 2.6.3) and of the convolution (5976). */
typedef union Description {
    void *version3;
    uint64_t version2[1024];
} Description;

/* The same numbers in our layout and in oneDNN's, and what converts them. */
typedef struct Tensor {
    void *ours, *theirs, *convert;
    size_t bytes; /* of theirs */
} Tensor;

struct OnednnConv {
    int output;             /* X, W or Y */
    int arguments[TENSORS]; /* what oneDNN calls the tensors */
    Tensor tensor[TENSORS];
    void *primitive;
    const char *name;
};

static const void *
of(const Description *description)
{
    return onednn.version3 ? description->version3 : description;
}

static void
forget(Description description[TENSORS])
{
    for (int i = 0; onednn.version3 && i < TENSORS; i++)
        if (description[i].version3 != NULL)
            onednn.destroy_description(description[i].version3);
}

/* Sizes in oneDNN's order, N C H W and O I H W, with the strides of our layouts. */
static bool
describe(const ConvShape *s, Description ours[TENSORS], Description any[TENSORS])
{
    const int64_t B = s->batch, H = s->height, L = s->width, C = s->channels, O = s->out_channels;
    const int64_t KH = s->window.vertical.kernel, KW = s->window.horizontal.kernel;
    const int64_t OH = conv_out_height(s), OW = conv_out_width(s);
    const int64_t size[TENSORS][12] = {{B, C, H, L}, {O, C, KH, KW}, {B, O, OH, OW}};
    const int64_t step[TENSORS][12] = {
        {H * L * C, 1, L * C, C}, {1, O, KW * C * O, C * O}, {OH * OW * O, 1, OW * O, O}};
    bool done = true;
    for (int i = 0; i < TENSORS; i++)
        done = done && onednn.describe(&ours[i], IMAGE, size[i], FLOATS, step[i]) == ONEDNN_SUCCESS &&
               onednn.describe_any(&any[i], IMAGE, size[i], FLOATS, TAG_ANY) == ONEDNN_SUCCESS;
    return done;
}

/* The window as oneDNN wants it. */
typedef struct Steps {
    int64_t strides[12], dilations[12], padding[12];
} Steps;

static bool
choose_forward(const Steps *s, const Description any[TENSORS], int kind, void **chosen)
{
    Description conv;
    if (onednn.version3)
        return onednn.choose3(chosen, onednn.engine, kind, ALGORITHM_AUTO, of(&any[X]), of(&any[W]), NULL, of(&any[Y]),
                              s->strides, s->dilations, s->padding, s->padding, NULL) == ONEDNN_SUCCESS;
    return onednn.describe_conv2(&conv, kind, ALGORITHM_AUTO, &any[X], &any[W], NULL, &any[Y], s->strides, s->dilations,
                                 s->padding, s->padding) == ONEDNN_SUCCESS &&
           onednn.choose2(chosen, &conv, NULL, onednn.engine, NULL) == ONEDNN_SUCCESS;
}

/* hint: a choice for forward. */
static bool
choose_gradient(const Steps *s, const Description any[TENSORS], bool of_weights, const void *hint, void **chosen)
{
    Description conv;
    if (onednn.version3 && of_weights)
        return onednn.choose_dw3(chosen, onednn.engine, ALGORITHM_AUTO, of(&any[X]), of(&any[W]), NULL, of(&any[Y]),
                                 s->strides, s->dilations, s->padding, s->padding, hint, NULL) == ONEDNN_SUCCESS;
    if (onednn.version3)
        return onednn.choose_dx3(chosen, onednn.engine, ALGORITHM_AUTO, of(&any[X]), of(&any[W]), of(&any[Y]),
                                 s->strides, s->dilations, s->padding, s->padding, hint, NULL) == ONEDNN_SUCCESS;
    const int failed = of_weights ? onednn.describe_dw2(&conv, ALGORITHM_AUTO, &any[X], &any[W], NULL, &any[Y],
                                                        s->strides, s->dilations, s->padding, s->padding)
                                  : onednn.describe_dx2(&conv, ALGORITHM_AUTO, &any[X], &any[W], &any[Y], s->strides,
                                                        s->dilations, s->padding, s->padding);
    return failed == ONEDNN_SUCCESS && onednn.choose2(chosen, &conv, NULL, onednn.engine, hint) == ONEDNN_SUCCESS;
}

static bool
choose(OnednnConvKind kind, const ConvShape *shape, const Description any[TENSORS], void **chosen)
{
    const WindowAxis v = shape->window.vertical, u = shape->window.horizontal;
    const Steps s = {{v.stride, u.stride}, {v.dilation - 1, u.dilation - 1}, {v.padding, u.padding}};
    void *hint = NULL;
    if (kind == ONEDNN_CONV)
        return choose_forward(&s, any, FORWARD_INFERENCE, chosen);
    const bool done = choose_forward(&s, any, FORWARD_TRAINING, &hint) &&
                      choose_gradient(&s, any, kind == ONEDNN_CONV_WEIGHT_GRADIENT, hint, chosen);
    if (hint != NULL)
        onednn.destroy_chosen(hint);
    return done;
}

/* Memory in oneDNN's layout, and a conversion from ours, or to it. */
static bool
tensor_create(Tensor *tensor, const void *ours, const void *theirs, bool to_ours)
{
    void *const allocate = (void *)SIZE_MAX; /* DNNL_MEMORY_ALLOCATE */
    void *chosen = NULL;
    tensor->bytes = onednn.tensor_bytes(theirs);
    const bool done = onednn.choose_reorder(&chosen, to_ours ? theirs : ours, onednn.engine, to_ours ? ours : theirs,
                                            onednn.engine, NULL) == ONEDNN_SUCCESS &&
                      onednn.create(&tensor->convert, chosen) == ONEDNN_SUCCESS &&
                      onednn.create_memory(&tensor->ours, ours, onednn.engine, NULL) == ONEDNN_SUCCESS &&
                      onednn.create_memory(&tensor->theirs, theirs, onednn.engine, allocate) == ONEDNN_SUCCESS;
    if (chosen != NULL)
        onednn.destroy_chosen(chosen);
    return done;
}

OnednnConv *
onednn_conv_create(OnednnConvKind kind, const ConvShape *shape, Error *error)
{
    Description ours[TENSORS] = {{0}}, any[TENSORS] = {{0}};
    void *chosen = NULL;
    if (!onednn_functions_load(error))
        return NULL;
    OnednnConv *conv = ARRAY(OnednnConv, 1);
    conv->output = kind == ONEDNN_CONV ? Y : kind == ONEDNN_CONV_INPUT_GRADIENT ? X : W;
    bool done = shape->groups == 1 && describe(shape, ours, any) && choose(kind, shape, any, &chosen) &&
                onednn.create(&conv->primitive, chosen) == ONEDNN_SUCCESS &&
                onednn.query(chosen, QUERY_IMPLEMENTATION, 0, &conv->name) == ONEDNN_SUCCESS;
    for (int i = 0; i < TENSORS && done; i++) {
        const bool gradient = kind != ONEDNN_CONV && (i == Y || i == conv->output);
        const void *theirs = onednn.query_tensor(chosen, queries[i] + gradient * GRADIENT_QUERY, 0);
        conv->arguments[i] = argument_names[i] + gradient * GRADIENT_ARGUMENT;
        done = tensor_create(&conv->tensor[i], of(&ours[i]), theirs, i == conv->output);
    }
    forget(ours);
    forget(any);
    if (chosen != NULL)
        onednn.destroy_chosen(chosen);
    if (done)
        return conv;
    onednn_conv_free(conv);
    error_set(error, "oneDNN has no convolution of this shape");
    return NULL;
}

static void
run(const void *primitive, int count, const OnednnArgument *arguments)
{
    const int failed = onednn.execute(primitive, onednn.stream, count, arguments);
    CHECK_THAT(failed == ONEDNN_SUCCESS && onednn.wait(onednn.stream) == ONEDNN_SUCCESS, "oneDNN returned %d", failed);
}

static void
convert(const Tensor *tensor, const float *at, bool to_ours)
{
    onednn.move_memory(tensor->ours, (void *)at);
    run(tensor->convert, 2,
        (const OnednnArgument[]){{ARGUMENT_FROM, to_ours ? tensor->theirs : tensor->ours},
                                 {ARGUMENT_TO, to_ours ? tensor->ours : tensor->theirs}});
}

void
onednn_conv_set(OnednnConv *conv, const float *first, const float *second)
{
    const Tensor *output = &conv->tensor[conv->output];
    void *at = NULL;
    convert(&conv->tensor[conv->output == X ? W : X], first, false);
    convert(&conv->tensor[conv->output == Y ? W : Y], second, false);
    CHECK_ZERO(onednn.memory_at(output->theirs, &at));
    memset(at, 0xff, output->bytes); /* NaN */
}

void
onednn_conv_run(OnednnConv *conv)
{
    OnednnArgument argument[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        argument[i] = (OnednnArgument){conv->arguments[i], conv->tensor[i].theirs};
    run(conv->primitive, TENSORS, argument);
}

void
onednn_conv_get(OnednnConv *conv, float *output)
{
    convert(&conv->tensor[conv->output], output, true);
}

void
onednn_conv_free(OnednnConv *conv)
{
    if (conv == NULL)
        return;
    for (int i = 0; i < TENSORS; i++) {
        const Tensor *t = &conv->tensor[i];
        if (t->ours != NULL)
            onednn.destroy_memory(t->ours);
        if (t->theirs != NULL)
            onednn.destroy_memory(t->theirs);
        if (t->convert != NULL)
            onednn.destroy_primitive(t->convert);
    }
    if (conv->primitive != NULL)
        onednn.destroy_primitive(conv->primitive);
    array_free(conv);
}

const char *
onednn_conv_name(const OnednnConv *conv)
{
    return conv->name;
}
