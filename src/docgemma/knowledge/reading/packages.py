"""Whether a workbook may be opened at all. It is a zip of XML from outside; nothing is parsed before."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO
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

BROKEN = (BadZipFile, LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""What reading a damaged zip may raise."""


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
    except BROKEN:
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
