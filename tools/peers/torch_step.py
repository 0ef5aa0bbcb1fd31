#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples per second of eager PyTorch on one training step of a small ReLU network: forward, softmax loss, backward, SGD.

For maintainers: the peer of `rungs bench mlp`, which starts it with --serve so that both take turns on the same cores.
Everything that is not the training step is left out of the timed part: the batches are made before, and no loss is read.
Of SGD's three implementations (one tensor at a time, foreach, fused) the fastest on this machine is taken.

    python3 tools/peers/torch_mlp.py --inputs 64 --hidden 64 --classes 10 --batch 32 --threads 1
"""
import argparse
import sys
import time
import warnings

warnings.filterwarnings("ignore")  # torch without numpy warns at import; nothing here needs numpy
import torch  # noqa: E402


def make_step(arguments, implementation):
    """Returns a function that trains on batch i % 64 and the samples of one step."""
    torch.manual_seed(1)
    layers, width = [], arguments.inputs
    for units in arguments.hidden:
        layers += [torch.nn.Linear(width, units), torch.nn.ReLU()]
        width = units
    model = torch.nn.Sequential(*layers, torch.nn.Linear(width, arguments.classes))
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, **implementation)
    x = torch.randn(64, arguments.batch, arguments.inputs)
    labels = torch.randint(0, arguments.classes, (64, arguments.batch))

    batches = list(zip(x.unbind(0), labels.unbind(0)))

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
    parser.add_argument("--inputs", type=int, default=64)
    parser.add_argument("--hidden", type=lambda text: [int(part) for part in text.split(",")], default=[64])
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help="measure SECONDS for each line of stdin that holds a number")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    candidates = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
    steps = {name: make_step(arguments, options) for name, options in candidates.items()}
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
