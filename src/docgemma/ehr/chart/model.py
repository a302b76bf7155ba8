"""What a chart is made of on its way to a reader: entries, parts that yield them, and the finished projection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Topic = Literal[
    "allergies", "medications", "problems", "computed", "pregnancy", "vitals", "labs", "past_medications",
    "past_problems", "notes", "reports", "encounters", "procedures", "immunisations", "social", "plans", "other",
]  # fmt: skip

TITLES: dict[Topic, str] = {
    "allergies": "Allergies and intolerances",
    "medications": "Active medications",
    "problems": "Active problems",
    "computed": "Computed values",
    "pregnancy": "Pregnancy",
    "vitals": "Vital signs",
    "labs": "Laboratory results",
    "past_medications": "Past medications",
    "past_problems": "Resolved problems",
    "notes": "Notes",
    "reports": "Reports",
    "encounters": "Encounters",
    "procedures": "Procedures",
    "immunisations": "Immunisations",
    "social": "Social history and questionnaires",
    "plans": "Care plans",
    "other": "Other observations",
}

ALWAYS: tuple[Topic, ...] = ("allergies", "medications", "problems")
"""Whatever is asked and however small the budget: these are there, whole."""


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
    noun: str = "entry"
    nouns: str = "entries"
    advice: str = "newest first"
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


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
