"""Excel workbooks: one sheet, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from docgemma.errors import BadInput
from docgemma.ingest.problem import shown
from docgemma.ingest.workbooks import Workbook, opened_workbook
from docgemma.knowledge.reading.columns import Columns, ignored, table_columns
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.fields import called
from docgemma.knowledge.reading.files import Source

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NO_TEXT = {
    "f": "is a formula. Paste its value as text.",
    "e": "is an error of the spreadsheet. Correct it.",
    "b": "is TRUE or FALSE. Write it as text.",
    "n": "is a number, which may be shown otherwise than it is kept. Write it as text.",
    "d": "is a date or time. Write it as text.",
}


def read_workbook(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream, opened_workbook(stream, source.name) as book:
        yield from _read(book, _chosen(book, source, options, tell), source, options, tell)


def _chosen(book: Workbook, source: Source, options: Options, tell: Tell) -> str:
    """The title of the first sheet that a person sees, unless one is named."""
    if options.sheet:
        named = [title for title in book.titles if title.strip().casefold() == options.sheet.strip().casefold()]
        if not named:
            wanted = shown(options.sheet)[:40]
            raise BadInput(f"{source.name} has no sheet '{wanted}'. Its sheets are: {_titles(book.titles)}.")
        return options.sheet if options.sheet in book.titles else named[0]
    if not book.visible:
        raise BadInput(f"{source.name} has no visible sheet. Name one with --sheet: {_titles(book.titles)}.")
    first = book.visible[0]
    others = [title for title in book.titles if title != first]
    if others:
        text = f"Read was the sheet '{shown(first)}'; not read: {_titles(others)}. Name another with --sheet."
        tell(Note(source.name, text))
    return first


def _titles(titles: Sequence[str]) -> str:
    return ", ".join(f"'{shown(title)[:40]}'" for title in islice(titles, 20)) or "none"


def _read(book: Workbook, title: str, source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    merged = book.merged(title)
    found: Columns | None = None
    width = 0
    for number, own in book.rows(title):
        if found is None:
            width = max(own) + 1
            header = [str(own[place].value) if place in own else "" for place in range(width)]
            found = table_columns(header, options, source.name)
            if found.unknown:
                tell(Note(source.name, ignored(found.unknown)))
        elif max(own) >= width:
            text = f"The row has cells beyond the {width} columns of the header. Clear them."
            yield Problem(source.name, number, text)
        else:
            yield _raw(source, number, merged.filled(number, own), found)
    if found is None:
        raise BadInput(f"{source.name} is empty. The first row of its sheet must name the columns.")


def _raw(source: Source, number: int, row: dict[int, Any], found: Columns) -> Raw | Problem:
    cells: dict[Field, Cell] = {}
    for place, field in found.places.items():
        cell = row.get(place)
        if cell is None:
            continue
        value = cell.value
        if cell.data_type == "s" and isinstance(value, str):
            cells[field] = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), value)
        elif field == "reviewed" and cell.data_type == "d" and isinstance(value, date):
            cells[field] = value.date() if isinstance(value, datetime) else value
        elif field == "id" and cell.data_type == "n" and isinstance(value, int):
            cells[field] = str(value)
        else:
            reason = _NO_TEXT.get(cell.data_type, "is not text. Write it as text.")
            return Problem(source.name, number, f"The {called(field)} {reason}")
    return Raw(number, cells)
