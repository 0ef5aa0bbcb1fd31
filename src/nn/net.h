/* The network: a graph of layers and its parameters, built by calls that read like the paper.
 *
 *     Net *net = net_create(backend, seed);
 *     int x = net_input(net, 8, 8, 1);
 *     x = net_relu(net, net_dense(net, x, 64));
 *     x = net_dense(net, x, 10);
 *     net_softmax_loss(net, x);
 *     net_build(net);                                          // allocates the parameters and draws them
 *     Run *run = run_create(net, &(RunOptions){.max_batch = 32});   // nn/run.h: a batch in flight, its memory planned
 *
 * Every call returns the number of its output, which later calls take. Shapes are inferred. Parameters are one array, gradients
 * another, both in the order of creation, so that a bucket, a shard, a checkpoint and an optimiser step are ranges of one array.
 *
 * A process may hold a range of the layers only (net_build_range): it describes the whole network all the same, and names,
 * numbers of layers, initial weights and dropout masks are those of the whole network.
 * SPDX-License-Identifier: MIT */
#ifndef NN_NET_H
#define NN_NET_H

#include "core/number.h"
#include "core/sliding_window.h"
#include "nn/backend.h"
#include <stdint.h>

typedef struct Net Net;

typedef struct Shape {
    int height, width, channels; /* of one sample: activations are [batch][height][width][channels] */
} Shape;

/* Elements of one sample; at most 2^31 - 1, or the program ends. */
size_t shape_elements(Shape shape);

/* How PyTorch would lay the same numbers out (nn/torch_layout.h). */
typedef enum ParameterLayout {
    LAYOUT_SAME,
    LAYOUT_OF_IMAGE, /* [out][height][width][channels] of a dense layer behind an image: there [out][channels][height][width] */
    LAYOUT_OF_KERNEL /* [KH][KW][IC][OC]: there [OC][IC][KH][KW] */
} ParameterLayout;

/* A named part of the parameter array: "layers.0.weight" [out][in], "layers.0.bias" [out]. Layers are numbered from 0 after the
 * input, those without parameters counted too, so that the names are those of `self.layers = nn.Sequential(...)` in PyTorch:
 * dense, ReLU, dense have the parameters of layers.0 and layers.2. */
typedef struct Parameter {
    char name[64];
    size_t first, count; /* its range in the parameter and gradient arrays */
    NumberType type;     /* as which layers read it; what is stored and trained is always fp32, the master copy */
    int dimensions;
    size_t shape[4];
    /* Of a sharded parameter: shape[shard_dimension] numbers from shard_begin on, of shard_whole; shard_whole 0: it is not
     * sharded. */
    int shard_dimension;
    size_t shard_begin, shard_whole;
    bool held; /* by this process: net_build_ranges */
    ParameterLayout layout;
    Shape image; /* LAYOUT_OF_IMAGE: what a row of the weight stands for */
} Parameter;

/* A convolution: kernel x kernel pixels, zeros around the image. 0 stands for 1 in stride, dilation and groups. */
typedef struct Conv2d {
    int channels, kernel, stride, padding, dilation, groups; /* channels: of its output */
    bool no_bias;
} Conv2d;

/* Pooling over kernel x kernel pixels; stride 0 stands for kernel. padding is at most kernel / 2. With ceil the last window may
 * begin inside and end outside: shapes are those of PyTorch's ceil_mode. */
typedef struct Pool {
    int kernel, stride, padding;
    bool ceil;
} Pool;

/* The seed decides the initial weights (and nothing else): each parameter is drawn unsharded, from a stream of its own. */
Net *net_create(const Backend *backend, uint64_t seed);
void net_free(Net *net);

int net_input(Net *net, int height, int width, int channels);
int net_dense(Net *net, int x, int units); /* y = x w^T + b; x is flattened */
/* The shard's outputs of such a layer, and their rows of w and b: units * index / count .. units * (index + 1) / count - 1. The
 * concatenated outputs of the shards are those of the unsharded layer; so are their weights, which are drawn for the unsharded
 * layer and then sliced. */
typedef struct Shard {
    int index, count;
} Shard;
int net_dense_shard(Net *net, int x, int units, Shard shard);
int net_conv2d(Net *net, int x, Conv2d conv);
int net_maxpool(Net *net, int x, Pool pool);
int net_avgpool(Net *net, int x, Pool pool); /* pixels of the padding count as zeros */
int net_global_avgpool(Net *net, int x);     /* one pixel is left */
int net_batchnorm(Net *net,
                  int x); /* each channel to mean 0 and variance 1 over batch and pixels, times weight, plus bias */
int net_layernorm(Net *net, int x);  /* each pixel's channels to mean 0 and variance 1, times weight, plus bias */
int net_add(Net *net, int a, int b); /* both of one shape */
int net_concat(Net *net, int count, const int *x); /* 2 to 4 values of the same height and width, along the channels */
int net_flatten(Net *net, int x);                  /* the same numbers as one row */
int net_dropout(Net *net, int x,
                float probability); /* zeros with that probability, the others divided by 1 - probability */
