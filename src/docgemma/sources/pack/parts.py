"""The files that a pack is built from: plain, zipped or gzipped, taken by what they are, not by their names."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from docgemma.errors import BadInput
from docgemma.ingest.archives import DAMAGED, MOST_BYTES, Archive, Bounded, Entry, Locked, TooMuch, most_unpacked
from docgemma.ingest.files import stream_of
from docgemma.ingest.json_values import BadJson, Reason
from docgemma.ingest.problem import shown
from docgemma.seal import CONTENT
from docgemma.sources.pack.manifest import CALLED, Called, Kind

_HEAD = 1 << 20
_AGAIN = "Download it again"
_ENOUGH = 1000
_NUMBERED = re.compile(r"(\d+)-of-(\d+)")


class Unreadable(Exception):
    """The file as a whole cannot be used. Carries the reason, as the second half of a sentence about the file.

    `mend` says what to do about it.
    """

    def __init__(self, reason: str, mend: str = f"{_AGAIN}; nothing was published.") -> None:
        super().__init__(reason)
        self.mend = mend


_WRONG_JSON: Mapping[Reason, str] = {
    "empty": "is empty",
    "cut": "is cut off, or not valid JSON (line {})",
    "invalid": "is not valid JSON (line {})",
    "deep": "is nested far deeper than a record (line {})",
    "large": "has a record far larger than real ones (line {})",
    "not_text": "is not UTF-8 text (line {})",
}


@contextmanager
def valid_json() -> Iterator[None]:
    """Around reading JSON: what is wrong with it is Unreadable, with its line."""
    try:
        yield
    except BadJson as error:
        raise Unreadable(_WRONG_JSON[error.reason].format(error.line)) from None


@dataclass(frozen=True, slots=True)
class Part:
    """One file. `mark` tells whether it is still the same one, without reading all of it."""

    path: Path
    name: str
    size: int
    mark: str


def parts(paths: Sequence[Path], kind: Kind) -> list[Part]:
    """In the order given; the files of a folder sorted by name. A file that is named twice is taken once."""
    found: dict[str, Part] = {}
    endings = CALLED[kind].endings
    for path in paths:
        for part in map(_part, _inside(path, endings) if path.is_dir() else [path]):
            found.setdefault(os.path.realpath(part.path), part)
    if not found:
        raise BadInput(f"There is no {_either(endings)} file in the folder. Give {CALLED[kind].files}.")
    return list(found.values())


def missing(names: Sequence[str]) -> list[str]:
    """Which parts of a numbered set were not given, by the names that openFDA gives them: 3 of 13."""
    given = [match for name in names if (match := _NUMBERED.search(name))]
    totals = {int(match[2]) for match in given}
    if len(totals) != 1 or not 0 < (total := totals.pop()) <= 10_000:
        return []
    there = {int(match[1]) for match in given}
    return [f"{number} of {total}" for number in range(1, total + 1) if number not in there]


class Feed:
    """What a part unpacks to: one file, or several one after the other."""

    def __init__(self, part: Part, raw: BinaryIO, called: Called) -> None:
        self._part, self._raw, self._called = part, raw, called

    def files(self) -> Iterator[BufferedReader[Any]]:
        """A stream for each file in it. One has to be read to its end before the next is asked for."""
        with _explained(self._part.name):
            magic = self._raw.read(2)
            self._raw.seek(0)
        packed = magic in (b"PK", b"\x1f\x8b")
        self._bounded = Bounded(most_unpacked(self._part.size) if packed else MOST_BYTES)
        if magic == b"PK":
            yield from self._zipped()
        elif magic == b"\x1f\x8b":
            yield self._reading(gzip.GzipFile(fileobj=self._raw).read)
        else:
            yield self._reading(self._raw.read)

    @property
    def position(self) -> int:
        """How many of the part's bytes, as they lie on the disk, have been gone through."""
        return min(self._raw.tell(), self._part.size)

    @property
    def made_on(self) -> float:
        """When the file was last changed, for data that do not say of which day they are."""
        return os.fstat(self._raw.fileno()).st_mtime

    def _zipped(self) -> Iterator[BufferedReader[Any]]:
        name, whose = self._part.name, self._called.source
        with _explained(self._part.name):
            archive = Archive(self._raw)
        entries = self._wanted(archive) if self._called.several_in_a_zip else self._only(archive)
        many = 0
        while (entry := self._next(entries)) is not None:
            many += 1
            try:
                with _explained(self._part.name):
                    inside = archive.opened(entry)
            except Locked:
                raise BadInput(f"{name} is encrypted or packed in a way that {whose} does not use. {_AGAIN}.") from None
            yield self._reading(inside.read)
        if not many:
            raise BadInput(f"{name} holds no file with data. {_AGAIN}.")

    def _wanted(self, archive: Archive) -> Iterator[Entry]:
        """What lies beside the data, such as a list of contents, is passed over."""
        return (entry for entry in archive.entries() if _taken(entry.name.rpartition("/")[2], self._called.endings))

    def _only(self, archive: Archive) -> Iterator[Entry]:
        with _explained(self._part.name):
            found = [entry for entry in islice(archive.entries(), _ENOUGH) if not entry.is_folder]
        if len(found) != 1:
            whose = self._called.source
            raise BadInput(f"{self._part.name} holds {len(found)} files; a part of {whose}'s data holds one. {_AGAIN}.")
        return iter(found)

    def _next(self, entries: Iterator[Entry]) -> Entry | None:
        with _explained(self._part.name):
            return next(entries, None)

    def _reading(self, read: Callable[[int], bytes]) -> BufferedReader[Any]:
        def explained(size: int) -> bytes:
            with _explained(self._part.name):
                data = read(size)
            try:
                return self._bounded.count(data)
            except TooMuch:
                whose = self._called.source
                raise BadInput(
                    f"{self._part.name} unpacks to far more than {whose}'s files do. {_AGAIN} from {whose}."
                ) from None

        return stream_of(explained)


@contextmanager
def opened(part: Part, kind: Kind) -> Iterator[Feed]:
    with _explained(part.name):
        raw = part.path.open("rb")
    with raw:
        yield Feed(part, raw, CALLED[kind])


def _inside(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if _taken(path.name, endings) and path.is_file())
    except OSError as error:
        raise BadInput(f"The folder {shown(folder.name)} cannot be read: {error.strerror}.") from None


def _taken(name: str, endings: tuple[str, ...]) -> bool:
    return name.lower().endswith(endings) and not name.startswith(".")


def _either(endings: tuple[str, ...]) -> str:
    return f"{', '.join(endings[:-1])} or {endings[-1]}"


def _part(path: Path) -> Part:
    name = shown(path.name)
    try:
        if not path.is_file():
            raise BadInput(f"The file {name} cannot be found.")
        facts = path.stat()
        with path.open("rb") as file:
            head = CONTENT.of(file.read(_HEAD))
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
    except DAMAGED:
        raise BadInput(f"{name} is damaged or cut off. {_AGAIN}; nothing was published.") from None
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror or 'the disk reports an error'}.") from None
