"""Marked messages as numbers: tokens with their tags and owners, tools, relation, flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docgemma.embed.wordpiece import WordPiece
from docgemma.reader.inputs import DrugFinder, windows
from docgemma.reader.labels import ASKS, RELATIONS, TAGS, TAKES, WHO
from training.marks import Marked, Span

IGNORE = -100
EVEN = 16
"""Batches are as long as a multiple of this: a processor prepares its work anew for each new length."""

TAG_NUMBER = {tag: number for number, tag in enumerate(TAGS)}


@dataclass(slots=True)
class Example:
    """One message for the encoder. Long messages are cut at the first window: few are that long."""

    ids: list[int]
    segments: list[int]
    features: list[int]
    first: int
    tags: list[int]
    owners: list[int]
    tools: list[int]
    relation: int
    flags: tuple[int, int]


def example(message: Marked, tokens: WordPiece, drugs: DrugFinder) -> Example:
    window = windows(
        message.text,
        before=message.before,
        question=message.question,
        on_screen=message.on_screen,
        tokens=tokens,
        drugs=drugs,
    )[0]
    tags, owners = [IGNORE] * len(window.ids), [IGNORE] * len(window.ids)
    begun: set[Span] = set()
    for place, piece in enumerate(window.pieces, window.first):
        span = next((span for span in message.spans if span.start <= piece.start < span.end), None)
        if span is None:
            tags[place] = 0
            continue
        tags[place] = TAG_NUMBER[f"{'I' if span in begun else 'B'}-{span.type}"]
        begun.add(span)
        owners[place] = owner(message, span)
    return Example(
        ids=window.ids,
        segments=window.segments,
        features=window.features,
        first=window.first,
        tags=tags,
        owners=owners,
        tools=[int(ask in message.asks) for ask in ASKS],
        relation=RELATIONS.index(message.relation) if message.relation else IGNORE,  # type: ignore[arg-type]
        flags=(int(message.urgent), int(message.conditional)),
    )


def owner(message: Marked, span: Span) -> int:
    """The request that a span belongs to, where the marks or the types tell; IGNORE where they do not."""
    if span.type in WHO:
        return IGNORE
    if span.request:
        return ASKS.index(message.asks[span.request - 1])  # type: ignore[arg-type]
    able = {ask for ask in message.asks if span.type in TAKES[ask]}  # type: ignore[index]
    return ASKS.index(able.pop()) if len(able) == 1 else IGNORE  # type: ignore[arg-type]


def padded(examples: Sequence[Example]) -> dict[str, np.ndarray]:
    """One batch."""
    longest = max(len(item.ids) for item in examples)
    longest = -(-longest // EVEN) * EVEN
    shape = (len(examples), longest)
    batch = {name: np.zeros(shape, np.int64) for name in ("ids", "segments", "features", "mask", "message")}
    batch |= {name: np.full(shape, IGNORE, np.int64) for name in ("tags", "owner")}
    for row, item in enumerate(examples):
        size = len(item.ids)
        batch["ids"][row, :size] = item.ids
        batch["segments"][row, :size] = item.segments
        batch["features"][row, :size] = item.features
        batch["mask"][row, :size] = 1
        batch["message"][row, item.first : size] = 1
        batch["tags"][row, :size] = item.tags
        batch["owner"][row, :size] = item.owners
    batch["tools"] = np.array([item.tools for item in examples], np.float32)
    batch["flags"] = np.array([item.flags for item in examples], np.float32)
    batch["relation"] = np.array([item.relation for item in examples], np.int64)
    return batch
