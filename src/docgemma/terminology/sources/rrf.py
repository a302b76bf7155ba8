"""A user's own UMLS: MRCONSO.RRF and, beside it, MRSTY.RRF. Both are read line by line: they have gigabytes.

The files come sorted by CUI; all lines of a concept therefore stand together, and one concept at a time is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from docgemma.terminology.contract import Concept, EntityType
from docgemma.terminology.sources.record import MESH, SNOMED, distinct, snomed_concept

SYSTEMS = {"SNOMEDCT_US": SNOMED, "MSH": MESH, "RXNORM": "RXNORM", "LNC": "LOINC", "HGNC": "HGNC", "OMIM": "OMIM"}
"""Vocabularies whose codes are kept, and how we call them."""

_PREFERRED = ("MTH/PN", "RXNORM/IN", "RXNORM/MIN", "SNOMEDCT_US/PT", "MSH/MH", "MSH/NM", "LNC/LC", "HGNC/PT", "NCI/PT")
_FIRST_OF_A_CODE = {"PT": 0, "MH": 0, "IN": 0, "NM": 0, "LN": 0, "LC": 1, "PN": 1, "FN": 2, "SY": 3}
_BY_SOURCE: Mapping[str, EntityType] = {
    "RXNORM": "Medication",
    "LNC": "Lab_Value",
    "HGNC": "Biomarker",
    "OMIM": "Condition",
}
_BY_SNOMED_TAG: Mapping[str, EntityType | None] = {
    "disorder": "Condition",
    "finding": "Condition",
    "procedure": "Procedure",
    "regime/therapy": "Procedure",
    "observable entity": "Lab_Value",
    "substance": "Medication",
    "product": "Medication",
    "medicinal product": "Medication",
    "person": "Demographic",
    "ethnic group": "Demographic",
    "organism": None,
    "body structure": None,
    "geographic location": None,
}
_BY_SEMANTIC_TYPE: tuple[tuple[EntityType, frozenset[str]], ...] = (
    ("Lab_Value", frozenset({"T034", "T059", "T201"})),
    ("Biomarker", frozenset({"T028", "T192", "T086", "T114", "T116", "T126", "T129"})),
    ("Condition", frozenset({"T019", "T020", "T033", "T037", "T046", "T047", "T048", "T049", "T184", "T190", "T191"})),
    ("Procedure", frozenset({"T058", "T060", "T061", "T063", "T065", "T074", "T203"})),
    ("Medication", frozenset({"T109", "T121", "T123", "T125", "T127", "T131", "T195", "T197", "T200"})),
    ("Demographic", frozenset({"T032", "T096", "T097", "T098", "T099", "T100", "T101"})),
)
_DRUG = frozenset({"T121", "T200", "T195"})


class Atom(NamedTuple):
    """One line of MRCONSO that is kept: a name of a concept in a vocabulary."""

    cui: str
    preferred: bool
    source: str
    tty: str
    code: str
    name: str


def atoms(lines: Iterable[str]) -> Iterator[Atom]:
    """The English names that are not suppressed."""
    for line in lines:
        cells = line.split("|")
        if len(cells) > 16 and cells[1] == "ENG" and cells[16] == "N":
            preferred = cells[2] == "P" and cells[4] == "PF" and cells[6] == "Y"
            yield Atom(cells[0], preferred, cells[11], cells[12], cells[13], cells[14])


def semantic_types(lines: Iterable[str]) -> dict[str, EntityType]:
    """The kind of every CUI that has one of ours. A pharmacologic substance is a medicine even if it is a protein."""
    found: dict[str, set[str]] = {}
    for line in lines:
        cui, _, rest = line.partition("|")
        found.setdefault(cui, set()).add(rest.partition("|")[0])
    kinds = ((cui, _kind(types)) for cui, types in found.items())
    return {cui: kind for cui, kind in kinds if kind is not None}


def _kind(types: set[str]) -> EntityType | None:
    if types & _DRUG:
        return "Medication"
    return next((kind for kind, known in _BY_SEMANTIC_TYPE if types & known), None)


def umls_concepts(lines: Iterable[str], types: Mapping[str, EntityType] | None) -> Iterator[Concept]:
    """One concept for each CUI of a kind of ours. Without `types` the vocabularies it stands in decide."""
    for cui, group in groupby(atoms(lines), key=lambda atom: atom.cui):
        held = list(group)
        kind = _by_source(held) if types is None else types.get(cui)
        if kind is not None:
            yield _concept(cui, kind, held)


def _by_source(held: list[Atom]) -> EntityType | None:
    """SNOMED CT says the kind in the full name; what MeSH alone has is taken for a condition, its largest part."""
    for atom in held:
        if atom.source == "SNOMEDCT_US" and atom.tty in ("FN", "PT"):
            tag = atom.name.rpartition("(")[2].rstrip(")")
            if tag in _BY_SNOMED_TAG:
                return _BY_SNOMED_TAG[tag]
    sources = {atom.source for atom in held}
    known = next((kind for source, kind in _BY_SOURCE.items() if source in sources), None)
    return known or ("Condition" if sources & {"SNOMEDCT_US", "MSH", "MTH"} else None)


def _concept(cui: str, kind: EntityType, held: list[Atom]) -> Concept:
    ranked = sorted(held, key=_rank)
    display = ranked[0].name
    ids: dict[str, tuple[str, ...]] = {}
    for source, system in SYSTEMS.items():
        codes = [atom.code for atom in sorted(held, key=_code_rank) if atom.source == source and atom.code]
        if codes:
            ids[system] = tuple(dict.fromkeys(codes))
    snomed = [code for code in ids.pop(SNOMED, ()) if snomed_concept(code)]
    return Concept(
        display=display,
        type=kind,
        ontology="UMLS",
        names=(display, *distinct((atom.name for atom in ranked), but=display)),
        cui=cui,
        snomed_code=snomed[0] if snomed else None,
        ids=ids,
    )


def _rank(atom: Atom) -> tuple[bool, int]:
    """UMLS's own choice first, then the preferred names of the vocabularies that clinicians use."""
    label = f"{atom.source}/{atom.tty}"
    return (not atom.preferred, _PREFERRED.index(label) if label in _PREFERRED else len(_PREFERRED))


def _code_rank(atom: Atom) -> int:
    return _FIRST_OF_A_CODE.get(atom.tty, len(_FIRST_OF_A_CODE))
