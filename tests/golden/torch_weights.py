#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The PyTorch side of tests/nn/test_torch_weights.c.

    torch_weights.py LAYERS HEIGHT WIDTH CHANNELS BATCH FOLDER

builds the network that LAYERS describes (tests/nets.h) as self.layers = nn.Sequential(..), in NCHW as usual. It loads
FOLDER/ours.safetensors, whole, and compares what the network makes of FOLDER/x (floats, NHWC) with FOLDER/ours.y. Then it
draws weights of its own and writes theirs.safetensors and theirs.y for the other direction. Exit status 0: equal to 1e-4.
"""
import json
import struct
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from make_golden import image_module, word_options  # noqa: E402


class Dense(torch.nn.Linear):
    """Takes images as they are."""
    def forward(self, x):
        return super().forward(x.flatten(1))


def module(word, x):
    name, first, _ = word_options(word)
    if name == "dense":
        return Dense(x[0].numel(), first)
    return torch.nn.Flatten() if name == "flatten" else image_module(word, x)


class Model(torch.nn.Module):
    def __init__(self, words, x):
        super().__init__()
        modules = []
        for word in words:
            modules.append(module(word, x).eval())
            with torch.no_grad():
                x = modules[-1](x)
        self.layers = torch.nn.Sequential(*modules)

    def forward(self, x):
        return self.layers(x)


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, end = entry["data_offsets"]
            tensors[name] = torch.frombuffer(bytearray(data[first:end]), dtype=torch.float32).reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        kind = {torch.float32: ("F32", "f"), torch.int64: ("I64", "q")}[tensor.dtype]
        values = tensor.flatten().tolist()
        part = struct.pack(f"<{len(values)}{kind[1]}", *values)
        header[name] = {"dtype": kind[0], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_floats(path, *shape):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.float32).reshape(shape)


def main():
    layers, height, width, channels, batch, folder = sys.argv[1:]
    x = read_floats(f"{folder}/x", int(batch), int(height), int(width), int(channels)).permute(0, 3, 1, 2)
    torch.manual_seed(1)
    model = Model(layers.split()[:-1], x).eval()
    model.load_state_dict(read_safetensors(f"{folder}/ours.safetensors"))
    with torch.no_grad():
        y = model(x).flatten(1)
        error = (y - read_floats(f"{folder}/ours.y", *y.shape)).abs().max().item()
        for tensor in list(model.parameters()) + [b for b in model.buffers() if b.dim() == 1]:
            tensor.copy_(0.1 + torch.rand_like(tensor))
        write_safetensors(f"{folder}/theirs.safetensors", model.state_dict())
        with open(f"{folder}/theirs.y", "wb") as file:
            y = model(x).flatten().tolist()
            file.write(struct.pack(f"<{len(y)}f", *y))
    print(f"{layers}: largest difference {error:.2g}")
    sys.exit(0 if error <= 1e-4 else 1)


if __name__ == "__main__":
    main()
