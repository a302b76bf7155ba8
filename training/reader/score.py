"""How well messages were read: the tools asked for, spans, relation, urgency, each on messages with marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docgemma.embed.wordpiece import Piece
from docgemma.reader.decoding import spans_of
from docgemma.reader.labels import ASKS, RELATIONS, WRITES
from training.marks import Marked

Numbers = NDArray[np.floating[Any]]


@dataclass(slots=True)
class Read:
    """A marked message and what the heads gave for it."""

    message: Marked
    tools: Numbers
    tags: Numbers
    owners: Numbers
    relation: Numbers
    flags: Numbers
    pieces: list[Piece]


def report(found: Sequence[Read], *, threshold: float = 0.5) -> dict[str, float]:
    """Plain figures in per cent at one threshold; `n` is the number of messages."""
    exact = unasked = missed = writes = 0
    both = said = gold = 0
    kinds: Counter[tuple[str, str]] = Counter()
    urgent_found = urgent = alarms = 0
    right = asked = everything = 0
    for item in found:
        message = item.message
        tools = {ask for ask, chance in zip(ASKS, item.tools, strict=True) if chance >= threshold}
        wanted = set(message.asks)
        exact += tools == wanted
        unasked += bool((tools - wanted) & WRITES)
        writes += bool(wanted & WRITES)
        missed += bool((wanted - tools) & WRITES)
        spans = {(span.type, span.start, span.end) for span in spans_of(item.tags, item.pieces)}
        marks = {(span.type, span.start, span.end) for span in message.spans}
        both, said, gold = both + len(spans & marks), said + len(spans), gold + len(marks)
        for kind, _, _ in spans & marks:
            kinds[kind, "both"] += 1
        for kind, _, _ in spans:
            kinds[kind, "said"] += 1
        for kind, _, _ in marks:
            kinds[kind, "gold"] += 1
        alarm = item.flags[0] >= threshold
        urgent += message.urgent
        urgent_found += bool(alarm and message.urgent)
        alarms += bool(alarm and not message.urgent)
        fits = True
        if message.relation:
            asked += 1
            fits = RELATIONS[int(item.relation.argmax())] == message.relation
            right += fits
        everything += tools == wanted and spans == marks and fits
    total = max(len(found), 1)
    scores = {
        "n": float(len(found)),
        "tools": 100 * exact / total,
        "unasked_writes": 100 * unasked / total,
        "missed_writes": 100 * missed / max(writes, 1),
        "span_f1": 200 * both / max(said + gold, 1),
        "relation": 100 * right / max(asked, 1),
        "urgent_recall": 100 * urgent_found / max(urgent, 1),
        "false_alarms": 100 * alarms / max(total - urgent, 1),
        "everything": 100 * everything / total,
    }
    for kind in sorted({kind for kind, _ in kinds}):
        scores[f"f1_{kind}"] = 200 * kinds[kind, "both"] / max(kinds[kind, "said"] + kinds[kind, "gold"], 1)
    return {name: round(value, 1) for name, value in scores.items()}
