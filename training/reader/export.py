"""Trained weights as what ships: `python -m training.reader.export WEIGHTS.npz FOLDER [--scores SCORES.json]`.

Writes request.onnx (whole numbers), vocab.txt and card.json, and says how far the whole numbers are from the weights
they were made of, on every tenth training message.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from docgemma.reader.card import CARD, FORMAT, MODEL, VOCABULARY
from training.marks import FOLDER
from training.reader import base
from training.reader.graph import serialised

THRESHOLDS = {
    "read_sure": 0.4,
    "read_offered": 0.3,
    "write_sure": 0.85,
    "write_offered": 0.1,
    "later_sure": 0.6,
    "urgent": 0.05,
    "conditional": 0.3,
}


def data_hash(folder: Path = FOLDER) -> tuple[str, int]:
    """One hash over all training messages, and how many they are."""
    digest, count = hashlib.sha256(), 0
    for path in sorted(folder.glob("*.jsonl")):
        data = path.read_bytes()
        digest.update(path.name.encode() + b"\0" + data)
        count += data.count(b"\n")
    return digest.hexdigest(), count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scores", type=Path, help="what the card tells of sources that were left out")
    parser.add_argument("--thresholds", type=Path, help="chosen on sources that were left out")
    options = parser.parse_args()
    with np.load(options.weights) as kept:
        weights = {name: kept[name].astype(np.float32) for name in kept}
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / MODEL).write_bytes(serialised(weights))
    shutil.copyfile(base.VOCABULARY, options.folder / VOCABULARY)
    data, messages = data_hash()
    files = {name: hashlib.sha256((options.folder / name).read_bytes()).hexdigest() for name in (MODEL, VOCABULARY)}
    card = {
        "format": FORMAT,
        "files": files,
        "data": data,
        "messages": messages,
        "thresholds": json.loads(options.thresholds.read_text()) if options.thresholds else THRESHOLDS,
        "scores": json.loads(options.scores.read_text()) if options.scores else {},
    }
    (options.folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(
        f"{options.folder}: {sum(path.stat().st_size for path in options.folder.iterdir()) / 1e6:.1f} MB\n"
    )


if __name__ == "__main__":
    main()
