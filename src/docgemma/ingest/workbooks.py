"""Excel workbooks, sheet by sheet and row by row. One is a zip of XML from outside: nothing is parsed before all of its
parts were seen to be harmless."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from docgemma.errors import BadInput

LARGEST = 500_000_000
LARGEST_PART = 50_000_000
"""For the parts that are parsed as a whole: all but the sheets and their texts."""

MOST_RATIO = 200
MOST_PARTS = 5_000
_STREAMED = re.compile(r"/?xl/(?:worksheets/[^/]+|sharedStrings)\.xml", re.IGNORECASE)
_SMALL = 1_000_000
_CHUNK = 1 << 20
_OLD = b"\xd0\xcf\x11\xe0"
_DECLARED = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)|macroEnabled|vbaProject", re.IGNORECASE)
_OVERLAP = 32
_ENCRYPTED = 0x1

MOST_ROWS = 1_048_576
"""What a sheet can have; a file that counts further was not made by a spreadsheet."""

_BATCH = 500
_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref\s*=\s*[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']")
_MERGE_OVERLAP = 300
_MOST_MERGES = 200_000
_BROKEN = (BadZipFile, LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What reading a damaged zip may raise."""

_FAILS = (*_BROKEN, KeyError, IndexError, TypeError, AttributeError, SyntaxError, OverflowError, AssertionError)
"""What openpyxl raises on XML that is not as it expects. It has no errors of its own for that."""


class Workbook:
    """A workbook that was opened. BadInput for whatever turns out to be damaged."""

    def __init__(self, book: Any, file: str) -> None:
        self._book, self._file = book, file
        self._sheets = {str(sheet.title): sheet for sheet in book.worksheets}

    @property
    def titles(self) -> list[str]:
        return list(self._sheets)

    @property
    def visible(self) -> list[str]:
        """The titles of the sheets that a person sees."""
        return [title for title, sheet in self._sheets.items() if sheet.sheet_state == "visible"]

    def merged(self, title: str) -> Merged:
        with reading(self._file):
            return _merged(self._sheets[title])

    def rows(self, title: str) -> Iterator[tuple[int, dict[int, Any]]]:
        """Every row that holds something: its number, and by column the cells that are not empty.

        The sheet's own word on its size is not believed: it decides how wide empty rows are made.
        """
        number = 0
        with reading(self._file):
            self._sheets[title].reset_dimensions()
            rows = self._sheets[title].iter_rows()
        while True:
            with reading(self._file):
                batch: list[Sequence[Any]] = list(islice(rows, _BATCH))
            if not batch:
                return
            for row in batch:
                number += 1
                if number > MOST_ROWS:
                    raise damaged(self._file)
                if own := {place: cell for place, cell in enumerate(row) if not _is_empty(cell)}:
                    yield number, own


@contextmanager
def opened_workbook(stream: BinaryIO, file: str) -> Iterator[Workbook]:
    """BadInput for what is no plain workbook: protected, with macros or links, or built to fill the memory."""
    check_package(stream, file)
    import openpyxl  # slow to import, and only workbooks need it

    with reading(file):
        book = openpyxl.load_workbook(stream, read_only=True, data_only=False, keep_links=False)
    try:
        yield Workbook(book, file)
    finally:
        book.close()


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Around the library alone. It warns about every button and colour that it does not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except _FAILS:
            raise damaged(file) from None


def _is_empty(cell: Any) -> bool:
    return cell.value is None or (isinstance(cell.value, str) and not cell.value.strip())


def check_package(stream: BinaryIO, file: str) -> None:
    """BadInput for what is no plain workbook: protected, with macros or links, or built to fill the memory."""
    start = stream.read(4)
    stream.seek(0)
    if start == _OLD:
        raise BadInput(f"{file} is an old Excel file or protected by a password. Save it as .xlsx without a password.")
    try:
        with ZipFile(stream) as package:
            parts = package.infolist()
            _check_list(parts, file)
            for part in parts:
                _check_part(package, part, file)
    except _BROKEN:
        raise damaged(file) from None
    stream.seek(0)


