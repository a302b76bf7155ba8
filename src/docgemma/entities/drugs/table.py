"""The drug dictionary as it ships: read once, on the first question, never on import."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Table:
    """Every name with its ingredients, and the names that a person wrote down because clinicians use them daily."""

    names: dict[str, tuple[str, ...]]
    common: frozenset[str]


@cache
def table() -> Table:
    """The shipped file: a line is the ingredients joined by "+", a tab, and the names joined by commas."""
    names: dict[str, tuple[str, ...]] = {}
    common: set[str] = set()
    text = files("docgemma.entities").joinpath("data/drugs.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        joined, _, listed = line.partition("\t")
        parts = tuple(joined.split("+"))
        for name in listed.split(","):
            if name.startswith("*"):
                name = name[1:]
                common.add(name)
            names[name] = parts
    return Table(names, frozenset(common))
