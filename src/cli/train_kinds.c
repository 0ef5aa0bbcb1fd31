/* What `rungs train` can train, and what suits it. The defaults of mlp were found on validation parts (--validation 0.1),
 * never on test parts; those of the convolutional networks are first choices that nobody has tuned. SPDX-License-Identifier: MIT */
#include "cli/train_network.h"

#define ROWS(table) .defaults_count = sizeof(table) / sizeof((table)[0]), .defaults = (table)

static const TrainDefaults mlp_defaults[] = {
    {"digits", {"--hidden=128", "--epochs=40", "--batch=32", "--lr=0.003", "--normalize=range"}},
    {"iris", {"--hidden=8", "--epochs=60", "--batch=8", "--lr=0.01", "--normalize=standard"}},
    {"mnist", {"--hidden=128", "--epochs=10", "--batch=64", "--lr=0.003", "--normalize=range"}},
    {"fashion", {"--hidden=128", "--epochs=10", "--batch=64", "--lr=0.003", "--normalize=range"}},
    {"files", {"--hidden=64", "--epochs=40", "--batch=32", "--lr=0.003", "--normalize=standard"}},
};

const TrainKind train_mlp_kind = {
    .name = "mlp",
    .command = "rungs train mlp",
    .summary = "train a multi-layer perceptron on images or a table",
    .examples = "  rungs train mlp --data digits --hidden 64,32 --schedule cosine\n"
                "  rungs train mlp --data iris --optimizer sgd --lr 0.1 --csv iris.csv\n"
                "  rungs train mlp --data mnist --save mnist.safetensors --resume mnist.safetensors",
    .first_data = "digits",
    ROWS(mlp_defaults),
};

static const TrainDefaults lenet_defaults[] = {
    {"digits", {"--epochs=40", "--batch=32", "--lr=0.003", "--normalize=range"}},
    {"mnist", {"--epochs=10", "--batch=64", "--lr=0.002", "--normalize=range"}},
    {"fashion", {"--epochs=10", "--batch=64", "--lr=0.002", "--normalize=range"}},
    {"cifar10", {"--epochs=20", "--batch=64", "--lr=0.001", "--normalize=range"}},
    {"files", {"--epochs=20", "--batch=64", "--lr=0.001", "--normalize=range"}},
};

const TrainKind train_lenet_kind = {
    .name = "lenet",
    .command = "rungs train lenet",
    .summary = "train LeNet-5, a small convolutional network, on images",
    .examples = "  rungs train lenet --data digits --schedule cosine\n"
                "  rungs train lenet --data mnist --kernels naive --epochs 1\n"
                "  rungs train lenet --data mnist --test 0.2 --save lenet.safetensors",
    .first_data = "digits",
    .build = lenet_build,
    .smallest = 8,
    ROWS(lenet_defaults),
};

static const TrainDefaults vgg_small_defaults[] = {
    {"cifar10", {"--epochs=20", "--batch=64", "--lr=0.001", "--normalize=range"}},
    {"files", {"--epochs=10", "--batch=64", "--lr=0.001", "--normalize=range"}},
};

const TrainKind train_vgg_small_kind = {
    .name = "vgg-small",
    .command = "rungs train vgg-small",
    .summary = "train a small VGG, six convolutions with batch normalisation, on images",
    .examples = "  rungs train vgg-small --data cifar10 --schedule cosine\n"
                "  rungs train vgg-small --data digits",
    .first_data = "cifar10",
    .build = vgg_small_build,
    .smallest = 8,
    ROWS(vgg_small_defaults),
};
