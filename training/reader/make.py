"""Train the reader from the marked messages and put it in place: `make reader`.

Several seeds are trained, one more learns from them together and is taken further a few times, and the mean of these is
exported. On a GPU this takes minutes, on a processor hours (fewer `--seeds` and `--steps` make it a trial). `--go-on`
takes the reader that is in place further instead, with all messages there are by now: half an hour on two cores.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docgemma.reader.card import MODEL
from docgemma.reader.encoder import WEIGHTS
from scripts.wheels import CACHE

FURTHER = ("--steps", "5000", "--passes", "6", "--rate", "9e-5")
"""Runs that begin with the same weights and see the messages in another order: their mean reads better than each."""

GO_ON = ("--steps", "2300", "--passes", "6", "--rate", "9e-5", "--joined", "0.08", "--workers", "2")


def run(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True)  # noqa: S603 - our own interpreter and modules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=7500)
    parser.add_argument("--passes", type=int, default=7)
    parser.add_argument("--further", type=int, default=4, help="runs on from the distilled one, averaged")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="where the reader goes")
    parser.add_argument("--go-on", action="store_true", help="take the reader in place further")
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        raise SystemExit(
            "Training needs PyTorch: install torch into .venv first. The shipped reader needs none."
        ) from None
    runs = CACHE / "reader" / "runs"
    if options.go_on:
        run("training.reader.train", "--out", str(runs / "one"), "--start", str(WEIGHTS / MODEL), *GO_ON)
        finish(runs / "one", options.out)
        return
    common = ("--steps", str(options.steps), "--passes", str(options.passes))
    for seed in range(1, options.seeds + 1):
        run("training.reader.train", "--out", str(runs / str(seed)), "--seed", str(seed), *common)
    teachers = [str(runs / str(seed) / "weights.npz") for seed in range(1, options.seeds + 1)]
    longer = ("--steps", str(options.steps * 3 // 2), "--passes", str(options.passes + 5))
    run("training.reader.train", "--out", str(runs / "one"), "--seed", "99", *longer, "--teachers", *teachers)
    start = runs / "one" / "weights.npz"
    on = [runs / f"on{seed}" for seed in range(1, options.further + 1)]
    for seed, out in enumerate(on, 11):
        run("training.reader.train", "--out", str(out), "--seed", str(seed), "--start", str(start), *FURTHER)
    average([out / "weights.npz" for out in on] or [start], runs / "mean")
    finish(runs / "mean", options.out)


def average(paths: Sequence[Path], out: Path) -> None:
    """The mean of readers that went on from the same weights, as weights of its own."""
    kept = [dict(np.load(path)) for path in paths]
    mean = {name: sum(one[name].astype(np.float32) for one in kept) / len(kept) for name in kept[0]}
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "weights.npz", **{name: np.asarray(value, np.float16) for name, value in mean.items()})


def finish(trained: Path, out: Path) -> None:
    """Put it in place, and score it on what was kept apart."""
    run("training.reader.export", str(trained / "weights.npz"), str(out))
    run("training.reader.evaluate", "--reader", str(out))


if __name__ == "__main__":
    main()
