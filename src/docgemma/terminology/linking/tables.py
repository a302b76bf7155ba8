"""The word lists of this package: plain files, so that a clinician can read and correct them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from docgemma.terminology.linking.words import phrase_key


@cache
def word_list(name: str, package: str = "docgemma.terminology.linking") -> frozenset[str]:
    """The words of one file by their keys; lines that start with # are remarks."""
    text = files(package).joinpath(f"data/{name}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(phrase_key(word) for line in lines for word in line.split())


def rows(name: str, package: str) -> list[tuple[str, ...]]:
    """The rows of a table, tab-separated, without remarks."""
    text = files(package).joinpath(f"data/{name}.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]
