"""Tables as CSV: one header, then rows that may go over several lines.

Where quotes do not match, everything behind that place may be shifted by a cell, and an answer could end up under
another question. Such a file is refused as a whole, with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docgemma.errors import BadInput
from docgemma.ingest.tables import LONGEST_CELL, TableRow, cells_of, table_rows
from docgemma.ingest.text import file_lines
from docgemma.knowledge.reading.columns import Columns, ignored, recognised, table_columns
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.files import Source

LONGEST_ROW = 1_000_000
_SEPARATORS = ",;\t"
_APOSTROPHE = re.compile(r"\A'(?=[=+@\t\r＝＋－＠-])")
"""How an export keeps a spreadsheet from computing a cell; it is no part of the text."""


def read_table(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream:
        found: Columns | None = None
        width = 0
        lines = file_lines(stream, source.name, LONGEST_ROW)
        for row in table_rows(lines, lambda sample: _separator(sample, options), LONGEST_ROW):
            _refuse_broken(row, source.name)
            if row.empty:
                continue
            if found is None:
                width = len(row.cells)
                found = table_columns(row.cells, options, source.name)
                if found.unknown:
                    tell(Note(source.name, ignored(found.unknown)))
            else:
                yield _raw(source, row, found, width)
        if found is None:
            raise BadInput(f"{source.name} is empty. Its first line must name the columns.")


def _separator(sample: Sequence[str], options: Options) -> str:
    """By the header alone: answers are full of commas and semicolons."""

    def fit(mark: str) -> tuple[int, int]:
        names = cells_of(header, mark)
        return recognised(names, options), len(names)

    header = next((line for line in sample if line.strip()), "")
    return max(_SEPARATORS, key=fit)


def _refuse_broken(row: TableRow, file: str) -> None:
    if row.wrong == "too_long" or row.lost:
        line = row.lost[0].number if row.lost else row.last
        raise BadInput(
            f"{file} has a row of more than {LONGEST_ROW:,} characters at line {line}. "
            "Look for a quotation mark before it that is not closed."
        )
    if row.wrong:
        raise BadInput(
            f"{file} cannot be read from line {row.line} on: its quotation marks do not match, or a cell has "
            f"more than {LONGEST_CELL:,} characters. Close each quoted cell and double the marks in it."
        )


def _raw(source: Source, row: TableRow, found: Columns, width: int) -> Raw | Problem:
    if row.beyond(width):
        text = (
            f"The row has {len(row.cells)} cells, the header {width}. "
            "Put cells that hold the separator in quotation marks."
        )
        return Problem(source.name, row.line, text)
    cells: dict[Field, Cell] = {
        field: _APOSTROPHE.sub("", row.cells[place]) for place, field in found.places.items() if place < len(row.cells)
    }
    return Raw(row.line, cells)
