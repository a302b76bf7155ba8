"""What others know of a terminology: names go in, candidates with identifiers come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from pydantic import Field

from docgemma.clinical import Frozen

EntityType = Literal["Condition", "Medication", "Procedure", "Lab_Value", "Demographic", "Biomarker"]
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)

LONGEST_TERM = 300
"""Longer than any name that a person would search for; beyond it the term is refused, not cut."""
LONGEST_TEXT = 20_000
MOST_RESULTS = 50


class Candidate(Frozen):
    """One concept that a term may stand for. An identifier that no named source gives stays empty."""

    cui: str | None = Field(default=None, description="UMLS concept, such as C0000970")
    snomed_code: str | None = Field(default=None, description="SNOMED CT concept")
    display: str = Field(description="The preferred name")
    ontology: str = Field(description="Where the preferred name comes from, such as MONDO, MESH or CORE")
    confidence: float = Field(ge=0, le=1, description="How likely this is what the term means")
    ids: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="Identifiers by system, best first")
    type: EntityType | None = Field(default=None, description="What kind of thing it is")
    matched: str = Field(default="", description="The name that the term was found by")


class Linked(Frozen):
    """A mention found in a text, with what it may stand for."""

    text: str
    start: int
    end: int
    type: EntityType | None = None
    term: str = Field(default="", description="What was searched for where the text leaves it out: a shared head")
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept as the index is built from it. `names` starts with the display; `weak` are ambiguous short ones.

    `ids` maps a system (MESH, MONDO, DOID, HP, EFO, HGNC, RXNORM, LOINC, DRUGBANK, ICD10CM, OMIM, …) to its
    identifiers, best first. UMLS and SNOMED CT have fields of their own: the second lives in a removable file. Where
    sources disagree on the CUI, `ids` has all of them under UMLS, the chosen one first.
    """

    display: str
    type: EntityType
    ontology: str
    names: tuple[str, ...]
    cui: str | None = None
    snomed_code: str | None = None
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weak: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class About:
    """What a terminology consists of, for `terms info` and for the record of a run."""

    back_end: str
    version: str
    """A digest of the content: the same version gives the same candidates."""
    concepts: int = 0
    names: int = 0
    sources: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class Terminology(Protocol):
    """One back end. Raises Unavailable when it cannot answer: an empty list means that nothing fits."""

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> Sequence[Candidate]:
        """Best first. `context` is the text that the term stands in: abbreviations defined there are understood."""
        ...

    async def link(self, text: str, *, max_results: int = 5) -> Sequence[Linked]:
        """The mentions in a text, in order, not overlapping, each with its candidates."""
        ...

    async def about(self) -> About: ...
