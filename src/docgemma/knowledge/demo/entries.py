"""The demonstration entries as they ship with the package."""

from __future__ import annotations

import json
from importlib.resources import files

from docgemma.knowledge.entry import Entry


def demonstration() -> tuple[Entry, ...]:
    """All of them, in the order of their files. A line that is no entry is a bug of the package, and crashes."""
    folder = files("docgemma.knowledge.demo")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".jsonl"))
    return tuple(
        Entry(**json.loads(line), demonstration=True)
        for name in names
        for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines()
    )
