"""How far a second, independent marking agrees with the first: `python -m training.agreement SECOND.jsonl …`

A line of a second marking has id, say, asks, relation, urgent, conditional. Prints per cent and Cohen's kappa.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path

from training.marks import read_all, unmarked


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Agreement beyond chance; 1 where both always say the same."""
    same = sum(one == other for one, other in pairs) / len(pairs)
    left, right = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(left[key] * right[key] for key in left) / len(pairs) ** 2
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def main(paths: Sequence[Path]) -> None:
    first = {message.id: message for message in read_all()}
    lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(first[line["id"]], line) for line in lines]
    both = said = other = 0
    types: Counter[tuple[str, str]] = Counter()
    for message, line in pairs:
        mine = {(span.type, span.start, span.end) for span in message.spans}
        theirs = {(span.type, span.start, span.end) for span in unmarked(line["say"])[1]}
        both, said, other = both + len(mine & theirs), said + len(mine), other + len(theirs)
        for kind, _, _ in mine ^ theirs:
            types[kind, "off"] += 1
        for kind, _, _ in mine & theirs:
            types[kind, "same"] += 1
    columns = {
        "set of requests": [(frozenset(message.asks), frozenset(line["asks"])) for message, line in pairs],
        "requests in order": [(message.asks, tuple(line["asks"])) for message, line in pairs],
        "relation": [(message.relation, line["relation"]) for message, line in pairs if message.question],
        "urgent": [(message.urgent, bool(line["urgent"])) for message, line in pairs],
        "conditional": [(message.conditional, bool(line.get("conditional"))) for message, line in pairs],
    }
    print(f"{len(pairs)} messages marked twice")  # noqa: T201
    for name, values in columns.items():
        same = 100 * sum(one == two for one, two in values) / len(values)
        print(f"{name}: {same:.1f} % of {len(values)}, kappa {kappa(values):.2f}")  # noqa: T201
    print(f"spans, strict F1: {200 * both / (said + other):.1f}")  # noqa: T201
    for kind in sorted({kind for kind, _ in types}):
        good, off = types[kind, "same"], types[kind, "off"]
        print(f"  {kind}: {200 * good / (2 * good + off):.0f} ({good + off})")  # noqa: T201


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