int net_sigmoid(Net *net, int x);
int net_tanh(Net *net, int x);
int net_relu(Net *net, int x);
void net_softmax_loss(Net *net, int x); /* mean over the batch of the cross-entropy */
void net_mse_loss(Net *net, int x);     /* mean over the batch of 1/2 ||y - x||^2 */

/* Values of the layers that are added from now on are stored as this type, and their parameters are read as it: both are rounded
 * to it, whatever the arithmetic (float here). What goes into a loss, losses, gradients, running averages and the stored parameters
 * stay fp32. */
void net_number_type(Net *net, NumberType type);

/* Allocates parameters and gradients and draws the weights: He (normal, variance 2 / in) before a ReLU, Xavier (uniform in
 * +-sqrt(6 / (in + out))) otherwise; biases 0. The network must end with a loss. */
void net_build(Net *net);

/* Layers first .. last - 1, 0 <= first < last <= net_layer_count; layer 0 is the input. */
typedef struct LayerRange {
    int first, last;
} LayerRange;

/* The same for the layers of some ranges alone. The arrays, and the parameters and averages that the calls below count, are then
 * those of these layers. */
void net_build_ranges(Net *net, const LayerRange *ranges, int count);
void net_build_range(Net *net, int first, int last);

/* The values that cross a cut before layer `cut` (1 .. net_layer_count): made before it, read by it or a layer behind it. Returns
 * how many, at most NET_BOUNDARY; their numbers, ascending, in values. A cut inside a residual block has two. */
enum { NET_BOUNDARY = 16 };
int net_boundary(const Net *net, int cut, int values[NET_BOUNDARY]);

/* Whether a gradient of this value comes back over a cut: parameters stand at or before it. */
bool net_value_learns(const Net *net, int value);

/* Synchronised batch normalisation: statistics are those of the global batch; they equal those of one process with all of it
 * but for rounding. exchange is not owned; NULL (the default): each process uses the statistics of its own local batch. In the
 * host's memory only. */
typedef struct Exchange Exchange; /* nn/exchange.h */
void net_exchange(Net *net, const Exchange *exchange);

/* Called when gradients[first .. first+count-1] have their final value: the last layer comes first (nn/run.h says when). */
typedef void NetGradientHook(void *context, size_t first, size_t count);
void net_on_gradient(Net *net, NetGradientHook *hook, void *context);

Shape net_output_shape(const Net *net); /* of the loss: its probabilities, or what went into it */
Shape net_input_shape(const Net *net);

/* What a layer is, also before net_build: for tables and counts. */
typedef enum LayerKind { LAYER_OTHER, LAYER_CONVOLUTION, LAYER_DENSE, LAYER_POOLING } LayerKind;
typedef struct LayerInfo {
    const char *type; /* "conv2d", "relu", .. */
    LayerKind kind;
    int inputs, input[4];
    Shape shape;       /* of its output, of one sample; height 0: it has none */
    NumberType stored; /* its output, as */
    size_t parameters; /* trained numbers */
    bool held;         /* by this process; all before net_build_ranges */
    Conv2d conv;       /* of a convolution, defaults filled in; else zeros */
    Pool pool;         /* of pooling windows, defaults filled in; else zeros */
} LayerInfo;
int net_layer_count(const Net *net); /* the input counts as layer 0 */
LayerInfo net_layer_info(const Net *net, int i);

/* Another name for the parameters of the layer that made value x: "conv1" makes them conv1.weight and conv1.bias. Returns x. */
int net_name(Net *net, int x, const char *name);

size_t net_parameter_count(const Net *net); /* length of both arrays */
/* These arrays, and that of net_averages, are in the backend's memory: nn/host_view.h lets the host see them. */
float *net_parameters(Net *net);
float *net_gradients(Net *net);
int net_parameter_tensors(const Net *net); /* how many named parts */
const Parameter *net_parameter(const Net *net, int i);

/* Running averages: numbers that belong to the network and to its checkpoints but have no gradient. Named and laid out as
 * parameters are, in an array of their own. */
size_t net_average_count(const Net *net);
float *net_averages(Net *net);
int net_average_tensors(const Net *net);
const Parameter *net_average(const Net *net, int i);

const Backend *net_backend(const Net *net);

/* Named parts of the whole network, where ranges were built, too: names and shapes. `first` means something for held ones only. */
int net_whole_parameter_tensors(const Net *net);
const Parameter *net_whole_parameter(const Net *net, int i);
int net_whole_average_tensors(const Net *net);
const Parameter *net_whole_average(const Net *net, int i);
size_t net_whole_parameter_count(const Net *net); /* numbers in all of them */

/* Whether this process has all layers. */
bool net_is_whole(const Net *net);

/* Prints a table of the layers: shape, parameters. */
void net_print(const Net *net);

#endif
