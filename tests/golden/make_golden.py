#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden_networks.h, golden_images.h, golden_optimizers.h and golden_trainings.h: what PyTorch computes for small
networks, optimisers and schedules, and where it comes in many steps of a training.

For maintainers, when a layer, loss or optimiser is added: a line in NETWORKS, IMAGE_NETWORKS or OPTIMIZERS, then

    python3 tests/golden/make_golden.py

Everything is computed in double precision. Inputs and weights are numbers that a float holds exactly, so that the C code
starts from the very same values; results are rounded once, at the end. tests/nn/test_golden*.c include the headers.
"""
import contextlib
import copy
import os
import re
import textwrap
import warnings

warnings.filterwarnings("ignore")  # torch without numpy warns at import
import torch  # noqa: E402

SEED, BATCH, INPUTS, OUTPUTS = 20, 3, 5, 4

# name: layers of an nn.Sequential, then the loss. "twice" is x -> relu(x) + tanh(x): a value that two layers read.
NETWORKS = {
    "dense_mse": "dense4 mse",
    "sigmoid_mse": "dense4 sigmoid mse",
    "tanh_mse": "dense4 tanh mse",
    "relu_mse": "dense4 relu mse",
    "dense_softmax": "dense4 softmax",
    "sigmoid_deep_mse": "dense6 sigmoid dense5 sigmoid dense4 sigmoid mse",
    "tanh_deep_softmax": "dense6 tanh dense5 tanh dense4 softmax",
    "relu_deep_softmax": "dense7 relu dense5 relu dense4 softmax",
    "twice_softmax": "dense6 twice dense4 softmax",
    "activation_first": "tanh dense4 softmax",
}

# Networks of images: tests/nets.h says what the words mean. Parameters and x are written in our order: NHWC, [KH][KW][IC][OC].
IMAGE_BATCH, HEIGHT, WIDTH, CHANNELS, IMAGE_OUTPUTS = 2, 4, 5, 2, 3
IMAGE_NETWORKS = {
    "conv": "conv3k3 dense3 softmax",
    "conv_of_conv": "conv3k3p1 conv2k2s2 dense3 softmax",
    "conv_stride_padding": "conv2k1 conv2k3s2p1 dense3 softmax",
    "conv_dilation_groups": "conv4k1 conv4k2d2g2p1 dense3 softmax",
    "conv_depthwise": "conv2k3p1g2n1 conv4k2g2 dense3 softmax",
    "conv_stride_over_kernel": "conv2k1s1 conv2k1s3 dense3 softmax",
    "max_pool": "conv3k2 max2 dense3 softmax",
    "max_pool_overlapping": "conv2k1 max3s1p1 dense3 softmax",
    "max_pool_ceil": "conv2k1 max3s2p1c1 dense3 softmax",
    "average_pool": "conv2k1 avg2 dense3 softmax",
    "average_pool_padding": "conv2k1 avg3s2p1 dense3 softmax",
    "average_pool_ceil": "conv2k1 avg3s2c1 dense3 softmax",
    "global_pool": "conv3k2 global dense3 softmax",
    "batch_norm": "conv3k2n1 batchnorm relu dense3 softmax",
    "batch_norm_first": "batchnorm dense3 softmax",
    "layer_norm": "conv4k2 layernorm relu dense3 softmax",
    "flatten": "conv2k2 flatten relu dense3 softmax",
    "sum": "conv2k2 twice dense3 softmax",
    "concat": "conv2k2 wide conv2k2 dense3 softmax",
    "small_lenet": "conv2k3p1 relu max2 conv3k2 relu dense4 relu dense3 softmax",
}

# name: torch class, its options
OPTIMIZERS = {
    "sgd": (torch.optim.SGD, {}),
    "sgd_decay": (torch.optim.SGD, {"weight_decay": 0.05}),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}),
    "momentum_decay": (torch.optim.SGD, {"momentum": 0.75, "weight_decay": 0.05}),
    "nesterov": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "nesterov_decay": (torch.optim.SGD, {"momentum": 0.75, "nesterov": True, "weight_decay": 0.05}),
    "adam": (torch.optim.Adam, {}),
    "adam_decay": (torch.optim.Adam, {"weight_decay": 0.05}),
    "adam_betas": (torch.optim.Adam, {"betas": (0.8, 0.95), "eps": 1e-3}),
}
STATES = ["momentum_buffer", "exp_avg", "exp_avg_sq"]
RATES = [0.1, 0.1, 0.05, 0.2, 0.01]
ELEMENTS = 7

# name: torch class, its options, of a training of TRAINED whose rate changes half way.
TRAINED, TRAINING_STEPS, TRAINING_RATES = "dense6 tanh dense5 tanh dense4 softmax", 60, (0.1, 0.02)
TRAININGS = {
    "sgd": (torch.optim.SGD, {}),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}),
    "momentum_decay": (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}),
    "nesterov": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "nesterov_decay": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
}

BASE, STEPS = 0.5, 12
SCHEDULES = {
    "step:3:0.5": lambda o: torch.optim.lr_scheduler.StepLR(o, 3, 0.5),
    "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, STEPS),
    "cosine:0.1": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, STEPS, eta_min=0.1 * BASE),
    "linear:0.25": lambda o: torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.25, STEPS),
}


TRAINING_TYPES = """
typedef struct GoldenTraining {
    const char *name, *kind;
    double momentum, weight_decay;
    const float *x; /* [GOLDEN_BATCH][GOLDEN_INPUTS] */
    const int *labels;
    const float *start, *end; /* parameters */
    size_t parameter_count;
    double loss; /* of the last step, before it is taken */
} GoldenTraining;
"""

NETWORK_TYPES = """
typedef struct GoldenNetwork {
    const char *name, *layers; /* see NETWORKS in make_golden.py */
    const float *x;            /* [GOLDEN_BATCH][GOLDEN_INPUTS] */
    const int *labels;         /* [GOLDEN_BATCH] */
    const float *targets;      /* [GOLDEN_BATCH][GOLDEN_OUTPUTS] */
    const float *parameters;
    double loss;
    const float *output; /* [GOLDEN_BATCH][GOLDEN_OUTPUTS]: probabilities after softmax */
    const float *gradients;
    size_t parameter_count;
} GoldenNetwork;
"""

IMAGE_TYPES = """
typedef struct GoldenImages {
    const char *name, *layers; /* see IMAGE_NETWORKS in make_golden.py */
    const float *x;            /* [GOLDEN_BATCH][GOLDEN_HEIGHT][GOLDEN_WIDTH][GOLDEN_CHANNELS] */
    const int *labels;         /* [GOLDEN_BATCH] */
    const float *parameters;
    double loss;
    const float *output; /* [GOLDEN_BATCH][GOLDEN_OUTPUTS], probabilities; the same afterwards, for inference */
    const float *inference;
    const float *gradients;
    const float *averages; /* after one step of training; parameters unchanged */
    size_t parameter_count, average_count;
} GoldenImages;
"""

OPTIMIZER_TYPES = """
typedef struct GoldenOptimizer {
    const char *name, *kind;
    double momentum, weight_decay, beta1, beta2, epsilon;
    const float *start;     /* [GOLDEN_ELEMENTS] */
    const float *gradients; /* [GOLDEN_STEPS][GOLDEN_ELEMENTS] */
    const float *end, *state;
} GoldenOptimizer;

