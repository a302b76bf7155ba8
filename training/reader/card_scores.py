"""What the card tells: `python -m training.reader.card_scores LEAVE_OUT_FOLDER APART.json OUT.json`.

LEAVE_OUT_FOLDER has scores.json and read.jsonl of each group of sources that a reader was trained without (one seed,
shorter than what ships); APART.json is what `training.reader.evaluate --json` wrote of sources kept apart.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from docgemma.reader.labels import ASKS
from training.marks import read_all

BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)
KEPT = ("n", "tools", "unasked_writes", "missed_writes", "span_f1", "relation", "urgent_recall", "false_alarms")


def calibration(folder: Path) -> list[dict[str, Any]]:
    """For probabilities in each bin: how many there were, and what share of them was asked for."""
    marked = {message.id: set(message.asks) for message in read_all()}
    counts = [[0, 0] for _ in BINS[1:]]
    for path in sorted(folder.glob("*/read.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            read = json.loads(line)
            for ask, chance in zip(ASKS, read["tools"], strict=True):
                place = next(number for number, top in enumerate(BINS[1:]) if chance <= top or top == BINS[-1])
                counts[place][0] += 1
                counts[place][1] += ask in marked.get(read["id"], ())
    return [
        {"from": low, "to": high, "of": total, "asked for": round(right / total, 3) if total else None}
        for low, high, (total, right) in zip(BINS, BINS[1:], counts, strict=False)
    ]


def main(folder: Path, apart: Path, out: Path) -> None:
    left_out = {
        path.parent.name.replace("_", " + "): {name: scores[name] for name in KEPT}
        for path in sorted(folder.glob("*/scores.json"))
        for scores in (json.loads(path.read_text(encoding="utf-8")),)
    }
    found = {
        "kept apart, scored once": json.loads(apart.read_text(encoding="utf-8")),
        "sources left out in turn (one seed, threshold 0.5)": left_out,
        "calibration on left-out sources": calibration(folder),
    }
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
