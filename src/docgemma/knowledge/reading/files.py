"""Which files are read: those that were named, and in a folder those of a known kind that really lie in it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from docgemma.errors import BadInput
from docgemma.ingest.files import Identity, files_in, identity_of, is_folder, of_the_system, open_file
from docgemma.ingest.problem import no_ordinary_file, shown, unreadable
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
"""For the kinds that are held in memory as a whole, or were when the limit was set."""

_WHOLE: frozenset[Kind] = frozenset({"document", "markdown"})
_OFFICE = {
    ".xls": "an old Excel file; save it as .xlsx",
    ".xlsm": "a workbook with macros; save it as .xlsx without them",
    ".xlsb": "a binary workbook; save it as .xlsx",
    ".ods": "an OpenDocument file; save it as .xlsx or as CSV in UTF-8",
}
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Source:
    """One file. `name` is safe to show; `folders` are those between the folder that was given and the file."""

    path: Path
    name: str
    kind: Kind
    identity: Identity
    folders: tuple[str, ...] = ()

    def open(self) -> BinaryIO:
        """Open the very file that was looked at. Never waits, whatever was put in its place meanwhile."""
        return open_file(self.path, self.name, self.identity)


def sources(paths: Sequence[Path], tell: Tell = unheard) -> list[Source]:
    """In the order given, those of a folder sorted by name. A file that is reached twice is read once."""
    found: dict[Identity, Source] = {}
    for path in paths:
        here = list(_under(path, tell)) if is_folder(path) else [_named(path)]
        if not here:
            raise BadInput(f"The folder {shown(path.name)} holds no file to read. Read are: {_kinds()}.")
        for source in here:
            found.setdefault(source.identity, source)
    if not found:
        raise BadInput(f"Name a file or folder to read. Read are: {_kinds()}.")
    return list(found.values())


def _kinds() -> str:
    return ", ".join(KINDS)


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
    if not stat.S_ISREG(seen.st_mode) or of_the_system(path):
        raise no_ordinary_file(name)
    if not os.access(path, os.R_OK):
        raise unreadable(name)
    largest = LARGEST_WHOLE if kind in _WHOLE else LARGEST
    if seen.st_size > largest:
        raise BadInput(f"{name} has {seen.st_size // _MB:,} MB; the most is {largest // _MB:,}. Split it.")
    return Source(path, name, kind, identity_of(seen), folders)


def _under(root: Path, tell: Tell) -> Iterator[Source]:
    """Hidden files are passed over. A link inside counts as what it leads to; one that leads out is refused."""
    if of_the_system(root):
        raise BadInput(f"{shown(root.name)} is no ordinary folder. Copy what is to be read into one.")
    skipped: list[str] = []
    for path, seen in files_in(root, folders_last=False):
        if stat.S_ISLNK(seen.st_mode):
            seen = _followed(path, root)
            if stat.S_ISDIR(seen.st_mode):
                continue  # what it leads to lies inside, and is gone through anyway
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


def _followed(path: Path, root: Path) -> os.stat_result:
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        raise BadInput(f"{shown(path.name)} is a link that leads out of the folder. Name the file that it leads to.")
    try:
        return path.stat()
    except OSError:
        raise unreadable(shown(path.name)) from None
