"""Which files are imported: those that were named, and in a folder those of the right kind that really lie in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from docgemma.errors import BadInput

DOCUMENT = (".json",)
LINES = (".ndjson", ".jsonl")
_PACKED = ".gz"


@dataclass(frozen=True, slots=True)
class Source:
    """One file. `name` is how it is shown: relative to what was given, without anything a terminal would obey."""

    path: Path
    name: str
    size: int
    refused: str = ""
    """Why it is not read, if so."""

    @property
    def packed(self) -> bool:
        return self.path.name.lower().endswith(_PACKED)

    @property
    def of_lines(self) -> bool:
        return _bare(self.path.name).endswith(LINES)


def sources(paths: Sequence[Path]) -> list[Source]:
    """In the order given; the files of a folder sorted by name. A file that is named twice is taken once.

    Links in a folder come last, refused: what they lead to is not read, and must not pass for read. One to something
    that is read anyway is left out.
    """
    found: dict[str, Source] = {}
    links: dict[str, Source] = {}
    for path in paths:
        for source in _under(path) if path.is_dir() else [_named(path)]:
            (links if source.refused else found).setdefault(os.path.realpath(source.path), source)
    folders = [Path(os.path.realpath(path)) for path in paths if path.is_dir()]
    astray = [link for target, link in links.items() if target not in found and not _inside(Path(target), folders)]
    if not found and not astray:
        raise BadInput("There is no .json, .ndjson or .jsonl file to import in the folder.")
    return [*found.values(), *astray]


def _named(path: Path) -> Source:
    name = shown(path.name)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # the latter for a name with a NUL
        raise BadInput(f"The file {name} cannot be found.") from None
    if not path.is_file():
        raise BadInput(f"{name} is neither a file nor a folder.")
    if not _taken(path.name):
        raise BadInput(f"{name} is not a .json, .ndjson or .jsonl file (each may end in .gz).")
    return Source(path, name, size)


def _under(root: Path) -> Iterator[Source]:
    """Links are not followed: one may lead out of the folder, or round in a circle."""
    for folder, folders, names in os.walk(root, followlinks=False, onerror=_unreadable):
        folders.sort()
        for name in sorted([*filter(_taken, names), *folders]):
            source = None if name.startswith(".") else _seen(Path(folder, name), root)
            if source is not None:
                yield source


def _seen(path: Path, root: Path) -> Source | None:
    name = shown(str(path.relative_to(root)))
    try:
        if path.is_symlink():
            return Source(path, name, 0, "It is a link, and those are not followed. Name what it leads to.")
        return Source(path, name, path.stat().st_size) if path.is_file() else None
    except OSError as error:
        _unreadable(error)


def _inside(target: Path, folders: Sequence[Path]) -> bool:
    """Whether this is a folder that is gone through anyway."""
    return target.is_dir() and any(target.is_relative_to(folder) for folder in folders)


def _unreadable(error: OSError) -> NoReturn:
    """Charts that could not be looked at must not pass for charts that are not there."""
    raise BadInput(f"{shown(Path(str(error.filename)).name)} cannot be read. Nothing was imported.") from error


def _taken(name: str) -> bool:
    return _bare(name).endswith(DOCUMENT + LINES)


def _bare(name: str) -> str:
    return name.lower().removesuffix(_PACKED)


def shown(name: str) -> str:
    """A file name may hold line ends, colours for a terminal, or bytes that are no text."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:200]
