"""Lines of a text file, counted as an editor counts them, in UTF-8 or in UTF-16 with its mark; nothing is guessed."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from docgemma.errors import BadInput

_ESCAPED = re.compile("[\udc80-\udcff]")
_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TooLong:
    """Stands for a line that is over the limit; it was passed over."""


TOO_LONG = TooLong()


def lines(stream: BinaryIO, file: str, longest: int) -> Iterator[str | TooLong]:
    """Each with its line end. No more than one of them is in memory."""
    with _decoded(stream, file) as text:
        number = 0
        try:
            while line := text.readline(longest + 1):
                number += 1
                if not line.isascii() and _ESCAPED.search(line):
                    raise not_utf8(file, number)
                yield line if _ended(line, longest + 1) else _rest_passed_over(text, longest)
        except UnicodeError:
            raise not_utf8(file, number + 1) from None


def whole(stream: BinaryIO, file: str) -> str:
    """For a file whose size was checked before."""
    with _decoded(stream, file) as text:
        try:
            read = text.read()
        except UnicodeError:
            raise not_utf8(file, 0) from None
    if found := _ESCAPED.search(read):
        raise not_utf8(file, read.count("\n", 0, found.start()) + 1)
    return read


def not_utf8(file: str, line: int) -> BadInput:
    where = f" (line {line})" if line else ""
    return BadInput(f"{file} is not text in UTF-8{where}. Save it as UTF-8 and read it again.")


def _decoded(stream: BinaryIO, file: str) -> io.TextIOWrapper:
    start = stream.read(4)
    stream.seek(0)
    if start.startswith(_WIDE):
        raise not_utf8(file, 1)
    if start.startswith(_UTF16):
        return io.TextIOWrapper(stream, encoding="utf-16", errors="strict", newline="")
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _ended(line: str, asked: int) -> bool:
    """Whether this is a whole line, or the last one. Cut behind a CR it may go on with the LF."""
    return len(line) < asked or line.endswith("\n")


def _rest_passed_over(text: io.TextIOWrapper, step: int) -> TooLong:
    while not _ended(text.readline(step), step):
        pass
    return TOO_LONG
