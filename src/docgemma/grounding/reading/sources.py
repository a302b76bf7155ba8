"""Which files are read, and as what: by extension, by what stands at their beginning, or as the user says."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from docgemma.entities.printable import printable
from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import Format
from docgemma.grounding.reading.tables import recognised

SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".markdown": "text",
}
_OFFICE = {
    **dict.fromkeys((".xlsx", ".xls", ".ods", ".xlsm"), "a workbook; save its sheet as CSV in UTF-8"),
    **dict.fromkeys((".docx", ".doc", ".odt", ".rtf", ".pdf"), "a document; copy its criteria into a text file"),
    **dict.fromkeys((".zip", ".gz", ".7z", ".tar", ".bz2", ".xz"), "an archive; unpack it and name the folder"),
}
_SYSTEM = ("/proc", "/sys", "/dev")
_NCT = re.compile(r"NCT\d{8}", re.IGNORECASE)
_PEEKED = 1 << 14
_ARRAY = re.compile(r"\[\s{0,99}\{")
_OBJECT = re.compile(r"\{\s{0,99}\"")


def shown(name: str) -> str:
    """A file's name as it may stand in a message."""
    seen = "".join(char if char.isprintable() and printable(char) else "?" for char in name[-200:])
    return seen or "?"


def stem_of(name: str) -> str:
    """What made ids begin with: a file's name without blanks and signs that need quoting."""
    return re.sub(r"[^\w.-]{1,200}", "_", shown(name))[-80:].strip("_.") or "criteria"


def protocol_of(path: Path) -> str:
    """A file named after a registered study holds its criteria."""
    return path.stem.upper() if _NCT.fullmatch(path.stem) else ""


class Unowned(io.RawIOBase):
    """Standard input, read but never closed: it belongs to whoever started the program."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = getattr(self._stream, "read1", self._stream.read)(len(buffer))
        buffer[: len(read)] = read
        return len(read)


def buffered(raw: io.RawIOBase) -> io.BufferedReader[Any]:
    return io.BufferedReader(raw, _PEEKED)


def opened(path: Path) -> io.BufferedReader[Any]:
    """An ordinary file, or BadInput. Never waits for whoever may write into a pipe."""
    name = shown(path.name)
    if reason := _OFFICE.get(path.suffix.lower()):
        raise BadInput(f"{name} is {reason}.")
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        raise BadInput(f"{name} cannot be read. Check that it exists and that you may read it.") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode) or _of_the_system(os.path.realpath(path)):
        os.close(handle)
        raise BadInput(f"{name} is no ordinary file. Copy its contents into one and name that.")
    return buffered(io.FileIO(handle, "rb"))


def _of_the_system(where: str) -> bool:
    return any(where == place or where.startswith(f"{place}/") for place in _SYSTEM)


def mark_of(output: Path) -> Path:
    """What lies beside a file that a run writes, and says that it is an output."""
    return output.with_name(f".{output.name}.run")


def files_under(folder: Path) -> Iterator[Path]:
    """Those of a known kind, sorted, at any depth. Hidden ones, links and what a run of ours wrote are passed over.

    An output in the folder that is read would else be read while it is written, and never end.
    """
    found = False
    for top, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            path = Path(top) / name
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES or path.is_symlink():
                continue
            if not mark_of(path).exists():
                found = True
                yield path
    if not found:
        raise BadInput(f"The folder {shown(folder.name)} holds no file to read. Read are: {', '.join(SUFFIXES)}.")


def format_of(suffix: str, start: bytes) -> Format:
    """The extension's format, unless the beginning plainly shows another."""
    known = SUFFIXES.get(suffix.lower())
    head = start.decode("utf-8-sig", errors="replace").lstrip()
    if _ARRAY.match(head):
        return "json"
    if known not in (None, "text"):
        return known
    first, _, rest = head.partition("\n")
    if _OBJECT.match(head):
        return "json" if rest and not first.rstrip().endswith("}") else "jsonl"
    if known is None and any(recognised(first, mark) > 1 for mark in ",;\t|"):
        return "csv"
    return "text"
