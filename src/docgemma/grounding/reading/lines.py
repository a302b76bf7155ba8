"""Lines of a stream in UTF-8, or in UTF-16 with its mark. A line that is no text is named, and the rest is read."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import LONGEST_LINE

_ESCAPED = re.compile("[\udc80-\udcff]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
NOT_UTF8 = "The line is not text in UTF-8. Save the file as UTF-8."
TOO_LONG = f"The line has more than {LONGEST_LINE:,} characters. Write one criterion a line."


@dataclass(frozen=True, slots=True)
class Line:
    """`number` as an editor counts. Where `wrong` says something, `text` is empty."""

    number: int
    text: str
    wrong: str = ""


def decoded(stream: BinaryIO, start: bytes, name: str) -> io.TextIOWrapper:
    """`start`: the first bytes, already seen but not taken from the stream. Bytes that are no text stay marked."""
    if start.startswith(_UTF32):
        raise BadInput(f"{name} is text in UTF-32. Save it as UTF-8 and read it again.")
    if start.startswith(_UTF16):
        return io.TextIOWrapper(stream, encoding="utf-16", errors="replace", newline="")
    if b"\0" in start:
        raise BadInput(f"{name} is not text. Export it as text, CSV or JSON in UTF-8 and read that.")
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")


def lines(text: io.TextIOWrapper) -> Iterator[Line]:
    """Each without its line end. No more than one of them is in memory."""
    number = 0
    while line := text.readline(LONGEST_LINE + 1):
        number += 1
        whole = len(line) <= LONGEST_LINE or line.endswith(("\n", "\r"))
        rest = line
        while not whole and (rest := text.readline(LONGEST_LINE)) and not rest.endswith(("\n", "\r")):
            pass
        if not whole:
            yield Line(number, "", TOO_LONG)
        elif not line.isascii() and _ESCAPED.search(line):
            yield Line(number, "", NOT_UTF8)
        else:
            yield Line(number, line.rstrip("\r\n"))
