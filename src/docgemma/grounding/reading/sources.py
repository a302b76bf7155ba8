"""Which files are read, and as what: by extension, by what stands at their beginning, or as the user says."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import Format
from docgemma.grounding.reading.tables import recognised
from docgemma.ingest.files import files_in, open_file
from docgemma.ingest.problem import shown

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
_NCT = re.compile(r"NCT\d{8}", re.IGNORECASE)
_ARRAY = re.compile(r"\[\s{0,99}\{")
_OBJECT = re.compile(r"\{\s{0,99}\"")


def stem_of(name: str) -> str:
    """What made ids begin with: a file's name without blanks and signs that need quoting."""
    return re.sub(r"[^\w.-]{1,200}", "_", shown(name))[-80:].strip("_.") or "criteria"


def protocol_of(path: Path) -> str:
    """A file named after a registered study holds its criteria."""
    return path.stem.upper() if _NCT.fullmatch(path.stem) else ""


def opened(path: Path) -> BufferedReader[Any]:
    """An ordinary file, or BadInput. Never waits for whoever may write into a pipe."""
    name = shown(path.name)
    if reason := _OFFICE.get(path.suffix.lower()):
        raise BadInput(f"{name} is {reason}.")
    return open_file(path, name)


def mark_of(output: Path) -> Path:
    """What lies beside a file that a run writes, and says that it is an output."""
    return output.with_name(f".{output.name}.run")


def files_under(folder: Path) -> Iterator[Path]:
    """Those of a known kind, sorted, at any depth. Hidden ones, links and what a run of ours wrote are passed over.

    An output in the folder that is read would else be read while it is written, and never end.
    """
    found = False
    for path, seen in files_in(folder, folders_last=True):
        if path.suffix.lower() in SUFFIXES and not stat.S_ISLNK(seen.st_mode) and not mark_of(path).exists():
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
