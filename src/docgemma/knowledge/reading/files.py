"""Which files are read: those that were named, and in a folder those of a known kind that really lie in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from docgemma.entities.printable import printable
from docgemma.errors import BadInput
from docgemma.knowledge.reading.contract import Note, Tell, unheard

Kind = Literal["lines", "document", "table", "workbook", "markdown"]

KINDS: dict[str, Kind] = {
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "document",
    ".csv": "table",
    ".tsv": "table",
    ".xlsx": "workbook",
    ".md": "markdown",
    ".markdown": "markdown",
}
_MB = 1_000_000
LARGEST = 2_000 * _MB
LARGEST_WHOLE = 50 * _MB
"""For the kinds that are held in memory as a whole."""

_WHOLE: frozenset[Kind] = frozenset({"document", "markdown"})
_OFFICE = {
    ".xls": "an old Excel file; save it as .xlsx",
    ".xlsm": "a workbook with macros; save it as .xlsx without them",
    ".xlsb": "a binary workbook; save it as .xlsx",
    ".ods": "an OpenDocument file; save it as .xlsx or as CSV in UTF-8",
}
_NO_PLACES = ("/proc", "/sys")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Source:
    """One file. `name` is safe to show; `folders` are those between the folder that was given and the file."""

    path: Path
    name: str
    kind: Kind
    identity: tuple[int, int]
    folders: tuple[str, ...] = ()

    def open(self) -> BinaryIO:
        """Open the very file that was looked at. Never waits, whatever was put in its place meanwhile."""
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(self.path, flags)
        except OSError:
            raise _unreadable(self.name) from None
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode) or (seen.st_dev, seen.st_ino) != self.identity:
            os.close(handle)
            raise BadInput(f"{self.name} was replaced while it was read. Nothing of it was taken; run it again.")
        return os.fdopen(handle, "rb")


def sources(paths: Sequence[Path], tell: Tell = unheard) -> list[Source]:
    """In the order given, those of a folder sorted by name. A file that is reached twice is read once."""
    found: dict[tuple[int, int], Source] = {}
    for path in paths:
        here = list(_under(path, tell)) if _is_folder(path) else [_named(path)]
        if not here:
            raise BadInput(f"The folder {shown(path.name)} holds no file to read. Read are: {_kinds()}.")
        for source in here:
            found.setdefault(source.identity, source)
    if not found:
        raise BadInput(f"Name a file or folder to read. Read are: {_kinds()}.")
    return list(found.values())


def shown(name: str) -> str:
    """A name may hold line ends, colours for a terminal, letters that turn the direction, or bytes that are no text."""
    seen = "".join(letter if letter.isprintable() and printable(letter) else "?" for letter in name[-400:])
    return seen if len(seen) <= 200 else f"…{seen[-199:]}"


def _kinds() -> str:
    return ", ".join(KINDS)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # the latter for a name with a NUL
        return False


def _named(path: Path) -> Source:
    kind = KINDS.get(path.suffix.lower())
    name = shown(path.name)
    try:
        seen = path.stat()
    except (OSError, ValueError):
        raise BadInput(f"{name} cannot be found or may not be looked at. Check the path.") from None
    if kind is None and stat.S_ISREG(seen.st_mode):
        old = _OFFICE.get(path.suffix.lower())
        raise BadInput(f"{name} is {old}." if old else f"{name} is of a kind that is not read. Read are: {_kinds()}.")
    return _checked(path, name, kind or "lines", seen)


def _checked(path: Path, name: str, kind: Kind, seen: os.stat_result, folders: tuple[str, ...] = ()) -> Source:
    if not stat.S_ISREG(seen.st_mode) or _of_the_system(os.path.realpath(path)):
        raise BadInput(f"{name} is no ordinary file. Copy its contents into one and name that.")
    if not os.access(path, os.R_OK):
        raise _unreadable(name)
    largest = LARGEST_WHOLE if kind in _WHOLE else LARGEST
    if seen.st_size > largest:
        raise BadInput(f"{name} has {seen.st_size // _MB:,} MB; the most is {largest // _MB:,}. Split it.")
    return Source(path, name, kind, (seen.st_dev, seen.st_ino), folders)


def _of_the_system(where: str) -> bool:
    return any(where == place or where.startswith(f"{place}/") for place in _NO_PLACES)


def _under(root: Path, tell: Tell) -> Iterator[Source]:
    """Hidden files are passed over. A link inside counts as what it leads to; one that leads out is refused."""
    top = Path(os.path.realpath(root))
    if _of_the_system(str(top)):
        raise BadInput(f"{shown(root.name)} is no ordinary folder. Copy what is to be read into one.")
    skipped: list[str] = []
    for path, seen in _files(root, top):
        inside = path.relative_to(root)
        name = shown("/".join(part for part in (root.name, *inside.parts) if part))
        kind = KINDS.get(path.suffix.lower())
        if kind is None:
            skipped.append(name)
        else:
            yield _checked(path, name, kind, seen, inside.parts[:-1])
    if skipped:
        more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
        text = f"Not read, being of another kind: {', '.join(skipped[:_SHOWN])}{more}."
        tell(Note(shown(root.name), text))


def _files(root: Path, top: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Depth first with a list of its own: no folder can be too deep for it."""
    waiting = [root]
    while waiting:
        path = waiting.pop()
        try:
            seen = path.stat(follow_symlinks=False)
            if stat.S_ISLNK(seen.st_mode) and path != root:
                seen = _followed(path, top)
                if stat.S_ISDIR(seen.st_mode):
                    continue  # what it leads to lies inside, and is gone through anyway
            if path == root or stat.S_ISDIR(seen.st_mode):
                inside = [each for each in path.iterdir() if not each.name.startswith(".")]
                waiting += sorted(inside, key=lambda each: each.name, reverse=True)
            else:
                yield path, seen
        except OSError:
            raise _unreadable(shown(path.name)) from None


def _followed(path: Path, top: Path) -> os.stat_result:
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(top):
        raise BadInput(f"{shown(path.name)} is a link that leads out of the folder. Name the file that it leads to.")
    return path.stat()


def _unreadable(name: str) -> BadInput:
    return BadInput(f"{name} cannot be read. Check that it exists and that you may read it.")
