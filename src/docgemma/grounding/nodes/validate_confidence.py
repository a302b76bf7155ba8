"""The final confidence and standing of every entity, by code alone.

The confidence of a concept is that of its candidate, c: how likely the term means it. A model can only lower it:

    confidence = c x (0.6 + 0.4 x m) x s x r

m is the model's own confidence (1 with rules). s is 1 when the criterion's own words lead to the concept, 0.85 when
only a term of the model's does. r is 1 for the best candidate, 0.9 for any other that a model preferred to it.
Below the threshold, or with any doubt, an expert looks.
"""

from __future__ import annotations

import hashlib

from langgraph.runtime import Runtime

from docgemma.grounding.asking import Live
from docgemma.grounding.choosing import NONE_FITS
from docgemma.grounding.contract import UNSURE, Criterion, Entity
from docgemma.grounding.fitting import misfit
from docgemma.grounding.lookup import identity
from docgemma.grounding.state import Attribute, Attributed, Found, Read, Services, State
from docgemma.terminology.contract import Candidate
from docgemma.terminology.linking.short_forms import definitions
from docgemma.terminology.names.senses import undecided

WINDOW = 60
_MODEL_FLOOR, _ONLY_BY_TERM, _NOT_THE_BEST = 0.6, 0.85, 0.9

OTHER_TYPE = "The chosen concept is of another type than the entity."
WORDS_DISAGREE = "The criterion's own words point to another concept than the one chosen."
NO_CODE = "No source gives a UMLS CUI or a SNOMED CT code for this concept."
AMBIGUOUS = "{} has several meanings, and the criterion does not say which is meant."


async def validate_confidence(state: State, runtime: Runtime[Live]) -> State:
    """Nothing is asked of anyone here: the same entities always end the same way."""
    services = runtime.context.services
    read = zip(state["criteria_texts"], state["raw_entities"], strict=True)
    grounded = tuple(_validated(criterion, each, services) for criterion, each in read)
    return {
        "grounded_entities": grounded,
        "entity_ids": tuple(entity.entity_id for entities in grounded for entity in entities),
    }


def _validated(criterion: Criterion, read: Read, services: Services) -> tuple[Entity, ...]:
    if read.error or not read.found:
        return ()
    attribute = services.attributes or _attributes()
    around = attribute(criterion.text, [(each.start, each.end, each.entity_type) for each in read.found])
    pairs = zip(read.found, around, strict=True)
    return tuple(_entity(criterion, each, beside, services.threshold) for each, beside in pairs)


def _attributes() -> Attribute:
    from docgemma.grounding.attributes import attributes

    return attributes


def confidence(each: Found) -> float:
    """As the formula above; 0 without a choice."""
    if each.chosen is None:
        return 0.0
    value = each.chosen.confidence
    if each.model_confidence is not None:
        value *= _MODEL_FLOOR + (1 - _MODEL_FLOOR) * each.model_confidence
        if any(other.confidence > each.chosen.confidence for other in each.candidates):
            value *= _NOT_THE_BEST
        if each.own is not None and not _among(each.chosen, each.own):
            value *= _ONLY_BY_TERM
    return round(value, 4)


def doubt(each: Found, threshold: float) -> str:
    """Why an expert should look, or nothing. The gravest reason first."""
    if each.doubt:
        return each.doubt
    chosen = each.chosen
    if chosen is None:
        return NONE_FITS
    if chosen.type not in (None, each.entity_type):
        return OTHER_TYPE
    if each.own and each.own[0].confidence >= threshold and not _among(chosen, each.own):
        return WORDS_DISAGREE
    if not chosen.cui and not chosen.snomed_code:
        return NO_CODE
    return UNSURE if confidence(each) < threshold else misfit(each.term or each.text, chosen.matched)


def _ambiguous(criterion: Criterion, each: Found) -> str:
    """A short form of several senses that neither a definition nor the words around it decide."""
    short = undecided(criterion.text, each.start, each.end)
    if short is None or short in definitions(criterion.text, criterion.context):
        return ""
    return AMBIGUOUS.format(short)


def _among(chosen: Candidate, candidates: tuple[Candidate, ...]) -> bool:
    return any(identity(chosen) == identity(candidate) for candidate in candidates)


def _entity(criterion: Criterion, each: Found, beside: Attributed, threshold: float) -> Entity:
    chosen, quantity = each.chosen, beside.quantity
    reason = doubt(each, threshold) or _ambiguous(criterion, each) or beside.doubt
    return Entity(
        entity_id=entity_id(criterion.text, each),
        text=each.text,
        entity_type=each.entity_type,
        span_start=each.start,
        span_end=each.end,
        context_window=_window(criterion.text, each.start, each.end),
        umls_cui=chosen.cui if chosen else None,
        preferred_term=chosen.display if chosen else None,
        snomed_code=chosen.snomed_code if chosen else None,
        grounding_confidence=0.0 if each.doubt else confidence(each),
        model_confidence=each.model_confidence,
        grounding_method=each.method,
        status="expert_review" if reason else "grounded",
        candidates=each.candidates,
        negated=beside.negated,
        comparator=quantity.comparator if quantity else None,
        value=quantity.value if quantity else None,
        upper=quantity.upper if quantity else None,
        unit=quantity.unit if quantity else None,
        time=beside.window,
        reason=reason,
    )


def entity_id(text: str, each: Found) -> str:
    """From the content alone: storing the same entity twice stores it once."""
    content = "\0".join((text, str(each.start), str(each.end), each.entity_type))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _window(text: str, start: int, end: int) -> str:
    """The entity with the words around it, whole words only."""
    left, right = max(0, start - WINDOW), min(len(text), end + WINDOW)
    while 0 < left < start and not text[left - 1].isspace():
        left += 1
    while end < right < len(text) and not text[right].isspace():
        right -= 1
    return text[left:right].strip()
