"""Lines of text in UTF-8, or in UTF-16 with its mark, numbered as an editor does. No other encoding is guessed."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from docgemma.ingest.problem import not_utf8

_ESCAPED = re.compile("[\udc80-\udcff]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)

Wrong = Literal["", "not_text", "too_long"]


@dataclass(frozen=True, slots=True)
class Line:
    """`text` is without the line end; it is empty where the line is `wrong`."""

    number: int
    text: str
    wrong: Wrong = ""


def is_utf32(start: bytes) -> bool:
    return start.startswith(_UTF32)


def is_utf16(start: bytes) -> bool:
    return start.startswith(_UTF16) and not is_utf32(start)


def decoded(stream: BinaryIO, start: bytes) -> io.TextIOWrapper:
    """`start`: the first bytes, seen but not taken from the stream. Bytes that are no text stay marked."""
    if is_utf16(start):
        return io.TextIOWrapper(stream, encoding="utf-16", errors="strict", newline="")
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")


def first_sign(start: bytes) -> str:
    """The first character of the text that is not blank; "" where there is none in these bytes."""
    encoding = "utf-16" if is_utf16(start) else "utf-8-sig"
    return start.decode(encoding, errors="replace").lstrip(" \t\r\n")[:1]


def lines(text: io.TextIOBase, longest: int) -> Iterator[Line]:
    """Every line, also those that are wrong. No more than one of them is in memory."""
    number = 0
    try:
        while line := text.readline(longest + 1):
            number += 1
            whole = _ended(line, longest + 1)
            if not whole:
                while not _ended(text.readline(longest), longest):
                    pass
                yield Line(number, "", "too_long")
            elif not is_text(line):
                yield Line(number, "", "not_text")
            else:
                yield Line(number, line.rstrip("\r\n"))
    except UnicodeError:
        yield Line(number + 1, "", "not_text")


def file_lines(stream: BinaryIO, file: str, longest: int) -> Iterator[Line]:
    """As `lines`, for a file that is given up where it is no text: BadInput with the line."""
    with _of_a_file(stream, file) as text:
        for line in lines(text, longest):
            if line.wrong == "not_text":
                raise not_utf8(file, line.number)
            yield line


def file_text(stream: BinaryIO, file: str) -> str:
    """All of a file whose size was checked before; BadInput where it is no text."""
    with _of_a_file(stream, file) as text:
        try:
            read = text.read()
        except UnicodeError:
            raise not_utf8(file) from None
    if not is_text(read):
        raise not_utf8(file, lines_before_wrong(read) + 1)
    return read


def with_bytes_marked(read: str, mark: str) -> str:
    """With a mark in place of every byte that is no text."""
    return read if read.isascii() else _ESCAPED.sub(mark, read)


def is_text(read: str) -> bool:
    """Whether all bytes of it were UTF-8."""
    return read.isascii() or _ESCAPED.search(read) is None


def lines_before_wrong(read: str) -> int:
    """How many lines end before the first byte of it that is no text."""
    found = _ESCAPED.search(read)
    return len(re.findall("\r\n?|\n", read[: found.start()])) if found else 0


def _of_a_file(stream: BinaryIO, file: str) -> io.TextIOWrapper:
    start = stream.read(4)
    stream.seek(0)
    if is_utf32(start):
        raise not_utf8(file, 1)
    return decoded(stream, start)


def _ended(line: str, asked: int) -> bool:
    """Whether this is a whole line, or the last one. Cut behind a CR it may go on with the LF."""
    return len(line) < asked or line.endswith("\n")


@dataclass(frozen=True, slots=True)
class ByteLine:
    """`data` without blanks around it. `cut`: the line is longer, and its rest was passed over."""

    number: int
    data: bytes
    cut: bool


def byte_lines(stream: BinaryIO, longest: int) -> Iterator[ByteLine]:
    """Lines as they came, for what is known again by its bytes; blank ones are left out, and so is the mark."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        cut = len(line) > longest and not line.endswith(b"\n")
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(longest)):
            pass
        data = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).strip()
        if data:
            yield ByteLine(number, data, cut)
