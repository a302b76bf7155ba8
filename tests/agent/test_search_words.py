"""What a service is asked when a clinician asks: from the message through the agent's own rules to the search.

The tables were read line by line, as a physician in a hurry, a nurse of a rural clinic and a trial coordinator read
them. A row is right when what is sought would find what the person wants.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from docgemma.agent.arguments import find
from docgemma.agent.outsiders import unnamed
from docgemma.agent.understanding.needs import needs
from docgemma.entities import extract
from docgemma.sources.literature import sought as literature
from docgemma.sources.literature.contract import Kind
from docgemma.sources.trials import sought as trials
from docgemma.tools.registry import ToolName
from tests.support.tables import each_of

TODAY = date(2026, 11, 16)
_FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def rows(kind: str) -> list[list[str]]:
    lines = (_FIXTURES / kind / "as_asked.txt").read_text(encoding="utf-8").splitlines()
    return [line.split(" -> ") for line in lines if line and not line.startswith("#")]


def asked(message: str, tool: ToolName) -> tuple[dict[str, Any], str]:
    """The arguments that the rules find for the one search of this kind, and the question that goes with them."""
    entities = extract(message)
    wanted = [need for need in needs(message, entities, has_image=False, patient_known=False) if need.tool == tool]
    assert len(wanted) == 1, wanted
    found = find(tool, wanted[0].subject, message, entities)
    assert not found.missing, found.missing
    return {name: item.value for name, item in found.args.items()}, unnamed(message, entities)


@each_of(("message", "expected"), rows("literature"), ids=lambda row: row[0])
def test_articles_are_sought_as_they_are_asked_for(message: str, expected: str) -> None:
    args, question = asked(message, "search_medical_literature")
    found = literature.sought_in(args["query"], question, today=TODAY)
    concepts, _, narrowed = expected.partition(" | ")
    wanted = [concept.strip().split("=") for concept in concepts.split(" / ")]
    assert [concept[0] for concept in found.concepts] == [names[0] for names in wanted]
    for names, concept in zip(wanted, found.concepts, strict=True):
        assert set(names) <= set(concept), f"{names} are not all among {concept}"
    kinds: tuple[Kind, ...] = found.kinds
    years = f"{found.since or ''}-{found.until or ''}"
    told = [*kinds, *([years] if years != "-" else []), *(["newest"] if found.newest else [])]
    assert told == narrowed.split()


@each_of(("message", "expected"), rows("trials"), ids=lambda row: row[0])
def test_trials_are_sought_as_they_are_asked_for(message: str, expected: str) -> None:
    args, question = asked(message, "find_clinical_trials")
    found = trials.sought_in(args["condition"], args.get("status"), question).sought
    age = "" if found.age_years is None else f"{found.age_years:g}"
    told = {
        "treatment": found.intervention,
        "status": ",".join(found.statuses),
        "phase": ",".join(found.phases),
        "place": found.place,
        "age": age if found.age_to is None else f"{age}-{found.age_to:g}",
        "sex": found.sex or "",
    }
    said = "; ".join([found.condition, *(f"{name} {value}" for name, value in told.items() if value)])
    assert said == expected
