"""Taking entries in: what is told on the way, what may be wrong with them, and what came of it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from docgemma.errors import BadInput, Unavailable
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.library.library import Imported
from docgemma.knowledge.reading.contract import Problem, Row

_SHOWN = 20
_EVERY = 1_000

Told = Callable[[str, int, int | None], None]
"""How far a long work is: what it does, how many are done, how many there are if that is known."""


def untold(_phase: str, _done: int, _of: int | None) -> None:
    """Nobody listens."""


class BadRows(BadInput):
    """Rows that cannot be taken. `problems` are the first of them."""

    def __init__(self, problems: Sequence[Problem], count: int) -> None:
        super().__init__(f"{count:,} row{'s' if count > 1 else ''} cannot be taken, and nothing was changed.")
        self.problems = tuple(problems)
        self.count = count


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest did. `demonstration_out`: demonstration entries that gave way to own knowledge."""

    rows: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    brought_back: int = 0
    withdrawn: int = 0
    skipped: int = 0
    demonstration_out: int = 0


class Checked:
    """Rows on their way from being checked to being stored. Checking is what takes long, and files may change under it:
    so every row is read once, and what was found good waits in a file without a name, which no kill leaves behind."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self.good = self.bad = 0
        self.problems: list[Problem] = []

    def read(self, rows: Iterable[Row | Problem], on_progress: Told) -> None:
        for row in rows:
            if isinstance(row, Problem):
                self.bad += 1
                self.problems += [row] if self.bad <= _SHOWN else []
            else:
                self.good += 1
                self._keep(row.entry)
            if (self.good + self.bad) % _EVERY == 0:
                on_progress("reading", self.good + self.bad, None)
        on_progress("reading", self.good + self.bad, None)
        if not self.good + self.bad:
            raise BadInput("There is nothing to take in: the files hold no rows.")

    def entries(self) -> Iterator[Entry]:
        """The good ones, in their order."""
        if self._file is None:
            return
        with _explained():
            self._file.seek(0)
            for line in self._file:
                yield Entry(**json.loads(line))

    def _keep(self, entry: Entry) -> None:
        if self._file is not None:
            with _explained():
                self._file.write(json.dumps(entry.model_dump()) + "\n")


@contextmanager
def checking(folder: Path, *, keep: bool = True) -> Iterator[Checked]:
    """`keep` them in this folder: where the base itself lies there is room for them, or for nothing."""
    if not keep:
        yield Checked(None)
        return
    with ExitStack() as held:
        with _explained():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = held.enter_context(tempfile.TemporaryFile("w+", dir=folder, encoding="utf-8", newline="\n"))
        yield Checked(file)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the disk reports an error"
        raise Unavailable(
            f"The rows cannot be kept beside the knowledge base while they are checked ({reason}), and nothing was "
            "changed. Check the space and the rights of its folder."
        ) from error


def ingested(counts: Imported, rows: int, skipped: int) -> Ingested:
    return Ingested(
        rows=rows,
        new=counts.new,
        changed=counts.changed,
        unchanged=counts.unchanged,
        brought_back=counts.brought_back,
        withdrawn=counts.withdrawn,
        skipped=skipped,
        demonstration_out=counts.demonstration,
    )
