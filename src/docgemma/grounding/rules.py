"""The table of rules: what each phase answers when no model is set up. The prompts' variables are all they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docgemma.grounding.schemas import (
    LONGEST_ENTITY,
    LONGEST_SEARCH,
    Evaluation,
    ExtractedEntityAction,
    Extraction,
    GroundingSelection,
)
from docgemma.grounding.state import Found
from docgemma.llm.rules import Rule
from docgemma.terminology.contract import Candidate, EntityType


def extract_rule(variables: Mapping[str, Any]) -> Extraction:
    """What the dictionary found, and what patterns find beside it. Not cut: code counts without tiring."""
    from docgemma.grounding.extracting.extract import extract

    found = extract(variables["text"], variables["mentions"], variables["context"])
    entities = tuple(
        ExtractedEntityAction(
            text=each.text,
            entity_type=each.entity_type,
            search_term=each.search_term[:LONGEST_SEARCH],
            span_start=each.start,
            span_end=each.end,
        )
        for each in found
        if len(each.text) <= LONGEST_ENTITY
    )
    return Extraction.model_construct(action_type="extract", entities=entities)


def evaluate_rule(variables: Mapping[str, Any]) -> Evaluation:
    """The best candidate of the entity's own type, else the best at all: the difference of type is seen later."""
    entities: Sequence[Found] = variables["entities"]
    selections = []
    for number, each in enumerate(entities, 1):
        candidate = _best(each.candidates, each.entity_type)
        confidence = each.candidates[candidate - 1].confidence if candidate else 0.0
        selections.append(GroundingSelection(entity=number, candidate=candidate, confidence=confidence))
    return Evaluation.model_construct(action_type="evaluate", selections=tuple(selections))


def _best(candidates: Sequence[Candidate], wanted: EntityType) -> int:
    """Its number from 1; 0 where there is none."""
    fitting = (number for number, each in enumerate(candidates, 1) if each.type in (None, wanted))
    return next(fitting, 1 if candidates else 0)


RULES: Mapping[str, Rule] = {"agentic_extract": extract_rule, "agentic_evaluate": evaluate_rule}
