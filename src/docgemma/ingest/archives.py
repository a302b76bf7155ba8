"""Packed files: gzip, and the files in a zip, one after the other in the order of its directory.

A register's download holds half a million files. Python's own reader keeps a record of each in memory; here the
directory is read along with them. Names inside do not lead anywhere: nothing is ever unpacked to a path.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipExtFile, ZipInfo

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_END_64_AT = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 1 << 16
_FULL, _FULL_SHORT = 0xFFFFFFFF, 0xFFFF
_ENCRYPTED = 1
_SIZES_64 = 1


DAMAGED = (zlib.error, EOFError, BadZipFile, gzip.BadGzipFile)
"""What reading a damaged or cut file raises, a gzip too."""

MOST_BYTES = 64_000_000_000
"""Of one file, unpacked. Real ones have about one thousand million; a whole register less than twenty."""
MOST_RATIO = 200
_RATIO_FROM = 64_000_000


class TooMuch(Exception):
    """More came out of a file than may."""


class Bounded:
    """Counts what comes out of a file, or of all files in one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._given = 0

    def count(self, data: bytes) -> bytes:
        self._given += len(data)
        if self._given > self._most:
            raise TooMuch
        return data


def most_unpacked(packed: int) -> int:
    """How much may come out of a packed file of this size; real data never come near to it."""
    return min(MOST_BYTES, max(_RATIO_FROM, MOST_RATIO * packed))


class Locked(Exception):
    """A file inside is encrypted, or packed in another way than usual."""


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    start: int
    packed: int
    size: int
    checksum: int
    method: int
    flags: int

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


class Archive:
    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.count, self._at, self._length = self._directory()

    def entries(self) -> Iterator[Entry]:
        """Every file in the directory. Only one of them is in memory."""
        at, end = self._at, self._at + self._length
        for _ in range(self.count):
            head = self._bytes(at, _ENTRY.size)
            found = _ENTRY.unpack(head)
            if found[0] != b"PK\1\2":
                raise BadZipFile
            flags, method, checksum, packed, size = found[3], found[4], found[7], found[8], found[9]
            named, extra, comment, offset = found[10], found[11], found[12], found[16]
            tail = self._bytes(at + _ENTRY.size, named + extra)
            size, packed, offset = _large(tail[named:], size, packed, offset)
            start = self._start(offset, tail[:named])
            yield Entry(tail[:named].decode("utf-8", "replace"), start, packed, size, checksum, method, flags)
            at += _ENTRY.size + named + extra + comment
        if at != end:
            raise BadZipFile

    def opened(self, entry: Entry) -> ZipExtFile:
        """One file inside, unpacked piece by piece; at its end the checksum was right. Raises Locked."""
        if entry.flags & _ENCRYPTED or entry.method not in (ZIP_STORED, ZIP_DEFLATED):
            raise Locked
        info = ZipInfo("inside")
        info.compress_type, info.compress_size = entry.method, entry.packed
        info.file_size, info.CRC = entry.size, entry.checksum
        self._raw.seek(entry.start)
        return ZipExtFile(self._raw, "r", info)

    def _start(self, offset: int, name: bytes) -> int:
        """Where the content begins. Its name stands before it once more: a damaged one must not hide the file."""
        head = _LOCAL.unpack(self._bytes(offset, _LOCAL.size))
        if head[0] != b"PK\3\4" or self._bytes(offset + _LOCAL.size, head[9]) != name:
            raise BadZipFile
        return offset + _LOCAL.size + int(head[9]) + int(head[10])

    def _directory(self) -> tuple[int, int, int]:
        """How many files, and where their list begins and how long it is."""
        total = self._raw.seek(0, 2)
        start = max(0, total - _LONGEST_COMMENT - _END.size)
        tail = self._bytes(start, total - start)
        at = tail.rfind(b"PK\5\6")
        if at < 0 or len(tail) - at < _END.size:
            raise BadZipFile
        found = _END.unpack_from(tail, at)
        count, length, offset = found[4], found[5], found[6]
        if count == _FULL_SHORT or length == _FULL or offset == _FULL:
            count, length, offset = self._directory_64(start + at) or (count, length, offset)
        if offset + length > total:
            raise BadZipFile
        return count, offset, length

    def _directory_64(self, end: int) -> tuple[int, int, int] | None:
        place = end - _END_64_AT.size
        if place < 0:
            return None
        mark, _, at, _ = _END_64_AT.unpack(self._bytes(place, _END_64_AT.size))
        if mark != b"PK\6\7":
            return None
        found = _END_64.unpack(self._bytes(at, _END_64.size))
        if found[0] != b"PK\6\6":
            raise BadZipFile
        return found[7], found[8], found[9]

    def _bytes(self, at: int, size: int) -> bytes:
        try:
            self._raw.seek(at)
        except (OverflowError, ValueError, OSError):
            raise BadZipFile from None
        data = self._raw.read(size)
        if len(data) != size:
            raise BadZipFile
        return data


def _large(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Numbers that are too large for their place stand behind the name, in this order."""
    if _FULL not in (size, packed, offset):
        return size, packed, offset
    feed = BytesIO(extra)
    while len(head := feed.read(4)) == 4:
        mark, length = struct.unpack("<2H", head)
        field = BytesIO(feed.read(length))
        if mark == _SIZES_64:
            given = [_long(field) if number == _FULL else number for number in (size, packed, offset)]
            return given[0], given[1], given[2]
    raise BadZipFile


def _long(field: BytesIO) -> int:
    data = field.read(8)
    if len(data) != 8:
        raise BadZipFile
    return int.from_bytes(data, "little")
