"""What one kind of pack does in its own way: reading records, keeping them, and writing the databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from docgemma.sources.pack.kinds import Kind
from docgemma.sources.pack.parts import Feed
from docgemma.sources.pack.progress import Reached, Tables
from docgemma.store.snapshot import Handle


@dataclass(frozen=True, slots=True)
class Written:
    """How many records the databases hold, and of how many drugs where that is counted."""

    kept: int
    drugs: int = 0


class Recipe(Protocol):
    """`options` is whatever else than the files changes the pack; `tables` are those of its staging file."""

    @property
    def kind(self) -> Kind: ...

    @property
    def options(self) -> str: ...

    @property
    def keep(self) -> int: ...

    @property
    def tables(self) -> Tables: ...

    def check(self) -> None:
        """Whether such a pack can be made on this machine. Raises Unavailable."""
        ...

    def records(self, feed: Feed, reached: Reached) -> Iterator[Any]:
        """What is in a file. At the end, `reached` has the day it is of. Raises Unreadable."""
        ...

    def recognise(self, record: Any) -> None:
        """Look at the first record of a file. Raises Unreadable for one of another kind."""
        ...

    def take(self, handle: Handle, record: Any, reached: Reached) -> None:
        """Keep a record, or count why not. Raises Unreadable for one that shows that the file is of another kind."""
        ...

    def write(self, folder: Path, handle: Handle, data_date: str, heard: Callable[[int], None]) -> Written:
        """Make the databases out of what was kept. `heard` is told how many records are written."""
        ...
