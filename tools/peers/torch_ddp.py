#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples per second of PyTorch's DistributedDataParallel (gloo) on LeNet-5: forward, softmax loss, backward, SGD.

For maintainers: the peer of `rungs bench parallel lenet --torch`, which starts it with --serve so that both take turns on the same
cores. It starts its other ranks itself, on this machine, and they sleep while nothing is measured. The batches are made before, and
no loss is read. Of SGD's three implementations, of both orders of images in memory (NCHW, NHWC), and of gradients that are views of
the buckets or copied there, the fastest on this machine is taken; the graph is static, as DistributedDataParallel is told.

    python3 tools/peers/torch_ddp.py --ranks 2 --threads 1 --batch 64
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")  # torch without numpy warns at import; nothing here needs numpy
import torch  # noqa: E402
import torch.distributed  # noqa: E402

import torch_step  # noqa: E402

SGD = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
ORDERS = {"NCHW": torch.contiguous_format, "NHWC": torch.channels_last}
GRADIENTS = {"views": True, "copies": False}


def make_step(arguments, sgd, order, gradients):
    """Returns a function that trains on batch i % 16."""
    torch.manual_seed(1)
    model, shape = torch_step.make_lenet(argparse.Namespace(classes=10))
    model = torch.nn.parallel.DistributedDataParallel(
        model.to(memory_format=ORDERS[order]), static_graph=True, gradient_as_bucket_view=GRADIENTS[gradients]
    )
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, **SGD[sgd])
    torch.manual_seed(2 + arguments.rank)
    x = torch.randn(16, arguments.batch, *shape)
    labels = torch.randint(0, 10, (16, arguments.batch))
    batches = [(batch.contiguous(memory_format=ORDERS[order]), labels[i]) for i, batch in enumerate(x.unbind(0))]

    def step(i):
        batch_x, batch_labels = batches[i % 16]
        optimizer.zero_grad(set_to_none=True)
        loss_function(model(batch_x), batch_labels).backward()
        optimizer.step()

    step.model = model
    return step


def agreed(number):
    """Rank 0's number, on all ranks."""
    number = torch.tensor([number], dtype=torch.float64)
    torch.distributed.broadcast(number, 0)
    return number.item()


def measure(step, steps):
    """Seconds of `steps` steps on the slowest rank; all begin together."""
    torch.distributed.barrier()
    start = time.perf_counter()
    for i in range(steps):
        step(i)
    elapsed = torch.tensor([time.perf_counter() - start], dtype=torch.float64)
    torch.distributed.all_reduce(elapsed, torch.distributed.ReduceOp.MAX)
    return elapsed.item()


def check(step):
    """What was timed must have been training together: the weights are finite and the same on all ranks."""
    for parameter in step.model.parameters():
        lowest, highest = parameter.detach().clone(), parameter.detach().clone()
        torch.distributed.all_reduce(lowest, torch.distributed.ReduceOp.MIN)
        torch.distributed.all_reduce(highest, torch.distributed.ReduceOp.MAX)
        if not torch.equal(lowest, highest) or not torch.isfinite(lowest).all():
            sys.exit("torch_ddp.py: after training the weights differ from rank to rank, or are not finite")


def choose(arguments):
    """The fastest setting, which is the same on all ranks: its name and its step."""
    best = None
    for setting in itertools.product(SGD, ORDERS, GRADIENTS):
        step = make_step(arguments, *setting)
        warm = measure(step, 10) / 10
        steps = int(agreed(max(10, 0.3 / warm)))
        seconds = min(measure(step, steps) for _ in range(2)) / steps
        if best is None or seconds < best[0]:
            best = (seconds, "sgd={} {} gradients={}".format(*setting), step)
    return best


def serve(arguments, seconds_of_step, step):
    """A line with a rate for each line with a number of seconds; 0 steps end the other ranks."""
    while True:
        steps = 0
        if arguments.rank == 0:
            line = sys.stdin.readline() if arguments.serve else arguments.lines.pop(0)
            steps = max(1, round(float(line) / seconds_of_step)) if line.strip() else 0
        steps = int(agreed(steps))
        if steps == 0:
            check(step)
            return
        elapsed = measure(step, steps)
        if arguments.rank == 0:
            print(f"{arguments.ranks * arguments.batch * steps / elapsed:.6g}", flush=True)


def start_others(arguments):
    """The other ranks: this program again."""
    common = [sys.executable, os.path.abspath(__file__), "--model", arguments.model, "--store", arguments.store]
    common += ["--ranks", str(arguments.ranks), "--batch", str(arguments.batch), "--threads", str(arguments.threads)]
    return [
        subprocess.Popen(common + ["--rank", str(rank)], stdin=subprocess.DEVNULL, stdout=sys.stderr)
        for rank in range(1, arguments.ranks)
    ]


def train(arguments):
    torch.set_num_threads(arguments.threads)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all ranks are here
    store = torch.distributed.FileStore(arguments.store, arguments.ranks)
    torch.distributed.init_process_group("gloo", store=store, rank=arguments.rank, world_size=arguments.ranks)
    seconds, name, step = choose(arguments)
    if arguments.rank == 0:
        print(f"torch {torch.__version__} DDP gloo {name}", flush=True)
    serve(arguments, seconds, step)
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["lenet"], default="lenet")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64, help="samples of each rank")
    parser.add_argument("--threads", type=int, default=1, help="of each rank")
    parser.add_argument("--serve", action="store_true", help="measure SECONDS for each line of stdin that holds a number")
    parser.add_argument("--rank", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--store", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.lines = ["2.0", ""]
    if arguments.rank > 0:
        train(arguments)
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments.store = os.path.join(folder, "store")
        others = start_others(arguments)
        try:
            train(arguments)
        finally:
            for other in others:
                try:
                    other.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    other.kill()


if __name__ == "__main__":
    main()
