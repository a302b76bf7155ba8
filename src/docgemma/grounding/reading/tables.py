"""Tables as CSV: a header whose names are understood tolerantly, any usual separator, cells as plain text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import LONGEST_LINE, Piece, Problem, Refused, wrong_line
from docgemma.grounding.reading.records import field_of, pieces
from docgemma.ingest.tables import TableRow, cells_of, table_rows
from docgemma.ingest.text import lines

_SEPARATORS = ",;\t|"
_TEXTS = frozenset({"text", "block", "inclusion", "exclusion"})
_QUOTES = "its quotation marks do not match, or it is too long. Close each quoted cell and double the marks in it"
_EXCEL = re.compile(r"sep=.?", re.IGNORECASE)
"""The first line of some exports: it tells a spreadsheet the separator, and names no column."""


def read_table(text: io.TextIOWrapper, name: str) -> Iterator[Piece | Problem]:
    header: Sequence[str] = ()
    empty = True
    for row in table_rows(lines(text, LONGEST_LINE), _separator, LONGEST_LINE):
        empty = empty and row.empty and not row.lost
        if row.lost and not header:
            raise BadInput(f"{name} names its columns in a line that is not text in UTF-8. Save the file as UTF-8.")
        yield from map(wrong_line, row.lost)
        if row.wrong:
            upto = f"to {row.last} " if row.last > row.line else ""
            where = f"line {row.line} {upto}was passed over"
            yield Problem("", row.line, f"The row cannot be read ({where}): {_QUOTES}.")
        elif row.lost or row.empty:
            continue  # a cell over several lines of which one is lost is another criterion
        elif not header:
            header = () if _EXCEL.fullmatch(row.cells[0]) else _checked(row.cells, name)
        else:
            yield from _of_row(header, row)
    if empty:
        raise BadInput(f"{name} is empty. Its first line must name the columns.")


def _of_row(header: Sequence[str], row: TableRow) -> Iterator[Piece | Problem]:
    if row.beyond(len(header)):
        cells = f"The row has {len(row.cells)} cells, the header {len(header)}."
        yield Problem("", row.line, f"{cells} Put cells with the separator in quotation marks.")
        return
    record = {name: cell for name, cell in zip(header, row.cells, strict=False) if cell.strip()}
    try:
        yield from pieces(record, row.line)
    except Refused as reason:
        yield Problem("", row.line, str(reason))


def recognised(line: str, separator: str) -> int:
    """How many of a header's names mean something here; 0 where none is a text."""
    found = {field for name in cells_of(line, separator) if (field := field_of(name))}
    return len(found) if found & _TEXTS else 0


def _separator(sample: Sequence[str]) -> str:
    """By the header where its names are known; else as the csv module finds it."""
    first = next((line for line in sample if line.strip() and not _EXCEL.fullmatch(line.strip())), "")
    best = max(_SEPARATORS, key=lambda mark: recognised(first, mark))
    if recognised(first, best) > 1:
        return best
    try:
        sniffed = csv.Sniffer().sniff("\n".join(sample)).delimiter
    except csv.Error:
        return best
    return sniffed if not sniffed.isalnum() and sniffed not in " \"'" and sniffed.isprintable() else best


def _checked(row: Sequence[str], name: str) -> Sequence[str]:
    if not _names_a_text(row):
        found = ", ".join(f"'{cell.strip()[:40]}'" for cell in row[:12] if cell.strip())
        raise BadInput(f"{name} has no column for the criterion's text. Call it 'text'; found were: {found}.")
    twice = [cell for cell in row if row.count(cell) > 1 and field_of(cell)]
    if twice:
        raise BadInput(f"{name} has two columns named '{twice[0][:40]}'. Rename one.")
    return row


def _names_a_text(row: Sequence[str]) -> bool:
    """A row such as `1, Inclusion, Asthma` is no header: its second cell is a type, and a number names no column."""
    found = {field for cell in row if (field := field_of(cell)) in _TEXTS}
    return bool(found) and (len(found) > 1 or found <= {"text", "block"} or not any(map(str.isdecimal, row)))
