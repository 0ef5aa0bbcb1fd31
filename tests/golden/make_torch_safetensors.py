#!/usr/bin/env python3
# Makes torch.safetensors, a file written by the format's own library (the one that PyTorch uses), for
# tests/nn/test_safetensors.c. For maintainers; the tests need no Python.
#     pip install safetensors numpy && python3 tests/golden/make_torch_safetensors.py
# SPDX-License-Identifier: MIT
import os

import numpy as np
from safetensors.numpy import save_file

tensors = {
    "layers.0.weight": (np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5) / 4,
    "layers.0.bias": np.array([0.1, -1e-30], dtype=np.float32),
    "steps": np.array([-1, 2**40], dtype=np.int64),
    "counter": np.array(2**64 - 1, dtype=np.uint64),  # no dimensions
    "history": np.array([[0.1], [np.pi]], dtype=np.float64),
    "half": np.array([1.5], dtype=np.float16),
    "empty": np.zeros((0, 3), dtype=np.float32),
}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch.safetensors")
save_file(tensors, path, metadata={"format": "pt", "note": 'quotes " and \u00fc'})
