"""The shipped table of pairs: what is known of two drugs or two classes, how grave it is, and what it means.

An engineering proposal, not reviewed by a clinician. It adds to the labels and never speaks against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast, get_args

from docgemma.drugs.classes import classes, memberships
from docgemma.drugs.interactions.sought import called
from docgemma.drugs.model import Drug, Interaction, Severity

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""The gravest first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. A side is the id of a class, or an ingredient with "=" before it."""

    id: str
    one: str
    other: str
    severity: Severity
    mechanism: str
    meaning: str
    basis: str


def parsed(text: str) -> tuple[Row, ...]:
    """The table: id, one, other, severity, mechanism, meaning, basis, divided by tabs."""
    found: list[Row] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or line.startswith("#") or cells[0] == "id":
            continue
        if len(cells) != 7 or cells[3] not in SEVERITIES:
            raise ValueError(f"The table of pairs has a row that does not fit: {cells[0]}.")
        id_, one, other, severity, mechanism, meaning, basis = cells
        found.append(Row(id_, one, other, cast(Severity, severity), mechanism, meaning, basis))
    return tuple(found)


@cache
def rows() -> tuple[Row, ...]:
    """The shipped table."""
    return parsed(files("docgemma.drugs").joinpath("data/class_pairs.tsv").read_text(encoding="utf-8"))


@cache
def _by_side() -> Mapping[str, tuple[Row, ...]]:
    found: dict[str, list[Row]] = {}
    for row in rows():
        for side in {row.one, row.other}:
            found.setdefault(side, []).append(row)
    return {side: tuple(of) for side, of in found.items()}


def curated(one: Drug, other: Drug) -> tuple[Interaction, ...]:
    """What the table says of two drugs, by ingredient and class, the gravest and most specific first."""
    sides_of_one, sides_of_other = _sides(one), _sides(other)
    found: dict[str, tuple[tuple[int, int, str], Interaction]] = {}
    for side, of_one in sides_of_one.items():
        for row in _by_side().get(side, ()):
            for far in _far_ends(row, side):
                of_other = sides_of_other.get(far)
                if row.id in found or of_other is None or _same(of_one, of_other):
                    continue
                rank = (SEVERITIES.index(row.severity), _breadth(row), row.id)
                found[row.id] = (rank, _interaction(row, (one, other), (of_one[0], of_other[0]), (side, far)))
    return tuple(interaction for _, interaction in sorted(found.values(), key=lambda each: each[0]))


def graver(one: Severity | None, other: Severity | None) -> Severity | None:
    """The graver of two, where any is known."""
    known = [each for each in (one, other) if each]
    return min(known, key=SEVERITIES.index) if known else None


def _sides(drug: Drug) -> dict[str, tuple[str, ...]]:
    """Each side of the table that the drug can stand on → the ingredients that stand there."""
    found: dict[str, list[str]] = {f"={part}": [part] for part in drug.ingredients}
    for id_, part in memberships(drug).items():
        members = [each for each in drug.ingredients if each in classes()[id_].members]
        found[id_] = members or [part]
    return {side: tuple(parts) for side, parts in found.items()}


def _far_ends(row: Row, side: str) -> Iterator[str]:
    if side == row.one:
        yield row.other
    if side == row.other and row.one != row.other:
        yield row.one


def _same(of_one: tuple[str, ...], of_other: tuple[str, ...]) -> bool:
    """One and the same ingredient on both sides is a duplicate, no pair."""
    return len({*of_one, *of_other}) == 1


def _breadth(row: Row) -> int:
    """How many drugs a row speaks of: a pair of ingredients before a pair of classes."""
    return _width(row.one) * _width(row.other)


def _width(side: str) -> int:
    return 1 if side.startswith("=") or side not in classes() else len(classes()[side].members)


def _interaction(row: Row, drugs: tuple[Drug, Drug], parts: tuple[str, str], sides: tuple[str, str]) -> Interaction:
    said = [
        f"{called(drug, part)} is {classes()[side].is_}"
        for drug, part, side in zip(drugs, parts, sides, strict=True)
        if side in classes()
    ]
    return Interaction(
        drugs=(drugs[0].name, drugs[1].name),
        via="; ".join(said),
        severity=row.severity,
        mechanism=row.mechanism,
        meaning=row.meaning,
        basis=row.basis,
    )
