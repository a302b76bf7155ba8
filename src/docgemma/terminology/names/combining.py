"""Compound words taken apart: nephrotoxicity is toxicity of the kidney."""

from __future__ import annotations

from functools import cache
from importlib import resources

from docgemma.terminology.names.keys import words


@cache
def _parts() -> tuple[dict[str, str], dict[str, str]]:
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    text = resources.files("docgemma.terminology.names").joinpath("combining.tsv").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            place, part, meaning = line.split("\t")
            (first if place == "first" else last)[part] = meaning
    return first, last


def taken_apart(term: str) -> str | None:
    """The term with its compound words as phrases; None when it has none."""
    found = False
    said: list[str] = []
    for word in words(term):
        phrase = _phrase(word)
        found = found or phrase is not None
        said.append(phrase or word)
    return " ".join(said) if found else None


def _phrase(word: str) -> str | None:
    first, last = _parts()
    for cut in range(3, min(12, len(word) - 3)):
        opening = first.get(word[:cut])
        closing = last.get(word[cut:])
        if opening is not None and closing is not None:
            return f"{opening} {closing}"
    return None
