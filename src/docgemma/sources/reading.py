"""A search's words as the reader marks them: in parts, as the agent gives them, or in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from docgemma.errors import Unavailable
from docgemma.reader.contract import Reader
from docgemma.reader.labels import SpanType
from docgemma.sources.openfda.texts import plain

NARROWING: tuple[SpanType, ...] = (
    *("drug", "status", "phase", "place", "age", "sex", "year", "study_kind"),
    *("patient_id", "person", "relative", "birth_date"),
)
"""What is said beside the thing that is searched for."""

LONGEST = 1_000
"""Letters of a text that are read."""


@dataclass(frozen=True, slots=True)
class Part:
    """What stands between two semicolons, and the user's own words in it by type. Without a reader none are marked."""

    text: str
    spans: tuple[tuple[SpanType, int, int], ...] = ()

    def of(self, *types: SpanType) -> tuple[str, ...]:
        """The words of these types, in order."""
        return tuple(self.text[start:end] for kind, start, end in self.spans if kind in types)

    def runs(self, *types: SpanType) -> tuple[str, ...]:
        """The words of these types with what joins them, where nothing else is marked between: "sepsis and falls"."""
        found: list[str] = []
        for _, group in groupby(self.spans, key=lambda span: span[0] in types):
            first, *others = group
            if first[0] in types:
                found.append(self.text[first[1] : [first, *others][-1][2]])
        return tuple(found)

    def without(self, *types: SpanType) -> str:
        """What is left of the part without the words of these types."""
        text = self.text
        for marked in self.of(*types):
            text = text.replace(marked, " ", 1)
        return " ".join(text.split())

    def led(self, wanted: SpanType) -> tuple[str, ...]:
        """The words of a type with those that lead to them: "before 2010", "not case reports"."""
        ends = (0, *(end for _, _, end in self.spans))
        return tuple(self.text[ends[at] : end] for at, (kind, _, end) in enumerate(self.spans) if kind == wanted)


def parts_of(reader: Reader, frame: str, text: str) -> tuple[Part, ...]:
    """The parts of a text, each once, read together after the words of the frame ("find trials for "). Never raises."""
    parts = dict.fromkeys(part.strip() for part in plain(text[:LONGEST]).split(";"))
    return tuple(_parts(reader, frame, [part for part in parts if part]))


def _parts(reader: Reader, frame: str, parts: list[str]) -> Iterator[Part]:
    try:
        spans = reader.request(f"{frame}{'; '.join(parts)}").spans if parts else ()
    except Unavailable:
        spans = ()
    start = len(frame)
    for part in parts:
        end = start + len(part)
        own = (span for span in spans if start <= span.start < end)
        yield Part(part, tuple((span.type, span.start - start, min(span.end, end) - start) for span in own))
        start = end + len("; ")
