"""The shipped tables of rules: read once, on the first question. Each row names what it rests on.

A row speaks of one ingredient ("=warfarin") or of a class of the class table ("benzodiazepine"). Where both exist, the
ingredient comes first, then the narrowest class.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Literal

from docgemma.drugs.classes import classes, classes_of
from docgemma.drugs.rules.outcome import resting_on

Table = Literal["renal", "age", "pregnancy", "weekly", "doses", "weight", "routes", "cross_reactivity"]
Row = Mapping[str, str]


@cache
def rows(table: Table) -> tuple[Row, ...]:
    """All rows of a table, each by the names of its columns. A row that does not fit is a fault of ours."""
    text = files("docgemma.drugs").joinpath(f"data/{table}.tsv").read_text(encoding="utf-8")
    head, *lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    columns = head.split("\t")
    found: list[Row] = []
    for line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != len(columns):
            raise ValueError(f"The table {table} has a row that does not fit: {cells[0]}.")
        found.append(dict(zip(columns, cells, strict=True)))
    return tuple(found)


@cache
def _by_drug(table: Table) -> Mapping[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in rows(table):
        found.setdefault(row["drug"], []).append(row)
    return {drug: tuple(of) for drug, of in found.items()}


def about(table: Table, ingredient: str) -> tuple[Row, ...]:
    """What a table says of an ingredient: rows of its own first, then those of its classes, the narrowest first."""
    known = _by_drug(table)
    of_classes = sorted(classes_of(ingredient), key=lambda each: (len(each.members), each.id))
    sides = [f"={ingredient}", *(each.id for each in of_classes)]
    return tuple(row for side in sides for row in known.get(side, ()))


def number(cell: str) -> Decimal | None:
    """A limit of a row; None where the cell is empty."""
    return Decimal(cell) if cell else None


def basis(row: Row) -> str:
    """What the row rests on, and that nobody reviewed it."""
    return resting_on(row["basis"])


def subject(row: Row, ingredient: str) -> str:
    """The ingredient, with the class it is meant by where the row is about a class."""
    drug = row["drug"]
    return ingredient if drug.startswith("=") else f"{ingredient} ({classes()[drug].is_})"


def noted(sentence: str, row: Row) -> str:
    """A sentence with what the row adds to it, where it adds something."""
    return f"{sentence} {row['note']}".rstrip()
