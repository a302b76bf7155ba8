"""Rows of a table as CSV, with the lines they stand on: a row may go over several. What is wrong with one is told.

Where quotes do not match, everything behind that place may be shifted by a cell. Whether a reader goes on behind such a
row is its own matter.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from docgemma.ingest.text import Line

LONGEST_CELL = csv.field_size_limit()
_SAMPLE = 20


@dataclass(frozen=True, slots=True)
class TableRow:
    """`line` is where it begins, `last` where it ends. A row that is `wrong` has no cells.

    `lost`: lines of it, or before it, that could not be read; they came as empty ones.
    """

    line: int
    last: int
    cells: tuple[str, ...] = ()
    wrong: Literal["", "quotes", "too_long"] = ""
    lost: tuple[Line, ...] = ()

    @property
    def empty(self) -> bool:
        return not any(cell.strip() for cell in self.cells)

    def beyond(self, width: int) -> bool:
        """Whether something stands behind the columns of the header: then its cells cannot be told apart."""
        return any(cell.strip() for cell in self.cells[width:])


def table_rows(lines: Iterator[Line], separator: Callable[[Sequence[str]], str], longest: int) -> Iterator[TableRow]:
    """Every row. `separator` is asked with the first lines; `longest`: characters of a row."""
    sample = list(islice(lines, _SAMPLE))
    feed = _Feed(chain(sample, lines), longest)
    reader = csv.reader(feed, delimiter=separator([line.text for line in sample]), strict=True)
    while True:
        begin = feed.begin()
        try:
            cells = next(reader, None)
        except _TooLong:
            yield TableRow(begin, feed.number, wrong="too_long", lost=feed.take_lost())
        except csv.Error:
            yield TableRow(begin, feed.number, wrong="quotes", lost=feed.take_lost())
        else:
            lost = feed.take_lost()
            if cells is None:
                if lost:
                    yield TableRow(begin, feed.number, lost=lost)
                return
            yield TableRow(begin, feed.number, tuple(cells), lost=lost)


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of one line; none where it cannot be taken apart."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


class _TooLong(Exception):
    """The row that is being put together is over the limit."""


class _Feed(Iterator[str]):
    """Lines for the csv module, with their number and the size of the row that is being put together."""

    def __init__(self, lines: Iterator[Line], longest: int) -> None:
        self._lines = lines
        self._longest = longest
        self._size = 0
        self._lost: list[Line] = []
        self.number = 0

    def begin(self) -> int:
        """A row begins; the number of its first line."""
        self._size = 0
        return self.number + 1

    def take_lost(self) -> tuple[Line, ...]:
        lost, self._lost = tuple(self._lost), []
        return lost

    def __next__(self) -> str:
        line = next(self._lines)
        self.number = line.number
        self._lost += [line] if line.wrong else []
        self._size += len(line.text)
        if self._size > self._longest:
            raise _TooLong
        return line.text + "\n"
