#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples per second of eager PyTorch on one training step of a small network: forward, softmax loss, backward, SGD.

For maintainers: the peer of `rungs bench mlp` and `rungs bench lenet`, which start it with --serve so that both take turns
on the same cores. Everything that is not the training step is left out of the timed part: the batches are made before, and no
loss is read. Of SGD's three implementations (one tensor at a time, foreach, fused), and for images of both orders in memory
(NCHW, NHWC), the fastest on this machine is taken.

    python3 tools/peers/torch_step.py --inputs 64 --hidden 64 --classes 10 --batch 32 --threads 1
"""
import argparse
import sys
import time
import warnings

warnings.filterwarnings("ignore")  # torch without numpy warns at import; nothing here needs numpy
import torch  # noqa: E402


def make_mlp(arguments):
    """Returns the network and the shape of a sample."""
    layers, width = [], arguments.inputs
    for units in arguments.hidden:
        layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
        width = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, arguments.classes)), (arguments.inputs,)


def make_lenet(arguments):
    """LeNet-5 as src/nn/models/lenet.c describes it."""
    nn = torch.nn
    stages = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    dense = [nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, arguments.classes)]
    return nn.Sequential(*stages, nn.Flatten(), *dense), (1, 28, 28)


def make_step(arguments, implementation, order):
    """Returns a function that trains on batch i % 64 and the samples of one step."""
    torch.manual_seed(1)
    model, shape = {"mlp": make_mlp, "lenet": make_lenet}[arguments.model](arguments)
    model = model.to(memory_format=order)
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, **implementation)
    x = torch.randn(64, arguments.batch, *shape)
    labels = torch.randint(0, arguments.classes, (64, arguments.batch))

    batches = [(batch.contiguous(memory_format=order), labels[i]) for i, batch in enumerate(x.unbind(0))]

    def step(i):
        batch_x, batch_labels = batches[i % 64]
        optimizer.zero_grad(set_to_none=True)
        loss_function(model(batch_x), batch_labels).backward()
        optimizer.step()

    return step


def measure(step, seconds):
    """Steps per second over about that long."""
    steps = 0
    start = time.perf_counter()
    while True:
        for _ in range(20):
            step(steps)
            steps += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return steps / elapsed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["mlp", "lenet"], default="mlp")
    parser.add_argument("--inputs", type=int, default=64)
    parser.add_argument("--hidden", type=lambda text: [int(part) for part in text.split(",")], default=[64])
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help="measure SECONDS for each line of stdin that holds a number")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    implementations = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
    orders = {"": torch.contiguous_format}
    if arguments.model != "mlp":
        orders = {" NCHW": torch.contiguous_format, " NHWC": torch.channels_last}
    steps = {
        name + order: make_step(arguments, options, orders[order])
        for name, options in implementations.items()
        for order in orders
    }
    for step in steps.values():
        measure(step, 0.2)  # warm-up
    rates = {name: measure(step, 0.4) for name, step in steps.items()}
    best = max(rates, key=rates.get)
    print(f"torch {torch.__version__} sgd={best} threads={torch.get_num_threads()}", flush=True)
    if not arguments.serve:
        print(f"{measure(steps[best], 2.0) * arguments.batch:.0f} samples/s")
        return
    for line in sys.stdin:
        print(f"{measure(steps[best], float(line)) * arguments.batch:.6g}", flush=True)


if __name__ == "__main__":
    main()
