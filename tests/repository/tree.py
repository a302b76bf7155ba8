"""The repository as a reader sees it: its own text files, without environments, caches and build outputs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LEFT_OUT = {".git", ".cache", ".hypothesis", "__pycache__", "node_modules", "build", "dist"}


def _ours(folder: str) -> bool:
    return folder not in LEFT_OUT and not folder.startswith(".venv") and not folder.endswith(("_cache", ".egg-info"))


def text_files() -> Iterator[tuple[str, str]]:
    """(path inside the repository, content) of every text file, in order."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(filter(_ours, folders))
        for name in sorted(names):
            path = Path(folder, name)
            data = path.read_bytes()
            if b"\0" not in data:
                yield path.relative_to(ROOT).as_posix(), data.decode("utf-8", errors="replace")
