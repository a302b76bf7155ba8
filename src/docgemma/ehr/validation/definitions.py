"""R4's structures. The shipped table has one line a type, which is read when that type is first asked for."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeGuard

from docgemma.ehr.validation.primitives import FITS, Fits

_ELEMENT = re.compile(r"(\w+)(\[x\])?([?!*+-])(.+?)(?:=([\w.-]+))?")
_TYPE = re.compile(r"([\w.@]+)(?:\(([\w,]+)\))?")
_IN_NAMES = {"SimpleQuantity": "Quantity", "MoneyQuantity": "Quantity"}


@dataclass(frozen=True, slots=True)
class Element:
    """What may stand under one JSON name. `fits` is there for primitives alone, `codes` where a value set closes it."""

    name: str
    type: str
    many: bool
    choice: str | None = None
    fits: Fits | None = None
    codes: frozenset[str] | None = None
    targets: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """A resource, a data type or a part of one, with everything it inherits.

    `required` are the names that must be there; for a choice the name without its type.
    """

    name: str
    lineage: tuple[str, ...]
    elements: Mapping[str, Element]
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    kinds: frozenset[str]
    any_types: tuple[str, ...]
    structures: Mapping[str, str]
    codes: Mapping[str, str]


@cache
def _table() -> _Table:
    packed = files(__package__).joinpath("data/r4.tsv.gz").read_bytes()
    rows: dict[str, str] = {}
    for line in gzip.decompress(packed).decode().splitlines():
        name, tab, rest = line.partition("\t")
        if tab:
            rows[name] = rest
    codes = {name[1:]: rest for name, rest in rows.items() if name.startswith("=")}
    return _Table(frozenset(rows["#KINDS"].split()), tuple(rows["#ANY"].split()), rows, codes)


def kinds() -> frozenset[str]:
    """The names of R4's resource types, the abstract ones left out."""
    return _table().kinds


def is_kind(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name in _table().kinds


@cache
def structure(name: str) -> Structure:
    """One type by its name, one part by its path."""
    base, _, described = _table().structures[name].partition("\t")
    inherited = structure(base) if base else None
    elements = dict(inherited.elements) if inherited else {}
    required = list(inherited.required) if inherited else []
    for text in described.split():
        found = _ELEMENT.fullmatch(text)
        assert found is not None, f"{name}: the table is damaged"
        own, is_choice, cardinality, types, bound = found.groups()
        if cardinality == "-":
            elements.pop(own, None)
            continue
        if cardinality in "!+":
            required.append(own)
        for element in _elements(name, own, bool(is_choice), cardinality in "*+", types, bound):
            elements[element.name] = element
    return Structure(name, (name, *(inherited.lineage if inherited else ())), elements, tuple(required))


def _elements(owner: str, own: str, is_choice: bool, many: bool, types: str, bound: str | None) -> list[Element]:
    """One element for each type it may have: `value[x]` is valueString, valueQuantity and so on."""
    made = []
    for written in _table().any_types if types == "any" else types.split("|"):
        found = _TYPE.fullmatch(written)
        if written == ".":
            type_, targets = f"{owner}.{own}", None
        else:
            assert found is not None, f"{owner}.{own}: the table is damaged"
            type_, targets = found[1].removeprefix("@"), found[2]
        suffix = _IN_NAMES.get(type_, type_)
        made.append(
            Element(
                name=f"{own}{suffix[0].upper()}{suffix[1:]}" if is_choice else own,
                type=type_,
                many=many,
                choice=own if is_choice else None,
                fits=FITS.get(type_),
                codes=_codes(bound) if bound else None,
                targets=frozenset(targets.split(",")) if targets else None,
            )
        )
    return made


@cache
def _codes(value_set: str) -> frozenset[str]:
    return frozenset(_table().codes[value_set].split())
