"""What every reader gives: one entry of one vocabulary, with identifiers in one spelling.

Vocabularies spell each other's names differently (`SCTID`, `SNOMEDCT_US_2023_03_01`, `SNOMED_CT`), and some
cross-references are slips (a MeSH tree number where an identifier belongs). Both are settled here, so that an
identifier that reaches a concept has the form of its system. Nothing is ever made up or repaired: what does not fit
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.terminology.contract import LONGEST_TERM, EntityType

SNOMED = "SNOMED"
UMLS = "UMLS"
MESH = "MESH"

_SYSTEMS = {
    "UMLS": UMLS,
    "UMLS_CUI": UMLS,
    "MESH": MESH,
    "MSH": MESH,
    "SCTID": SNOMED,
    "MONDO": "MONDO",
    "DOID": "DOID",
    "HP": "HP",
    "EFO": "EFO",
    "OMIM": "OMIM",
    "ICD10CM": "ICD10CM",
}
_FORMS = {
    UMLS: re.compile(r"C\d{7}"),
    MESH: re.compile(r"[CD]\d{6,9}"),
    SNOMED: re.compile(r"[1-9]\d{5,17}"),
    "MONDO": re.compile(r"MONDO:\d{7}"),
    "DOID": re.compile(r"DOID:\d{1,8}"),
    "HP": re.compile(r"HP:\d{7}"),
    "EFO": re.compile(r"EFO:\d{7}"),
    "OMIM": re.compile(r"\d{6}"),
    "ICD10CM": re.compile(r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"),
    "HGNC": re.compile(r"HGNC:\d{1,6}"),
    "DRUGBANK": re.compile(r"DB\d{5}"),
    "MEDLINEPLUS": re.compile(r"a\d{6}(?:-[a-z]{2})?"),
    "RXNORM": re.compile(r"\d{1,8}"),
    "LOINC": re.compile(r"\d{1,6}-\d"),
}
_WITH_PREFIX = ("MONDO", "DOID", "HP", "EFO")

_MOVED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
_DIHEDRAL = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)


@dataclass(frozen=True, slots=True)
class Record:
    """One entry as its vocabulary has it. Without a type it is of no use alone, but may lend its id to the core."""

    source: str
    """The vocabulary, as a candidate names it: MONDO, MESH, HGNC, CORE, …"""
    system: str
    """The system of `id`; empty for an entry that is known by its name alone."""
    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    xrefs: tuple[tuple[str, str], ...] = ()
    type: EntityType | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


def xref(namespace: str, identifier: str) -> tuple[str, str] | None:
    """A cross-reference in our spelling; nothing for a system that is not used or an identifier of the wrong form."""
    upper = namespace.upper()
    system = SNOMED if upper.startswith("SNOMED") else _SYSTEMS.get(upper)
    if system is None:
        return None
    spelled = identifier.strip()
    if system in _WITH_PREFIX and not spelled.startswith(f"{system}:"):
        spelled = f"{system}:{spelled}"
    return (system, spelled) if well_formed(system, spelled) else None


def well_formed(system: str, identifier: str) -> bool:
    form = _FORMS.get(system)
    if form is not None and form.fullmatch(identifier) is None:
        return False
    return system != SNOMED or snomed_concept(identifier)


def snomed_concept(identifier: str) -> bool:
    """Whether the digits are a concept (not a description) and the Verhoeff check digit is right."""
    if not identifier.isascii() or not identifier.isdigit() or identifier[-3:-1] not in ("00", "10"):
        return False
    check = 0
    for place, digit in enumerate(reversed(identifier)):
        moved = int(digit)
        for _ in range(place % 8):
            moved = _MOVED[moved]
        check = _DIHEDRAL[check][moved]
    return check == 0


def distinct(names: Iterable[str], *, but: str = "") -> tuple[str, ...]:
    """The names in order, each once whatever its case, without `but`, empty ones and ones nobody would search for."""
    seen = {but.casefold()}
    kept: list[str] = []
    for name in names:
        clean = " ".join(name.split())
        folded = clean.casefold()
        if clean and folded not in seen and len(clean) <= LONGEST_TERM:
            seen.add(folded)
            kept.append(clean)
    return tuple(kept)
