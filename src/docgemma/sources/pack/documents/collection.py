"""What a pack of records needs to know of them: how they are read, what they are found by, and which is the better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from docgemma.sources.pack.kinds import Kind


@dataclass(frozen=True, slots=True)
class Entry:
    """A record to be kept. Of two with the same key the one with the higher version stays; of equals, the later one.

    `order` puts the records of a pack in a row, the smaller first: of very many that fit, the first are looked at.
    One that is `retracted` is not searched; who asks for it by its number gets it, marked.
    """

    key: str
    version: str
    order: str
    body: bytes
    updated: str = ""
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Records that another one says are retracted, or `deleted`: as if they had never been there."""

    keys: tuple[str, ...]
    updated: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    why: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """A record's own numbers, its texts, folded, in the order of the columns, and what it is filtered by."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    facts: tuple[str | int | None, ...]


class Collection(Protocol):
    @property
    def kind(self) -> Kind: ...

    @property
    def page(self) -> tuple[str, ...]:
        """Where in a page of the service its list of records is."""
        ...

    @property
    def columns(self) -> Mapping[str, float]:
        """What is searched, and how much a hit there weighs."""
        ...

    @property
    def facts(self) -> tuple[str, ...]:
        """What is filtered by, as columns of a table."""
        ...

    def read(self, record: Any) -> Iterator[Entry | TakenBack | Skipped]:
        """One record of a file, which may also take others back. Raises Unreadable for one of another kind."""
        ...

    def indexed(self, body: bytes) -> Indexed:
        """What to write into the index for a record that is kept."""
        ...
