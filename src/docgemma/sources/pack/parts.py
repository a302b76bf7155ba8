"""The files that a pack is built from: plain, zipped or gzipped JSON, taken by what they are, not by their names."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from docgemma.errors import BadInput

ENDINGS = (".json", ".zip", ".gz")
MOST_BYTES = 32_000_000_000
"""Of one part, unpacked. Real ones have about one thousand million."""
MOST_RATIO = 200
_RATIO_FROM = 64_000_000
_HEAD = 1 << 20
_AGAIN = "Download it again"
_NUMBERED = re.compile(r"(\d+)-of-(\d+)")
_DAMAGED = (zlib.error, EOFError, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Part:
    """One file. `mark` tells whether it is still the same one, without reading all of it."""

    path: Path
    name: str
    size: int
    mark: str


def parts(paths: Sequence[Path]) -> list[Part]:
    """In the order given; the files of a folder sorted by name. A file that is named twice is taken once."""
    found: dict[str, Part] = {}
    for path in paths:
        for part in map(_part, _inside(path) if path.is_dir() else [path]):
            found.setdefault(os.path.realpath(part.path), part)
    if not found:
        raise BadInput("There is no .json, .json.zip or .json.gz file in the folder. Give the parts of drug/label.")
    return list(found.values())


def missing(names: Sequence[str]) -> list[str]:
    """Which parts of a numbered set were not given, by the names that openFDA gives them: 3 of 13."""
    given = [match for name in names if (match := _NUMBERED.search(name))]
    totals = {int(match[2]) for match in given}
    if len(totals) != 1 or not 0 < (total := totals.pop()) <= 10_000:
        return []
    there = {int(match[1]) for match in given}
    return [f"{number} of {total}" for number in range(1, total + 1) if number not in there]


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Feed:
    """What a part unpacks to, piece by piece."""

    def __init__(self, part: Part, raw: BinaryIO, stream: BinaryIO) -> None:
        self._part, self._raw, self._stream = part, raw, stream
        self._given = 0

    def read(self, size: int) -> bytes:
        with _explained(self._part.name):
            data = self._stream.read(size)
        self._given += len(data)
        swollen = self._given > max(_RATIO_FROM, MOST_RATIO * self._part.size)
        if self._given > MOST_BYTES or (swollen and self._stream is not self._raw):
            raise BadInput(
                f"{self._part.name} unpacks to far more than a part of openFDA's labels. {_AGAIN} from openFDA."
            )
        return data

    @property
    def position(self) -> int:
        """How many of the part's bytes, as they lie on the disk, have been gone through."""
        return min(self._raw.tell(), self._part.size)


@contextmanager
def opened(part: Part) -> Iterator[Feed]:
    with _explained(part.name):
        raw = part.path.open("rb")
    with raw:
        with _explained(part.name):
            magic = raw.read(2)
            raw.seek(0)
            stream = _unzipped(part.name, raw) if magic == b"PK" else raw
            if magic == b"\x1f\x8b":
                stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        yield Feed(part, raw, stream)


def _unzipped(name: str, raw: BinaryIO) -> BinaryIO:
    """The one file inside. What it is called there does not matter: nothing is ever unpacked to a path."""
    archive = zipfile.ZipFile(raw)
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise BadInput(f"{name} holds {len(members)} files; a part of openFDA's labels holds one. {_AGAIN}.")
    if members[0].flag_bits & 1:
        raise BadInput(f"{name} is encrypted; a part of openFDA's labels is not. {_AGAIN}.")
    if members[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadInput(f"{name} is packed in a way that openFDA does not use. {_AGAIN}.")
    return cast(BinaryIO, archive.open(members[0]))


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if _taken(path.name) and path.is_file())
    except OSError as error:
        raise BadInput(f"The folder {shown(folder.name)} cannot be read: {error.strerror}.") from None


def _taken(name: str) -> bool:
    return name.lower().endswith(ENDINGS) and not name.startswith(".")


def _part(path: Path) -> Part:
    name = shown(path.name)
    try:
        if not path.is_file():
            raise BadInput(f"The file {name} cannot be found.")
        facts = path.stat()
        with path.open("rb") as file:
            head = hashlib.sha256(file.read(_HEAD)).hexdigest()
    except (OSError, ValueError) as error:  # the latter for a name with a NUL
        reason = error.strerror if isinstance(error, OSError) else "it is no file name"
        raise BadInput(f"The file {name} cannot be read: {reason}.") from None
    return Part(path, name, facts.st_size, f"{facts.st_size}:{facts.st_mtime_ns}:{head}")


def same(part: Part) -> bool:
    """Whether the file is still the one that was looked at."""
    return _part(part.path) == part


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED:
        raise BadInput(f"{name} is damaged or cut off. {_AGAIN}; nothing was published.") from None
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror or 'the disk reports an error'}.") from None


def shown(name: str) -> str:
    """A file name may hold line ends, colours for a terminal, or bytes that are no text."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:200]