def damaged(file: str) -> BadInput:
    return BadInput(f"{file} is damaged or no Excel workbook. Open it in a spreadsheet and save it as .xlsx again.")


def _check_list(parts: list[ZipInfo], file: str) -> None:
    names = [part.filename.lower() for part in parts]
    size = sum(part.file_size for part in parts)
    packed = sum(part.compress_size for part in parts)
    if len(parts) > MOST_PARTS or size > LARGEST or _inflated(size, packed):
        raise _too_large(file)
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise BadInput(f"{file} is protected by a password. Save it without one.")
    if len(set(names)) < len(names):
        raise damaged(file)
    if any("vbaproject" in name or "macrosheets/" in name for name in names):
        raise _macros(file)
    if any("externallinks/" in name for name in names):
        raise BadInput(f"{file} takes values from other workbooks. Paste them as values and remove the links.")


def _check_part(package: ZipFile, part: ZipInfo, file: str) -> None:
    """All of it is read once: a declaration may stand anywhere, and hide between the bytes of a wider encoding."""
    if _inflated(part.file_size, part.compress_size):
        raise _too_large(file)
    if part.file_size > LARGEST_PART and not _STREAMED.fullmatch(part.filename):
        raise _too_large(file)
    before = b""
    for chunk in _chunks(package, part):
        here = before + chunk.replace(b"\0", b"")
        if found := _DECLARED.search(here):
            if b"!" in found.group():
                raise BadInput(f"{file} holds declarations (DTD) that no spreadsheet writes. Save it as .xlsx again.")
            raise _macros(file)
        before = here[-_OVERLAP:]


def _chunks(package: ZipFile, part: ZipInfo) -> Iterator[bytes]:
    with package.open(part) as opened:
        while chunk := opened.read(_CHUNK):
            yield chunk


def _inflated(size: int, packed: int) -> bool:
    return size > _SMALL and size > MOST_RATIO * max(packed, 1)


def _too_large(file: str) -> BadInput:
    return BadInput(f"{file} unpacks to more than a workbook of entries needs. Save it as CSV in UTF-8 and read that.")


def _macros(file: str) -> BadInput:
    return BadInput(f"{file} holds macros. Save it as .xlsx without them.")


class Merged:
    """Cells that were merged downwards: a topic that stands once beside its twenty questions holds for all of them.

    Ranges by their first column: what is merged sideways has its value there, and no other column gets it.
    """

    def __init__(self, ranges: Mapping[int, list[tuple[int, int]]]) -> None:
        self._waiting = {column: sorted(found, reverse=True) for column, found in ranges.items()}
        self._current: dict[int, tuple[int, Any]] = {}

    def filled(self, number: int, own: dict[int, Any]) -> dict[int, Any]:
        """The row with what holds for it from above. Rows are asked for from the top down."""
        for column, waiting in self._waiting.items():
            while waiting and waiting[-1][0] <= number:
                first, last = waiting.pop()
                if first == number and column in own:
                    self._current[column] = (last, own[column])
        held = {column: cell for column, (last, cell) in self._current.items() if number <= last}
        return {**held, **own}


def _merged(sheet: Any) -> Merged:
    """A streamed sheet names its merged cells after all rows, so its text is looked through first."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    count, before = 0, b""
    with sheet._get_source() as text:
        while count < _MOST_MERGES and (chunk := text.read(_CHUNK)):
            here = before + chunk
            end = 0
            for found in _MERGE.finditer(here):
                end = found.end()
                first, last = int(found[2]), int(found[4])
                if last > first:
                    ranges.setdefault(_column(found[1]), []).append((first, last))
                    count += 1
            before = here[max(end, len(here) - _MERGE_OVERLAP) :]
    return Merged(ranges)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
