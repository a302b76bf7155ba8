"""A small terminology behind a real MCP server in this process, and the services around it.

Identifiers are those of core_concepts.csv and of MONDO's own cross-references.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from docgemma.errors import Unavailable
from docgemma.fetch.pacing import Breaker
from docgemma.grounding.contract import Criterion, Grounded, Quantity, Window
from docgemma.grounding.grounding import Services, ground
from docgemma.grounding.rules import RULES
from docgemma.grounding.schemas import ExtractedEntityAction, Extraction
from docgemma.grounding.searching import TerminologyClient
from docgemma.llm.contract import LanguageModel
from docgemma.terminology.contract import About, Candidate, EntityType, Linked
from docgemma.terminology.server import ToolName, build_terminology_server
from docgemma.toolbox import Route


def concept(display: str, kind: EntityType, cui: str | None, snomed: str | None = None, p: float = 0.97) -> Candidate:
    return Candidate(cui=cui, snomed_code=snomed, display=display, ontology="CORE", confidence=p, type=kind)


ACETAMINOPHEN = concept("acetaminophen", "Medication", "C0000970", "387517004")
HEPARIN = concept("heparin", "Medication", "C0019134", "372877000")
OSTEOARTHRITIS = concept("osteoarthritis", "Condition", "C0029408", "396275006")
ASTHMA = concept("asthma", "Condition", "C0004096", "31387002")
GOUT = concept("gout", "Condition", "C0018099", "190828008")
EPILEPSY = concept("epilepsy", "Condition", None, "84757009")

NAMES: dict[str, tuple[Candidate, ...]] = {
    "acetaminophen": (ACETAMINOPHEN,),
    "tylenol": (ACETAMINOPHEN.model_copy(update={"confidence": 0.93}),),
    "heparin": (HEPARIN,),
    "osteoarthritis": (OSTEOARTHRITIS, GOUT.model_copy(update={"confidence": 0.2})),
    "asthma": (ASTHMA,),
    "gout": (GOUT,),
    "podagra": (GOUT.model_copy(update={"confidence": 0.9}),),
    "joint trouble": (OSTEOARTHRITIS.model_copy(update={"confidence": 0.5}),),
    "seaweed extract": (concept("seaweed extract", "Medication", None, p=0.95),),
}


@dataclass(slots=True)
class Small:
    """Exact names only. `faults` are raised in order, one for each call; `dies_after` ends it for good."""

    names: Mapping[str, tuple[Candidate, ...]] = field(default_factory=lambda: NAMES)
    faults: list[BaseException] = field(default_factory=list)
    dies_after: int | None = None
    searched: list[tuple[str, EntityType | None, str]] = field(default_factory=list)
    calls: int = 0

    def _call(self) -> None:
        self.calls += 1
        if self.faults:
            raise self.faults.pop(0)
        if self.dies_after is not None and self.calls > self.dies_after:
            raise Unavailable("The terminology is gone.")

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> Sequence[Candidate]:
        self._call()
        self.searched.append((term, type, context))
        return self.names.get(term.lower(), ())[:max_results]

    async def link(self, text: str, *, max_results: int = 5) -> Sequence[Linked]:
        self._call()
        found: list[Linked] = []
        for name, candidates in self.names.items():
            for hit in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
                kind = candidates[0].type
                found.append(
                    Linked(
                        text=hit[0], start=hit.start(), end=hit.end(), type=kind, candidates=candidates[:max_results]
                    )
                )
        return sorted(found, key=lambda each: each.start)

    async def about(self) -> About:
        return About("small", "1")


@dataclass(frozen=True, slots=True)
class Beside:
    negated: bool = False
    quantity: Quantity | None = None
    window: Window | None = None
    doubt: str = ""


def beside(text: str, spans: Sequence[tuple[int, int, EntityType]]) -> list[Beside]:
    """Negated where `no` stands right before; a quantity for a lab value; doubtful with two of them."""
    amount = Quantity(comparator=">", value="7", unit="%")
    doubt = "Two values." if "two values" in text else ""
    return [
        Beside(text[:start].rstrip().lower().endswith("no"), amount if kind == "Lab_Value" else None, doubt=doubt)
        for start, _, kind in spans
    ]


def mentioned(variables: Mapping[str, Any]) -> Extraction:
    """The simplest rule: what the dictionary found."""
    entities = tuple(
        ExtractedEntityAction(
            text=each.text,
            entity_type=each.type,
            search_term=each.text,
            span_start=each.start,
            span_end=each.end,
        )
        for each in variables["mentions"]
    )
    return Extraction(action_type="extract", entities=entities)


@asynccontextmanager
async def client(terminology: Small, **options: Any) -> AsyncIterator[TerminologyClient]:
    server = build_terminology_server(terminology)
    quick: dict[str, Any] = {"pauses_s": (0, 0), "breaker": Breaker(failures=3)}
    routes: dict[ToolName, Route] = {"concept_search": server, "concept_linking": server}
    async with TerminologyClient(routes, **quick | options) as opened:
        yield opened


def services(llm: LanguageModel | None, terminology: TerminologyClient, **options: Any) -> Services:
    rules = {**RULES, "agentic_extract": mentioned}
    simple: dict[str, Any] = {"rules": rules, "attributes": beside, "concurrency": 1}
    return Services(llm, terminology, **simple | options)


async def grounded(
    llm: LanguageModel | None, *texts: str, terminology: Small | None = None, **options: Any
) -> list[Grounded]:
    """Ground these texts as one batch."""
    criteria = [Criterion(criterion_id=f"c{number}", text=text) for number, text in enumerate(texts, 1)]
    async with client(terminology or Small()) as opened:
        return await ground(criteria, "b1", services(llm, opened, **options))


def entity(text: str, kind: EntityType, term: str | None = None) -> dict[str, Any]:
    return {"text": text, "entity_type": kind, "search_term": text if term is None else term}


def extracted(*entities: dict[str, Any]) -> dict[str, Any]:
    return {"action_type": "extract", "entities": entities}


def chosen(*candidates: int, confidence: float = 0.9) -> dict[str, Any]:
    """An evaluation that picks these candidates for the entities in their order."""
    selections = [
        {"entity": number, "candidate": candidate, "confidence": confidence}
        for number, candidate in enumerate(candidates, 1)
    ]
    return {"action_type": "evaluate", "selections": selections}


def refined(*terms: str) -> dict[str, Any]:
    """Other terms for the entities in their order."""
    return {
        "action_type": "refine",
        "searches": [{"entity": number, "search_term": term} for number, term in enumerate(terms, 1)],
    }
