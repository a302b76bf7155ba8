"""Which names of a concept are too ambiguous to stand alone.

"ALT" is a synonym of a tumour, "PSA" of psoriatic arthritis, "MRI" of a gene; in a criterion they are a lab value and
a procedure. A short name that two concepts share says little about either of them, and a name that the verified core
has belongs to the core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docgemma.terminology.building.groups import Group, spelled
from docgemma.terminology.sources.core import CORE
from docgemma.terminology.sources.genes import HGNC
from docgemma.terminology.sources.record import Record

_SHORTEST = {CORE: 3, HGNC: 4}
"""From how many letters on a synonym can stand alone. The core's were chosen by hand: only ER, PR, CT, … are weak."""
_USUALLY = 4
_LONGEST_WORD = 5
_ABBREVIATION = 6


def weak_names(groups: Sequence[Group]) -> list[frozenset[str]]:
    """For each group its weak names; the name it is displayed by is never one."""
    core = {key for group in groups if group.is_core for key in map(spelled, group.records[0].names)}
    shared = Counter(key for group in groups for key in group.keys if len(key) <= _ABBREVIATION)
    return [_weak(group, core, shared) for group in groups]


def _weak(group: Group, core: set[str], shared: Counter[str]) -> frozenset[str]:
    mine = set(map(spelled, group.records[0].names)) if group.is_core else set()
    found: set[str] = set()
    for record in group.records:
        for name in record.names:
            key = spelled(name)
            chosen = key in mine and record is not group.records[0]
            if not chosen and ((key in core and key not in mine) or _says_little(name, key, record, shared)):
                found.add(name)
    found.discard(group.head.name)
    return frozenset(found)


def _says_little(name: str, key: str, record: Record, shared: Counter[str]) -> bool:
    if len(key) < _SHORTEST.get(record.source, _USUALLY):
        return True
    if record.source == CORE or len(key) > _ABBREVIATION:
        return False
    is_alias = record.source == HGNC and name != record.name
    return (is_alias and len(key) <= _LONGEST_WORD and key.isalpha()) or (shared[key] > 1 and _is_abbreviation(name))


def _is_abbreviation(name: str) -> bool:
    return " " not in name and sum(char.isupper() or char.isdigit() for char in name) > 1
