"""The word lists that ship with the search: one thing a line, `#` begins a remark."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from docgemma.knowledge.entry import Language

FOLDER = Path(__file__).parent / "data"


def lines(name: str) -> list[str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def stop_words(name: Language | Literal["plain.vi"]) -> frozenset[str]:
    """Words that say nothing about the subject. They are not indexed."""
    return frozenset(word for line in lines(f"stop.{name}.txt") for word in line.split())
