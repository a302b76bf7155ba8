"""What a chart is made of on its way to a reader: entries, parts that yield them, and the finished projection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from docgemma.entities.tables import rows

Topic = Literal[
    "allergies", "medications", "problems", "computed", "pregnancy", "vitals", "labs", "past_medications",
    "past_problems", "notes", "reports", "encounters", "procedures", "immunisations", "social", "plans", "other",
]  # fmt: skip

ALWAYS: tuple[Topic, ...] = ("allergies", "medications", "problems")
"""Whatever is asked and however small the budget: these are there, whole."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What is said of a section: a row of data/sections.tsv, where the columns are explained."""

    title: str
    noun: str
    nouns: str
    weight: str
    sources: tuple[str, ...]
    nothing: str


@cache
def headings() -> dict[Topic, Heading]:
    """All sections, in the order in which a general summary shows them."""
    table = rows("docgemma.ehr", "sections.tsv")
    return {
        cast("Topic", topic): Heading(title, noun, nouns, weight, tuple(sources.split()), nothing)
        for topic, title, noun, nouns, weight, sources, nothing in table
    }


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a section. `short` is the same fact in as few words as it may be said in.

    `own_words`: it speaks about the record and is no entry of it.
    """

    text: str
    date: str = ""
    reference: str = ""
    short: str = ""
    own_words: bool = False


def sentence(text: str) -> Entry:
    """A line of ours about the record, which is no entry of it."""
    return Entry(text, short=text, own_words=True)


@dataclass(frozen=True, slots=True)
class Part:
    """One section in the making. Entries come in order of worth and are written out only as far as there is room."""

    topic: Topic
    entries: Iterable[Entry] = ()
    total: int = 0
    advice: str = "newest first"
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def heading(self) -> Heading:
        return headings()[self.topic]


@dataclass(frozen=True, slots=True)
class Section:
    """A title and its lines, ready to read."""

    title: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """One line of the projection with what it rests on: an answer that uses it can name the resource and its date."""

    title: str
    text: str
    date: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Projection:
    """What of a record goes to a reader. What is not in it is named: left out, or never read."""

    sections: tuple[Section, ...]
    omitted: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    data_date: str | None = None
    quotes: tuple[Quote, ...] = ()

    def text(self) -> str:
        """The whole as plain lines."""
        lines: list[str] = []
        for section in self.sections:
            lines += [f"{section.title}:", *(f"- {entry}" for entry in section.entries)]
        lines += [f"Not checked: {what}" for what in self.not_checked]
        lines += [f"Left out: {what}" for what in self.omitted]
        return "\n".join(lines)
