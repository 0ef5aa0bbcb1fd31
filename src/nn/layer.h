/* What a layer is: a table of functions (LayerType), and what the network keeps for each (Layer). Only the files of src/nn/ that
 * make up the network include this.
 *
 * How to add a layer
 *   1. src/nn/layer_<name>.c: a LayerType with shape, forward and the two halves of backward, and the building call net_<name>().
 *   2. src/nn/net.h: the declaration of net_<name>(); LayerOptions below: what it has to remember.
 *   3. A mathematical operation that no kernel offers yet becomes a member of nn/backend.h and a kernel in cpu/.
 *   4. tests/nets.c: a word for it; tests/reference_net.c: what it is by definition. Then one line each in
 *      tests/golden/make_golden.py and tests/nn/test_image_gradients.c, and both check it.
 * SPDX-License-Identifier: MIT */
#ifndef NN_LAYER_H
#define NN_LAYER_H

#include "nn/exchange.h"
#include "nn/run.h"

typedef struct Layer Layer;

enum { LAYER_INPUTS = 4, LAYER_PARAMETERS = 2 };

/* Everything a layer's forward or backward works with. Arrays are [size][elements of one sample]; those that a call has not
 * declared that it reads are NULL. */
typedef struct Pass {
    const Backend *backend;
    const Exchange *exchange; /* NULL: the batch is this process's alone */
    const Layer *layer;
    int size;                                 /* samples in the batch */
    const float *x[LAYER_INPUTS];             /* its inputs */
    float *y;                                 /* its output */
    const float *parameter[LAYER_PARAMETERS]; /* in the order in which shape() declared them */
    float *average[LAYER_PARAMETERS]; /* running averages, the same way; NULL in recomputation, which moves none */
    void *kept;                       /* what forward leaves for backward beside y: see Layer.kept_fixed */
    bool inference;
    uint64_t seed, step, first_sample; /* for random numbers */
    /* A loss reads these and writes *loss, the sum over the samples. NULL for prediction. */
    const int *labels;
    const float *targets;
    double *loss;
    /* Backward only. dx[i] is NULL where it is not needed. What is not NULL is overwritten, never added to. */
    const float *dy; /* NULL for a loss */
    float *dx[LAYER_INPUTS];
    float *gradient[LAYER_PARAMETERS];
    float scale; /* a loss multiplies its gradient by this: 1 / size and the caller's */
} Pass;

typedef enum LayerLoss { LAYER_NO_LOSS, LAYER_LOSS_OF_LABELS, LAYER_LOSS_OF_TARGETS } LayerLoss;

typedef struct LayerType {
    const char *name;
    LayerKind kind;
    /* From layer->input_shape and ->options: sets layer->shape, declares parameters by layer_parameter(). */
    void (*shape)(Net *net, Layer *layer);
    void (*forward)(const Pass *pass);
    /* The backward pass has two halves, which may run at different times, weights first or inputs first: dx from dy, and the
     * gradients of the parameters from dy. A layer with parameters and no backward_weights makes these in backward_inputs, too. */
    void (*backward_inputs)(const Pass *pass);
    void (*backward_weights)(const Pass *pass);
    /* What must still be there; other memory is used again earlier. */
    bool inputs_read_x, inputs_read_y, weights_read_x;
    bool rectifies; /* half of what comes in is lost: He initialisation before it */
    bool passes_on; /* its output has the spread of its input: the layer behind it decides that */
    bool exchanges; /* it communicates: other processes wait for it also where this one has no samples */
    LayerLoss loss;
} LayerType;

/* What the building call was given. A layer uses its own member. */
typedef union LayerOptions {
    Shape shape; /* input */
    struct {
        int units, first, whole; /* this shard's outputs, from number first on, of the unsharded layer's */
    } dense;
    Activation activation;
    Conv2d conv;
    Pool pool;
    float probability; /* dropout */
} LayerOptions;

struct Layer {
    const LayerType *type;
    LayerOptions options;
    int number; /* in the order of creation: also the number of its output */
    int inputs; /* how many */
    int input[LAYER_INPUTS];
    Shape input_shape[LAYER_INPUTS];
    Shape shape;                     /* of its output, of one sample; height 0: it has none */
    Shape image;                     /* the same numbers before they were made a row; else equal to shape */
    Shape input_image;               /* that of its first input */
    int first_parameter, parameters; /* its range among the network's named parts */
    size_t first, count;             /* its range in the parameter and gradient arrays */
    int first_average, averages;     /* its range among the named running averages */
    size_t kept_fixed,
        kept_each;       /* floats that forward leaves for backward: a fixed number, and a number for each sample */
    NumberType stored;   /* its output, and how its parameters are read */
    int readers;         /* layers that read the output */
    bool held;           /* by this process: net_build_ranges */
    bool needs_gradient; /* of its output: there are parameters at or before it. The input's never is */
};

/* Appends a layer that reads input[0 .. inputs-1], each the number of an earlier value; returns its own. `call` is the name of
 * the building call, for messages. */
int net_append(Net *net, const LayerType *type, const char *call, int inputs, const int *input, LayerOptions options);

/* How a parameter starts. The fans are the numbers of terms in a sum of the layer, and of the sums that a value enters. */
typedef enum ParameterStart { START_ZERO, START_ONE, START_WEIGHT } ParameterStart;

/* Declares the parameter "layers.<n>.<name>" of the given dimensions: it joins the end of the array. */
void layer_parameter(Net *net, Layer *layer, const char *name, int dimensions, const size_t *shape,
                     ParameterStart start, size_t fan_in, size_t fan_out);

/* The parameter declared last is a shard along its first dimension: rows of the `whole` unsharded ones, from number first on. */
void layer_shard(Net *net, size_t first, size_t whole);

/* Declares the running average "layers.<n>.<name>" [count]. */
void layer_average(Net *net, Layer *layer, const char *name, size_t count, ParameterStart start);

/* The parameter declared last is laid out differently in PyTorch. image: for LAYOUT_OF_IMAGE. */
void layer_layout(Net *net, ParameterLayout layout, Shape image);

/* y takes the shape of the first input, and means the same. */
void layer_same_shape(Net *net, Layer *layer);

/* Ends the program if the input is an image that was made a row: the order of its numbers, and so of parameters that belong to
 * them one by one, is not PyTorch's. */
void layer_refuse_row(const Layer *layer, const char *call);

/* Where dx goes; dy's place, which is free then, if dx is not needed. For kernels that cannot leave it out. */
float *pass_dx(const Pass *pass);

/* Elements of its output, of the whole batch. */
size_t pass_elements(const Pass *pass);

#endif
