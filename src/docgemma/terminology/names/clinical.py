"""Abbreviations and symbols that clinicians write without defining them."""

from __future__ import annotations

from functools import cache
from importlib import resources

from docgemma.terminology.contract import ENTITY_TYPES, EntityType
from docgemma.terminology.names.keys import key

_FOLDER = "docgemma.terminology.names"


@cache
def _abbreviations() -> dict[str, tuple[tuple[EntityType, str], ...]]:
    found: dict[str, tuple[tuple[EntityType, str], ...]] = {}
    for short, kind, long in _lines("clinical_abbreviations.tsv"):
        found[short] = (*found.get(short, ()), (ENTITY_TYPES[ENTITY_TYPES.index(kind)], long))
    return found


@cache
def _formulas() -> dict[str, str]:
    return {line[0]: line[1] for line in _lines("formulas.tsv")}


def _lines(name: str) -> list[list[str]]:
    text = resources.files(_FOLDER).joinpath(name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def clinical(short: str) -> tuple[tuple[EntityType, str], ...]:
    """What an abbreviation stands for, by type. Case counts, save that a plural s is forgiven."""
    table = _abbreviations()
    if short in table:
        return table[short]
    return table.get(short[:-1], ()) if short.endswith("s") else ()


@cache
def _phrases() -> dict[str, str]:
    return {key(line[0]): line[1] for line in _lines("phrases.tsv")}


def phrase(text: str) -> str | None:
    """What the ontologies call something that people call otherwise."""
    return _phrases().get(key(text))


def formula(short: str) -> str | None:
    """What a chemical symbol or formula is called. Case counts."""
    return _formulas().get(short)