typedef struct GoldenSchedule {
    const char *text;
    const double *rates; /* [GOLDEN_SCHEDULE_STEPS] */
} GoldenSchedule;
"""


def floats(*shape, scale=1.0):
    """Random doubles that are floats."""
    return (torch.randn(*shape, dtype=torch.float32) * scale).double()


def numbers(values):
    values = torch.as_tensor(values, dtype=torch.float64).flatten().tolist()
    return ", ".join(f"{value:.9g}" for value in values) if values else "0"


def array(name, values, kind="float"):
    text = ", ".join(str(int(v)) for v in values) if kind == "int" else numbers(values)
    line = f"static const {kind} {name}[] = {{{text}}};"
    print(textwrap.fill(line, 128, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


class Twice(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + torch.tanh(x)


def build(layers):
    modules, width = [], INPUTS
    for layer in layers:
        if layer.startswith("dense"):
            linear = torch.nn.Linear(width, int(layer[5:]), dtype=torch.float64)
            with torch.no_grad():
                linear.weight.copy_(floats(*linear.weight.shape, scale=0.6))
                linear.bias.copy_(floats(*linear.bias.shape, scale=0.3))
            modules.append(linear)
            width = linear.out_features
        else:
            modules.append({"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "sigmoid": torch.nn.Sigmoid, "twice": Twice}[layer]())
    return torch.nn.Sequential(*modules)


def flat(tensors):
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def network(name, text):
    *layers, loss_name = text.split()
    model = build(layers)
    x, labels, targets = floats(BATCH, INPUTS), torch.randint(0, OUTPUTS, (BATCH,)), floats(BATCH, OUTPUTS)
    output = model(x)
    if loss_name == "softmax":
        loss = torch.nn.functional.cross_entropy(output, labels)
        output = torch.softmax(output, dim=1)
    else:
        loss = 0.5 * ((output - targets) ** 2).sum() / BATCH
    loss.backward()
    array(f"{name}_x", x)
    array(f"{name}_labels", labels, "int")
    array(f"{name}_targets", targets)
    array(f"{name}_parameters", flat(model.parameters()))
    array(f"{name}_output", output.detach())
    array(f"{name}_gradients", flat([p.grad for p in model.parameters()]))
    return f'{{"{name}", "{text}", {name}_x, {name}_labels, {name}_targets, {name}_parameters, {loss.item():.17g}, ' \
           f"{name}_output, {name}_gradients, sizeof({name}_gradients) / sizeof(float)}},"


class Wide(torch.nn.Module):
    def forward(self, x):
        return torch.cat([torch.relu(x), x, torch.tanh(x)], dim=1)


class Flatten(torch.nn.Module):
    """The numbers of a sample in the order of NHWC."""
    def forward(self, x):
        return x.permute(0, 2, 3, 1).flatten(1) if x.dim() == 4 else x


class ChannelNorm(torch.nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def word_options(word):
    """conv6k3 -> conv, 6, {k: 3}"""
    name, first, rest = re.match(r"([a-z]+)(\d*)(.*)", word).groups()
    return name, int(first or 0), {letter: int(number) for letter, number in re.findall(r"([a-z])(\d+)", rest)}


def image_module(word, x):
    name, first, o = word_options(word)
    pool = {"kernel_size": first, "stride": o.get("s"), "padding": o.get("p", 0), "ceil_mode": bool(o.get("c", 0))}
    if name == "conv":
        return torch.nn.Conv2d(x.shape[1], first, o.get("k", 1), o.get("s", 1), o.get("p", 0), o.get("d", 1), o.get("g", 1),
                               bias=not o.get("n", 0))
    if name == "dense":
        return torch.nn.Sequential(Flatten(), torch.nn.Linear(x[0].numel(), first))
    makers = {"max": lambda: torch.nn.MaxPool2d(**pool), "avg": lambda: torch.nn.AvgPool2d(**pool),
              "global": lambda: torch.nn.AdaptiveAvgPool2d(1), "batchnorm": lambda: torch.nn.BatchNorm2d(x.shape[1]),
              "layernorm": lambda: ChannelNorm(x.shape[1]), "flatten": Flatten, "relu": torch.nn.ReLU,
              "tanh": torch.nn.Tanh, "twice": Twice, "wide": Wide}
    return makers[name]()


def ours(tensor):
    return tensor.permute(2, 3, 1, 0) if tensor.dim() == 4 else tensor


def image_network(name, text):
    *words, _ = text.split()
    images = floats(IMAGE_BATCH, HEIGHT, WIDTH, CHANNELS)
    labels = torch.randint(0, IMAGE_OUTPUTS, (IMAGE_BATCH,))
    x, modules = images.permute(0, 3, 1, 2), []
    for word in words:
        module = image_module(word, x).double()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(floats(*parameter.shape, scale=0.6))
            x = copy.deepcopy(module)(x)
        modules.append(module)
    model = torch.nn.Sequential(*modules)
    output = model(images.permute(0, 3, 1, 2))
    loss = torch.nn.functional.cross_entropy(output, labels)
    loss.backward()
    inference = model.eval()(images.permute(0, 3, 1, 2))
    averages = [b for b in model.buffers() if b.dim() == 1]
    array(f"{name}_x", images)
    array(f"{name}_labels", labels, "int")
    array(f"{name}_parameters", flat([ours(p) for p in model.parameters()]))
    array(f"{name}_output", torch.softmax(output, dim=1).detach())
    array(f"{name}_inference", torch.softmax(inference, dim=1).detach())
    array(f"{name}_gradients", flat([ours(p.grad) for p in model.parameters()]))
    array(f"{name}_averages", flat(averages) if averages else [])
    return f'{{"{name}", "{text}", {name}_x, {name}_labels, {name}_parameters, {loss.item():.17g}, {name}_output, ' \
           f"{name}_inference, {name}_gradients, {name}_averages, {sum(p.numel() for p in model.parameters())}, " \
           f"{sum(a.numel() for a in averages)}}},"


def optimizer(name, kind, options):
    w = torch.nn.Parameter(floats(ELEMENTS))
    gradients = floats(len(RATES), ELEMENTS)
    start = w.detach().clone()
    optimiser = kind([w], lr=1.0, **options)
    for rate, gradient in zip(RATES, gradients):
        optimiser.param_groups[0]["lr"] = rate
        w.grad = gradient.clone()
        optimiser.step()
    state = [optimiser.state[w][key] for key in STATES if optimiser.state[w].get(key) is not None]
    array(f"{name}_start", start)
    array(f"{name}_gradients", gradients)
    array(f"{name}_end", w.detach())
    array(f"{name}_state", flat(state) if state else [])
    betas = options.get("betas", (0.9, 0.999))
    return f'{{"{name}", "{kind_name(kind, options)}", {options.get("momentum", 0.9)}, {options.get("weight_decay", 0.0)}, {betas[0]}, {betas[1]}, ' \
           f'{options.get("eps", 1e-8)}, {name}_start, {name}_gradients, {name}_end, {name}_state}},'


def kind_name(kind, options):
    return "adam" if kind is torch.optim.Adam else "nesterov" if options.get("nesterov") else \
        "momentum" if "momentum" in options else "sgd"


def training(name, kind, options):
    model = build(TRAINED.split()[:-1])
    x, labels = floats(BATCH, INPUTS), torch.randint(0, OUTPUTS, (BATCH,))
    start = flat([p.detach().clone() for p in model.parameters()])
    optimiser = kind(model.parameters(), lr=1.0, **options)
    for step in range(TRAINING_STEPS):
        optimiser.param_groups[0]["lr"] = TRAINING_RATES[2 * step // TRAINING_STEPS]
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimiser.step()
    array(f"{name}_x", x)
    array(f"{name}_labels", labels, "int")
    array(f"{name}_start", start)
    array(f"{name}_end", flat([p.detach() for p in model.parameters()]))
    return f'{{"{name}", "{kind_name(kind, options)}", {options.get("momentum", 0.9)}, {options.get("weight_decay", 0.0)}, ' \
           f"{name}_x, {name}_labels, {name}_start, {name}_end, sizeof({name}_end) / sizeof(float), {loss.item():.17g}}},"


def schedule(index, make):
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=BASE)
    scheduler, rates = make(optimiser), []
    for _ in range(STEPS):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        scheduler.step()
    array(f"schedule_{index}", rates, "double")


def table(kind, name, rows):
    print(f"static const {kind} {name}[] = {{")
    for row in rows:
        print(textwrap.fill(row, 128, initial_indent="    ", subsequent_indent="     ", break_on_hyphens=False))
    print("};\n")


def head(types, sizes):
    print(f"/* Written by make_golden.py with torch {torch.__version__}, seed {SEED}, in double precision: do not edit.")
    print(" * SPDX-License-Identifier: MIT */")
    print(f"#include <stddef.h>\n{types}\n/* clang-format off */")
    print("enum { " + ", ".join(f"GOLDEN_{name} = {size}" for name, size in sizes.items()) + " };")


def networks():
    head(NETWORK_TYPES, {"BATCH": BATCH, "INPUTS": INPUTS, "OUTPUTS": OUTPUTS})
    table("GoldenNetwork", "golden_networks", [network(*item) for item in NETWORKS.items()])


def images():
    head(IMAGE_TYPES, {"BATCH": IMAGE_BATCH, "HEIGHT": HEIGHT, "WIDTH": WIDTH, "CHANNELS": CHANNELS, "OUTPUTS": IMAGE_OUTPUTS})
    table("GoldenImages", "golden_images", [image_network(*item) for item in IMAGE_NETWORKS.items()])


def optimizers():
    head(OPTIMIZER_TYPES, {"ELEMENTS": ELEMENTS, "STEPS": len(RATES), "SCHEDULE_STEPS": STEPS})
    print(f"#define GOLDEN_SCHEDULE_BASE {BASE}")
    array("golden_rates", RATES, "double")
    table("GoldenOptimizer", "golden_optimizers", [optimizer(name, *item) for name, item in OPTIMIZERS.items()])
    for index, make in enumerate(SCHEDULES.values()):
        schedule(index, make)
    table("GoldenSchedule", "golden_schedules", [f'{{"{text}", schedule_{i}}},' for i, text in enumerate(SCHEDULES)])


def trainings():
    head(TRAINING_TYPES, {"BATCH": BATCH, "INPUTS": INPUTS, "STEPS": TRAINING_STEPS})
    print(f'#define GOLDEN_LAYERS "{TRAINED}"')
    array("golden_rates", TRAINING_RATES, "double")
    table("GoldenTraining", "golden_trainings", [training(name, *item) for name, item in TRAININGS.items()])


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    for part in (networks, images, optimizers, trainings):
        torch.manual_seed(SEED)
        with open(os.path.join(folder, f"golden_{part.__name__}.h"), "w") as file, contextlib.redirect_stdout(file):
            part()


if __name__ == "__main__":
    main()
