"""Short ways to write a file and read it back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from docgemma.knowledge.entry import Entry
from docgemma.knowledge.reading.contract import Note, Options, Problem, Row
from docgemma.knowledge.reading.reader import read

TODAY = date(2026, 11, 15)
GIVEN: dict[str, Any] = {"role": "nurse", "language": "en", "source": "Ward handbook", "topic": "Wounds"}
HEADER = "question,answer\n"


def reading(path: Path | Sequence[Path], *, notes: list[Note] | None = None, **options: Any) -> list[Row | Problem]:
    paths = [path] if isinstance(path, Path) else path
    heard = notes if notes is not None else []
    return list(read(paths, Options(**{**GIVEN, **options}), tell=heard.append, today=TODAY))


def entries(path: Path | Sequence[Path], **options: Any) -> list[Entry]:
    """All rows; none may be a problem."""
    found = reading(path, **options)
    assert not [str(one) for one in found if isinstance(one, Problem)]
    return [one.entry for one in found if isinstance(one, Row)]


def problems(path: Path | Sequence[Path], **options: Any) -> list[tuple[int, str]]:
    """Row and text; none may be an entry."""
    found = reading(path, **options)
    assert not [one for one in found if isinstance(one, Row)]
    return [(one.row, one.text) for one in found if isinstance(one, Problem)]


def of_lines(folder: Path, *rows: dict[str, Any], name: str = "kb.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def of_text(folder: Path, text: str, name: str = "kb.csv") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path
