"""Tables as CSV: a header whose names are understood tolerantly, any usual separator, cells as plain text."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import LONGEST_LINE, Piece, Problem, Refused
from docgemma.grounding.reading.lines import lines
from docgemma.grounding.reading.records import field_of, pieces

_SEPARATORS = ",;\t|"
_TEXTS = frozenset({"text", "block", "inclusion", "exclusion"})
_QUOTES = "its quotation marks do not match, or it is too long. Close each quoted cell and double the marks in it"


_EXCEL = re.compile(r"sep=.?", re.IGNORECASE)
"""The first line of some exports: it tells a spreadsheet the separator, and names no column."""


class _Rows(Iterator[str]):
    """The lines for the csv module, with their number; in `wrong`, by number, what is no text."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._read = lines(text)
        self._again: list[str] = []
        self.number = 0
        self.size = 0
        self.wrong: dict[int, str] = {}

    def __next__(self) -> str:
        self.number += 1
        if self._again:
            return self._again.pop(0)
        line = next(self._read)
        if line.wrong:
            self.wrong[line.number] = line.wrong
        self.size += len(line.text)
        if self.size > LONGEST_LINE:
            raise csv.Error("too long")
        return line.text + "\n"

    def put_back(self, taken: list[str]) -> None:
        self._again = taken
        self.number = 0

    def problems(self) -> list[Problem]:
        """Of the lines up to here that nobody has heard of yet."""
        met = sorted(number for number in self.wrong if number <= self.number)
        return [Problem(number, self.wrong.pop(number)) for number in met]


def read_table(text: io.TextIOWrapper, name: str) -> Iterator[Piece | Problem]:
    rows = _Rows(text)
    start = list(itertools.islice(rows, 20))
    if not any(line.strip() for line in start):
        raise BadInput(f"{name} is empty. Its first line must name the columns.")
    rows.put_back(start)
    header: list[str] | None = None
    for begin, row in _parsed(rows, _separator(start)):
        broken = rows.problems()
        if broken and header is None:
            raise BadInput(f"{name} names its columns in a line that is not text in UTF-8. Save the file as UTF-8.")
        yield from broken
        if isinstance(row, Problem):
            yield row
        elif broken or not any(cell.strip() for cell in row):
            continue  # a cell over several lines of which one is lost is another criterion
        elif header is None:
            header = None if _EXCEL.fullmatch(row[0]) else _checked(row, name)
        else:
            yield from _of_row(header, row, begin)


def _parsed(rows: _Rows, separator: str) -> Iterator[tuple[int, list[str] | Problem]]:
    """Each with the line on which it begins. After a row that cannot be read it goes on with the next line."""
    reader = csv.reader(rows, delimiter=separator, strict=True)
    while True:
        begin, rows.size = rows.number + 1, 0
        try:
            row = next(reader, None)
        except csv.Error:
            upto = f"to {rows.number} " if rows.number > begin else ""
            yield begin, Problem(begin, f"The row cannot be read (line {begin} {upto}was passed over): {_QUOTES}.")
            continue
        if row is None:
            return
        yield begin, row


def _of_row(header: Sequence[str], row: Sequence[str], line: int) -> Iterator[Piece | Problem]:
    if any(cell.strip() for cell in row[len(header) :]):
        text = (
            f"The row has {len(row)} cells, the header {len(header)}. Put cells with the separator in quotation marks."
        )
        yield Problem(line, text)
        return
    record = {name: cell for name, cell in zip(header, row, strict=False) if cell.strip()}
    try:
        yield from pieces(record, line)
    except Refused as reason:
        yield Problem(line, str(reason))


def recognised(line: str, separator: str) -> int:
    """How many of a header's names mean something here; 0 where none is a text."""
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return 0
    found = {field for name in names if (field := field_of(name))}
    return len(found) if found & _TEXTS else 0


def _separator(start: Sequence[str]) -> str:
    """By the header where its names are known; else as the csv module finds it."""
    first = next((line for line in start if line.strip() and not _EXCEL.fullmatch(line.strip())), "")
    best = max(_SEPARATORS, key=lambda mark: recognised(first, mark))
    if recognised(first, best) > 1:
        return best
    try:
        sniffed = csv.Sniffer().sniff("".join(start)).delimiter
    except csv.Error:
        return best
    return sniffed if not sniffed.isalnum() and sniffed not in " \"'" and sniffed.isprintable() else best


def _checked(row: list[str], name: str) -> list[str]:
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
