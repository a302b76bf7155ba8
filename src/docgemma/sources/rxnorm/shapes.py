"""What RxNav's answers hold. Its "nothing" is a missing key; a key of another type than promised is a fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.sources.openfda.texts import LONGEST_NAME, name, plain
from docgemma.sources.web import unusable

SERVICE = "RxNorm"
Object = Mapping[str, Any]

CLASS_RELATIONS = frozenset({"", "isa", "has_moa", "has_pe", "has_epc", "has_chemical_structure", "has_chemstructure"})
"""What a drug is or does. Others tell what it is given for or must not be given with: no class of the drug."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A name with its kind: IN is an ingredient, BN a brand and so on."""

    rxcui: str
    name: str
    tty: str


def ids(found: Object) -> tuple[str, ...]:
    """The concepts that a name stands for."""
    return tuple(rxcui for rxcui in _items(_part(found, "idGroup"), "rxnormId") if is_id(rxcui))


def concept(found: Object) -> Concept | None:
    """The properties of one concept; None for an id that is not active any more."""
    return _concept(_part(found, "properties"))


def related(found: Object) -> tuple[Concept, ...]:
    groups = _items(_part(found, "relatedGroup"), "conceptGroup")
    rows = [row for group in groups for row in _items(_object(group), "conceptProperties")]
    return tuple(one for row in rows if (one := _concept(_object(row))) is not None)


def candidates(found: Object) -> tuple[str, ...]:
    """The names of the nearest concepts, best first, each concept once. Licensed names are left blank there."""
    rows = [_object(row) for row in _items(_part(found, "approximateGroup"), "candidate")]
    names: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: _rank(row.get("rank"))):
        rxcui, name = _text(row.get("rxcui")), _text(row.get("name"))
        if rxcui and name:
            names.setdefault(rxcui, name)
    return tuple(dict.fromkeys(names.values()))


def spellings(found: Object) -> tuple[str, ...]:
    rows = _items(_part(_part(found, "suggestionGroup"), "suggestionList"), "suggestion")
    return tuple(dict.fromkeys(name for row in rows if (name := _text(row))))


def class_names(found: Object, rxcui: str) -> tuple[str, ...]:
    """The classes of this one concept; rows repeat, and rows of related drugs are among them."""
    names: list[str] = []
    for row in map(_object, _items(_part(found, "rxclassDrugInfoList"), "rxclassDrugInfo")):
        about = _text(_part(row, "minConcept").get("rxcui"))
        relation = _text(row.get("rela")).lower()
        if about in ("", rxcui) and relation in CLASS_RELATIONS:
            names.append(_text(_part(row, "rxclassMinConceptItem").get("className")))
    return tuple(dict.fromkeys(name for name in names if name))


def is_id(value: Any) -> bool:
    """Digits only: it becomes a part of the next address."""
    return isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 12


def _concept(found: Object) -> Concept | None:
    rxcui, name, tty = (_text(found.get(key)) for key in ("rxcui", "name", "tty"))
    return Concept(rxcui, name, tty) if is_id(rxcui) and name else None


def _part(found: Object, key: str) -> Object:
    value = found.get(key)
    return {} if value is None else _object(value)


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise unusable(SERVICE)
    return value


def _items(found: Object, key: str) -> list[Any]:
    value = found.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise unusable(SERVICE)
    return value


def _text(value: Any) -> str:
    """A name as it may be offered to a person. What is too long for one, or gives orders, is none."""
    if not isinstance(value, str) or len(plain(value)) > LONGEST_NAME:
        return ""
    return name(value)


def _rank(value: Any) -> int:
    """Numbers are text there. A row without a rank comes last."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 6 else 10**6
