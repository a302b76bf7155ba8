"""Decisions of experts put into lines. A pure function of both: nothing is grounded again because of a decision."""

from __future__ import annotations

from collections.abc import Mapping

from docgemma.grounding.contract import Entity, Grounded
from docgemma.grounding.review.decision import Decision, item_key
from docgemma.terminology.contract import Candidate

Decisions = Mapping[str, Decision]

_SHORT = 6
"""Texts up to here are mostly abbreviations, and those mean different things in different protocols."""


def applied(line: Grounded, decisions: Decisions) -> Grounded:
    """The line as the experts' decisions would have it."""
    if not decisions or not line.entities:
        return line
    entities = tuple(_decided(entity, decisions) for entity in line.entities)
    return line if entities == line.entities else line.model_copy(update={"entities": entities})


def _decided(entity: Entity, decisions: Decisions) -> Entity:
    decision = decisions.get(item_key(entity.text, entity.entity_type))
    if decision is None or decision.action == "undo":
        return entity
    if _was_not_in_view(entity, decision):
        return entity.model_copy(
            update={
                "status": "expert_review",
                "reason": "An expert decided on this short form with another meaning in view; look at this one, too.",
            }
        )
    return _rejected(entity, decision) if decision.action == "reject" else _chosen(entity, decision)


def _was_not_in_view(entity: Entity, decision: Decision) -> bool:
    """A short form that this criterion explains differently from all that the expert saw is not what was decided on."""
    if len(entity.text) > _SHORT or entity.status != "grounded" or entity.umls_cui is None:
        return False
    return entity.umls_cui not in (*decision.shown, decision.after.umls_cui, decision.before.umls_cui)


def _rejected(entity: Entity, decision: Decision) -> Entity:
    why = f": {decision.reason}" if decision.reason else "."
    return entity.model_copy(
        update={
            "umls_cui": None,
            "snomed_code": None,
            "preferred_term": None,
            "grounding_confidence": 0.0,
            "grounding_method": "person",
            "status": "expert_review",
            "reason": f"An expert rejected it as an entity or as a concept{why}",
        }
    )


def _chosen(entity: Entity, decision: Decision) -> Entity:
    after = decision.after
    return entity.model_copy(
        update={
            **after.model_dump(),
            "grounding_confidence": 1.0,
            "grounding_method": "person",
            "status": "grounded",
            "candidates": _first(entity.candidates, decision),
            "reason": "" if decision.known else "The terminology in use did not know the concept that an expert gave.",
        }
    )


def _first(candidates: tuple[Candidate, ...], decision: Decision) -> tuple[Candidate, ...]:
    """The chosen one stands first, so that its further identifiers are found where one looks for them."""
    after = decision.after
    same = [each for each in candidates if each.cui == after.umls_cui and each.display == after.preferred_term]
    same = same or [each for each in candidates if each.cui is not None and each.cui == after.umls_cui]
    return (same[0], *(each for each in candidates if each is not same[0])) if same else candidates
