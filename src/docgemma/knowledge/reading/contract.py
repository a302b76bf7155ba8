"""What goes into reading and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, get_args

from docgemma.ingest.problem import Problem as Problem
from docgemma.knowledge.entry import Entry

Field = Literal["id", "question", "answer", "role", "topic", "subtopic", "language", "source", "url", "reviewed"]
FIELDS: tuple[Field, ...] = get_args(Field)

Ids = Literal["file", "content"]

Cell = str | date | None


@dataclass(frozen=True, slots=True)
class Options:
    """What the operator says about all files. The first six fill in where a row says nothing.

    `ids`: "file" takes the rows' own ids, and where there is none makes one of the question, so that a new answer
    becomes a new version of the same entry. "content" makes it of question and answer: for collections whose ids are
    not unique, or that answer one question several times. There a changed answer is another entry.
    """

    role: str = ""
    language: str = ""
    source: str = ""
    topic: str = ""
    subtopic: str = ""
    reviewed: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Field → what its column is called in these files."""
    sheet: str = ""
    ids: Ids = "file"
    allow_orders: bool = False
    """Take texts that read like orders to a program. For a person who has read them."""


@dataclass(frozen=True, slots=True)
class Row:
    """`row` is the number that a person sees: a line of the file, or a row of the sheet."""

    file: str
    row: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was left out on purpose, and that a person should know of."""

    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}" if self.file else self.text


@dataclass(frozen=True, slots=True)
class Raw:
    """One row as it stands in the file, under the names of the fields.

    `hints` is what the place of the file suggests; it counts only where neither the row nor the operator says anything.
    """

    row: int
    cells: Mapping[Field, Cell]
    hints: Mapping[Field, Cell] = field(default_factory=dict)


Tell = Callable[[Note], None]


def unheard(_: Note) -> None:
    """Nobody listens."""
