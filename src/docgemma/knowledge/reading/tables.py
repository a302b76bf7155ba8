"""Tables as CSV: one header, then rows that may go over several lines.

Where quotes do not match, everything behind that place may be shifted by a cell, and an answer could end up under
another question. Such a file is refused as a whole, with the line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from docgemma.errors import BadInput
from docgemma.knowledge.reading.columns import Columns, ignored, recognised, table_columns
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.files import Source
from docgemma.knowledge.reading.text import TooLong, lines

LONGEST_ROW = 1_000_000
_DELIMITERS = ",;\t"
_APOSTROPHE = re.compile(r"\A'(?=[=+@\t\r＝＋－＠-])")
"""How an export keeps a spreadsheet from computing a cell; it is no part of the text."""


class _Lines(Iterator[str]):
    """The lines of the file, with the size of the row that is being put together held to a limit."""

    def __init__(self, source: Source, read: Iterator[str | TooLong]) -> None:
        self._source = source
        self._read = read
        self._again: list[str] = []
        self.number = 0
        self.size = 0

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._read)
        self.number += 1
        self.size += LONGEST_ROW if isinstance(line, TooLong) else len(line)
        if isinstance(line, TooLong) or self.size > LONGEST_ROW:
            raise BadInput(
                f"{self._source.name} has a row of more than {LONGEST_ROW:,} characters at line {self.number}. "
                "Look for a quotation mark before it that is not closed."
            )
        return line

    def put_back(self, line: str) -> None:
        self._again.append(line)
        self.number -= 1


def read_table(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream:
        every = _Lines(source, lines(stream, source.name, LONGEST_ROW))
        rows = _rows(source, every, _delimiter(every, options))
        first = next(((line, row) for line, row in rows if any(cell.strip() for cell in row)), None)
        if first is None:
            raise BadInput(f"{source.name} is empty. Its first line must name the columns.")
        found = table_columns(first[1], options, source.name)
        if found.unknown:
            tell(Note(source.name, ignored(found.unknown)))
        for line, row in rows:
            if any(cell.strip() for cell in row):
                yield _raw(source, line, row, found, len(first[1]))


def _delimiter(every: _Lines, options: Options) -> str:
    """By the header alone: answers are full of commas and semicolons."""
    for line in every:
        if line.strip():
            every.put_back(line)
            return max(_DELIMITERS, key=lambda mark: _fit(line, mark, options))
    return ","


def _fit(line: str, mark: str, options: Options) -> tuple[int, int]:
    try:
        names = next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return 0, 0
    return recognised(names, options), len(names)


def _rows(source: Source, every: _Lines, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each with the line on which it begins."""
    reader = csv.reader(every, delimiter=delimiter, strict=True)
    while True:
        begin = every.number + 1
        every.size = 0
        try:
            row = next(reader, None)
        except csv.Error:
            raise BadInput(
                f"{source.name} cannot be read from line {begin} on: its quotation marks do not match, or a cell has "
                f"more than {csv.field_size_limit():,} characters. Close each quoted cell and double the marks in it."
            ) from None
        if row is None:
            return
        yield begin, row


def _raw(source: Source, line: int, row: list[str], found: Columns, width: int) -> Raw | Problem:
    if any(cell.strip() for cell in row[width:]):
        text = (
            f"The row has {len(row)} cells, the header {width}. Put cells that hold the separator in quotation marks."
        )
        return Problem(source.name, line, text)
    cells: dict[Field, Cell] = {
        field: _APOSTROPHE.sub("", row[place]) for place, field in found.places.items() if place < len(row)
    }
    return Raw(line, cells)
