"""Excel workbooks: one sheet, row by row."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from itertools import islice
from typing import Any, BinaryIO

from docgemma.errors import BadInput, Unavailable
from docgemma.knowledge.reading.columns import Columns, ignored, table_columns
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.fields import called
from docgemma.knowledge.reading.files import Source, shown
from docgemma.knowledge.reading.merged import merged
from docgemma.knowledge.reading.packages import BROKEN, check_package, damaged

MOST_ROWS = 1_048_576
"""What a sheet can have; a file that counts further was not made by a spreadsheet."""

_BATCH = 500
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_FAILS = (*BROKEN, KeyError, IndexError, TypeError, AttributeError, SyntaxError, OverflowError, AssertionError)
"""What openpyxl raises on XML that is not as it expects. It has no errors of its own for that."""

_NO_TEXT = {
    "f": "is a formula. Paste its value as text.",
    "e": "is an error of the spreadsheet. Correct it.",
    "b": "is TRUE or FALSE. Write it as text.",
    "n": "is a number, which may be shown otherwise than it is kept. Write it as text.",
    "d": "is a date or time. Write it as text.",
}


def read_workbook(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream:
        check_package(stream, source.name)
        book = _opened(stream, source)
        try:
            yield from _read(_sheet(book, source, options, tell), source, options, tell)
        finally:
            book.close()


def _opened(stream: BinaryIO, source: Source) -> Any:
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        raise Unavailable(
            "Excel files need the extra: pip install 'docgemma[xlsx]'. Or save it as CSV in UTF-8."
        ) from None
    with _reading(source):
        return openpyxl.load_workbook(stream, read_only=True, data_only=False, keep_links=False)


@contextmanager
def _reading(source: Source) -> Iterator[None]:
    """Around the library alone. It warns about every button and colour that it does not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except _FAILS:
            raise damaged(source.name) from None


def _sheet(book: Any, source: Source, options: Options, tell: Tell) -> Any:
    """The first that a person sees, unless one is named."""
    sheets = {str(sheet.title): sheet for sheet in book.worksheets}
    if options.sheet:
        named = [title for title in sheets if title.strip().casefold() == options.sheet.strip().casefold()]
        if not named:
            raise BadInput(
                f"{source.name} has no sheet '{shown(options.sheet)[:40]}'. Its sheets are: {_titles(sheets)}."
            )
        return sheets[options.sheet if options.sheet in sheets else named[0]]
    visible = [title for title in sheets if sheets[title].sheet_state == "visible"]
    if not visible:
        raise BadInput(f"{source.name} has no visible sheet. Name one with --sheet: {_titles(sheets)}.")
    others = [title for title in sheets if title != visible[0]]
    if others:
        text = f"Read was the sheet '{shown(visible[0])}'; not read: {_titles(others)}. Name another with --sheet."
        tell(Note(source.name, text))
    return sheets[visible[0]]


def _titles(titles: Sequence[str] | dict[str, Any]) -> str:
    return ", ".join(f"'{shown(title)[:40]}'" for title in islice(titles, 20)) or "none"


def _read(sheet: Any, source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with _reading(source):
        joined = merged(sheet)
    found: Columns | None = None
    width = 0
    for number, row in _rows(sheet, source):
        own = {place: cell for place, cell in enumerate(row) if not _is_empty(cell)}
        if not own:
            continue
        if found is None:
            width = max(own) + 1
            header = [str(own[place].value) if place in own else "" for place in range(width)]
            found = table_columns(header, options, source.name)
            if found.unknown:
                tell(Note(source.name, ignored(found.unknown)))
        elif max(own) >= width:
            yield Problem(
                source.name, number, f"The row has cells beyond the {width} columns of the header. Clear them."
            )
        else:
            yield _raw(source, number, joined.filled(number, own), found)
    if found is None:
        raise BadInput(f"{source.name} is empty. The first row of its sheet must name the columns.")


def _rows(sheet: Any, source: Source) -> Iterator[tuple[int, Sequence[Any]]]:
    """The sheet's own word on its size is not believed: it decides how wide empty rows are made."""
    number = 0
    with _reading(source):
        sheet.reset_dimensions()
        rows = sheet.iter_rows()
    while True:
        with _reading(source):
            batch = list(islice(rows, _BATCH))
        if not batch:
            return
        for row in batch:
            number += 1
            if number > MOST_ROWS:
                raise damaged(source.name)
            yield number, row


def _is_empty(cell: Any) -> bool:
    return cell.value is None or (isinstance(cell.value, str) and not cell.value.strip())


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
