"""Score the shipped reader beside a simple peer: `python -m training.reader.evaluate [FILE.jsonl …] [--json FILE]`.

Without files: the messages of training/apart, whose sources are nowhere in training. Decisions are made at the card's
thresholds, as the product makes them. The peer is a linear classifier on words and pairs of words, trained here on the
same messages. Every share stands with its Wilson interval.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from docgemma.reader.contract import OpenQuestion, Request
from docgemma.reader.labels import ASKS, WRITES
from docgemma.reader.loading import LazyReader
from training.marks import Marked, folded, near_duplicates, read, read_all

APART = Path(__file__).resolve().parent.parent / "apart"
BUCKETS = 1 << 16


def share(good: int, total: int) -> dict[str, Any]:
    """Per cent with a 95 % Wilson interval."""
    if not total:
        return {"percent": None, "of": 0}
    z, p = 1.96, good / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return {
        "percent": round(100 * p, 1),
        "from": round(100 * (middle - half), 1),
        "to": round(100 * (middle + half), 1),
        "of": total,
    }


def scores(pairs: Sequence[tuple[Marked, Request]]) -> dict[str, Any]:
    """Every figure of the card."""
    count: Counter[str] = Counter()
    spans: Counter[str] = Counter()
    for message, request in pairs:
        sure, wanted = set(request.sure()), set(message.asks)
        offered = {asked.ask for asked in request.asks} - sure
        count["tools"] += sure == wanted
        count["tools_or_offered"] += sure <= wanted <= sure | offered
        count["unasked"] += bool((sure - wanted) & WRITES)
        count["writes"] += bool(wanted & WRITES)
        count["missed"] += bool((wanted - sure - offered) & WRITES)
        found = {(span.type, span.start, span.end) for span in request.spans}
        marked = {(span.type, span.start, span.end) for span in message.spans}
        count["spans"] += found == marked
        count["everything"] += sure == wanted and found == marked and request.relation == message.relation
        for kind, _, _ in found & marked:
            spans[f"{kind} both"] += 1
        for kind, _, _ in found:
            spans[f"{kind} found"] += 1
        for kind, _, _ in marked:
            spans[f"{kind} marked"] += 1
        count["asked"] += message.relation is not None
        count["relation"] += message.relation is not None and request.relation == message.relation
        count["urgent"] += message.urgent
        count["urgent_found"] += message.urgent and request.urgent
        count["alarms"] += request.urgent and not message.urgent
        count["conditional"] += message.conditional
        count["conditional_found"] += message.conditional and request.conditional
    kinds = sorted({name.split()[0] for name in spans})
    both, found_, marked_ = (sum(spans[f"{kind} {what}"] for kind in kinds) for what in ("both", "found", "marked"))
    total = len(pairs)
    return {
        "messages": total,
        "tools exact": share(count["tools"], total),
        "tools exact, or the rest offered": share(count["tools_or_offered"], total),
        "unasked writes": share(count["unasked"], total),
        "requested writes neither found nor offered": share(count["missed"], count["writes"]),
        "relation": share(count["relation"], count["asked"]),
        "urgent found": share(count["urgent_found"], count["urgent"]),
        "false alarms": share(count["alarms"], total - count["urgent"]),
        "conditional found": share(count["conditional_found"], count["conditional"]),
        "all spans right": share(count["spans"], total),
        "everything right": share(count["everything"], total),
        "span F1": round(200 * both / max(found_ + marked_, 1), 1),
        "span F1 by type": {
            kind: round(200 * spans[f"{kind} both"] / (spans[f"{kind} found"] + spans[f"{kind} marked"]), 1)
            for kind in kinds
        },
    }


class Peer:
    """A linear classifier on hashed words and pairs, one for each tool; trained by plain gradient steps."""

    def __init__(self, messages: Sequence[Marked], rounds: int = 8) -> None:
        self._weights = np.zeros((len(ASKS), BUCKETS), np.float32)
        dice = np.random.default_rng(1)
        features = [self._features(message) for message in messages]
        wanted = np.array([[ask in message.asks for ask in ASKS] for message in messages], np.float32)
        for turn in range(rounds):
            for place in dice.permutation(len(messages)):
                words = features[place]
                error = wanted[place] - self._chances(words)
                self._weights[:, words] += (0.5 / (1 + turn)) * error[:, None] / math.sqrt(len(words))

    def tools(self, message: Marked) -> set[str]:
        chances = self._chances(self._features(message))
        return {ask for ask, chance in zip(ASKS, chances, strict=True) if chance >= 0.5}

    def _chances(self, words: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-self._weights[:, words].sum(1) / math.sqrt(len(words)) * 4))  # type: ignore[no-any-return]

    @staticmethod
    def _features(message: Marked) -> np.ndarray:
        said = folded(message.text).split()
        names = ["*", *said, *(f"{one} {two}" for one, two in pairwise(said))]
        names += [f"b:{word}" for text in message.before[-1:] for word in folded(text).split()]
        names += [f"s:{message.on_screen}", f"q:{message.question is not None}"]
        return np.array([_bucket(name) for name in names])


def _bucket(name: str) -> int:
    value = 2166136261
    for byte in name.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value % BUCKETS


def read_with(reader: LazyReader, messages: Iterable[Marked]) -> list[tuple[Marked, Request]]:
    return [
        (
            message,
            reader.request(
                message.text,
                before=message.before,
                asked=OpenQuestion(*message.question) if message.question else None,  # type: ignore[arg-type]
                patient_on_screen=message.on_screen,
            ),
        )
        for message in messages
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--reader", type=Path, help="another reader's folder")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    options = parser.parse_args()
    files = options.files or sorted(APART.glob("*.jsonl"))
    train = [message for message in read_all() if message.source not in {path.stem for path in files}]
    given = [message for path in files for message in read(path)]
    alike = {message.id for message in near_duplicates(train, given)}
    kept = [message for message in given if message.id not in alike]
    found = scores(read_with(LazyReader(options.reader), kept))
    peer = Peer(train)
    exact = sum(peer.tools(message) == set(message.asks) for message in kept)
    unasked = sum(bool((peer.tools(message) - set(message.asks)) & WRITES) for message in kept)
    report = {
        "files": [path.name for path in files],
        "left out as near-duplicates of training messages": sorted(alike),
        "reader": found,
        "peer: words and pairs, linear": {
            "tools exact": share(exact, len(kept)),
            "unasked writes": share(unasked, len(kept)),
        },
    }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
