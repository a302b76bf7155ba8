"""Read a safetensors file: a length, a JSON header, then raw numbers. Nothing in it can run."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[np.float32]]


def read_tensors(path: Path) -> Tensors:
    """Every 32-bit tensor by its name; whole numbers (position ids) are left out."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    found: Tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + size + place for place in entry["data_offsets"])
            found[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    return found
