"""Train the reader from the marked messages and put it in place: `make reader`.

Several seeds are trained and one more learns from them together; that one is exported. On a GPU this takes minutes,
on a processor hours (fewer `--seeds` and `--steps` make it a trial).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from docgemma.reader.encoder import WEIGHTS
from scripts.wheels import CACHE


def run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True)  # noqa: S603 - our own interpreter and modules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=7000)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the reader goes")
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        raise SystemExit(
            "Training needs PyTorch: install torch into .venv first. The shipped reader needs none."
        ) from None
    runs = CACHE / "reader" / "runs"
    common = ("--steps", str(options.steps), "--passes", str(options.passes))
    for seed in range(1, options.seeds + 1):
        run("training.reader.train", "--out", str(runs / str(seed)), "--seed", str(seed), *common)
    teachers = [str(runs / str(seed) / "weights.npz") for seed in range(1, options.seeds + 1)]
    run("training.reader.train", "--out", str(runs / "one"), "--seed", "99", *common, "--teachers", *teachers)
    run("training.reader.export", str(runs / "one" / "weights.npz"), str(options.out))
    run("training.reader.evaluate", "--reader", str(options.out))


if __name__ == "__main__":
    main()
