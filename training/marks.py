"""Marked messages: `[words](type)` or `[words](type:2)` inside the text, and what stands beside it in the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docgemma.reader.labels import ASKS, QUESTION_KINDS, RELATIONS, SPAN_TYPES

FOLDER = Path(__file__).resolve().parent / "requests"
MARK = re.compile(r"\[([^\[\]]*)\]\(([a-z_]+)(?::(\d))?\)")


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the plain text. `request` is the place in `asks` of what they belong to, 1 for the first; 0: any."""

    type: str
    start: int
    end: int
    request: int = 0


@dataclass(frozen=True, slots=True)
class Marked:
    """One message with its marks."""

    id: str
    source: str
    text: str
    asks: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    on_screen: bool = False
    before: tuple[str, ...] = ()
    question: tuple[str, str] | None = None
    relation: str | None = None
    urgent: bool = False
    conditional: bool = False
    raw: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


def read(path: Path) -> list[Marked]:
    """Every message of a file; ValueError names the line that does not fit the guidelines."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(parse(json.loads(line)))
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{path.name}, line {number}: {error}") from None
    return found


def read_all(folder: Path = FOLDER) -> list[Marked]:
    """All sources of a folder, in the order of their names."""
    return [message for path in sorted(folder.glob("*.jsonl")) for message in read(path)]


def parse(raw: dict[str, Any]) -> Marked:
    """One line of JSON."""
    text, spans = unmarked(raw["say"])
    asks = tuple(raw["asks"])
    question = (raw["open"]["kind"], raw["open"]["text"]) if raw.get("open") else None
    relation = raw.get("relation") if question else None
    if unknown := [ask for ask in asks if ask not in ASKS]:
        raise ValueError(f"unknown request {unknown[0]!r}")
    if unknown := [span.type for span in spans if span.type not in SPAN_TYPES]:
        raise ValueError(f"unknown span {unknown[0]!r}")
    if question and (question[0] not in QUESTION_KINDS or relation not in RELATIONS):
        raise ValueError(f"an open question needs a known kind and relation, not {question[0]!r}, {relation!r}")
    if relation in ("answers", "cancels") and asks:
        raise ValueError("a message that only answers or cancels asks for nothing new")
    if any(span.request > len(asks) for span in spans):
        raise ValueError("a span has the number of a request that is not there")
    return Marked(
        id=raw["id"],
        source=raw["source"],
        text=text,
        asks=asks,
        spans=spans,
        on_screen=raw["screen"],
        before=tuple(raw["before"]),
        question=question,
        relation=relation,
        urgent=bool(raw["urgent"]),
        conditional=bool(raw.get("conditional")),
        raw=raw,
    )


def unmarked(say: str) -> tuple[str, tuple[Span, ...]]:
    """The plain text and the places of its marks."""
    parts: list[str] = []
    spans: list[Span] = []
    length = last = 0
    for mark in MARK.finditer(say):
        parts.append(say[last : mark.start()])
        length += mark.start() - last
        words = mark.group(1)
        if words != words.strip() or not words:
            raise ValueError(f"the mark {mark.group()!r} begins or ends with a blank")
        spans.append(Span(mark.group(2), length, length + len(words), int(mark.group(3) or 0)))
        parts.append(words)
        length += len(words)
        last = mark.end()
    parts.append(say[last:])
    return "".join(parts), tuple(spans)


def folded(text: str) -> str:
    """For finding the same message twice: letters and digits alone, digits as one kind."""
    return re.sub(r"\d", "0", re.sub(r"[\W_]+", " ", text.casefold())).strip()


def near_duplicates(kept: Iterable[Marked], others: Iterable[Marked], *, share: float = 0.8) -> Iterator[Marked]:
    """Messages of `others` that stand in `kept` but for names and numbers, or share most of their word triples."""
    exact = set()
    index: dict[tuple[str, ...], set[int]] = {}
    sizes: list[int] = []
    for number, message in enumerate(kept):
        exact.add(folded(message.text))
        triples = _triples(message)
        sizes.append(len(triples))
        for triple in triples:
            index.setdefault(triple, set()).add(number)
    for message in others:
        triples = _triples(message)
        if len(message.text.split()) > 2 and folded(message.text) in exact:
            yield message
            continue
        counts: dict[int, int] = {}
        for triple in triples:
            for number in index.get(triple, ()):
                counts[number] = counts.get(number, 0) + 1
        if len(triples) >= 3 and any(
            count >= share * max(len(triples), sizes[number]) for number, count in counts.items()
        ):
            yield message


def _triples(message: Marked) -> set[tuple[str, ...]]:
    """Triples of words, with marked names and values replaced by their kind."""
    text = message.text
    for span in sorted(message.spans, key=lambda span: -span.start):
        if span.type in ("drug", "person", "patient_id", "dose", "birth_date"):
            text = f"{text[: span.start]}<{span.type}>{text[span.end :]}"
    words = folded(text).split()
    return set(zip(words, words[1:], words[2:], strict=False))
