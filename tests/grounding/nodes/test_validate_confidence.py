"""Who goes to an expert, and with how much confidence: tables of a pure rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.grounding.choosing import UNKNOWN_CUI
from docgemma.grounding.nodes.validate_confidence import (
    NO_CODE,
    OTHER_TYPE,
    UNSURE,
    WORDS_DISAGREE,
    confidence,
    doubt,
    entity_id,
)
from docgemma.grounding.state import Found
from docgemma.terminology.contract import Candidate
from tests.grounding.graph.world import ASTHMA, GOUT, Small, grounded


def at(value: float, base: Candidate = GOUT) -> Candidate:
    return base.model_copy(update={"confidence": value})


def found(
    chosen: Candidate | None,
    *candidates: Candidate,
    model: float | None = None,
    own: tuple[Candidate, ...] | None = None,
    doubt: str = "",
) -> Found:
    shown = candidates or ((chosen,) if chosen else ())
    return Found("gout", 3, 7, "Condition", "gout", shown, own=own, chosen=chosen, model_confidence=model, doubt=doubt)


CASES: dict[str, tuple[Found, float, str]] = {
    "rules, sure": (found(at(0.97)), 0.97, ""),
    "rules, at the threshold": (found(at(0.7)), 0.7, ""),
    "rules, below": (found(at(0.69)), 0.69, UNSURE),
    "model, sure": (found(at(0.97), model=1.0), 0.97, ""),
    "model, fairly sure": (found(at(0.97), model=0.9), 0.9312, ""),
    "model, unsure": (found(at(0.97), model=0.2), 0.6596, UNSURE),
    "model, not the best": (found(at(0.8), at(0.9, ASTHMA), at(0.8), model=1.0), 0.72, ""),
    "rules, not the best": (found(at(0.8), at(0.9, ASTHMA), at(0.8)), 0.8, ""),
    "words agree": (found(at(0.9), model=1.0, own=(at(0.5),)), 0.9, ""),
    "words know nothing": (found(at(0.9), model=1.0, own=()), 0.765, ""),
    "words are weak": (found(at(0.9), model=1.0, own=(at(0.4, ASTHMA),)), 0.765, ""),
    "words say otherwise": (found(at(0.99), model=1.0, own=(at(0.9, ASTHMA),)), 0.8415, WORDS_DISAGREE),
    "other type": (found(at(0.97).model_copy(update={"type": "Medication"})), 0.97, OTHER_TYPE),
    "type not known": (found(at(0.97).model_copy(update={"type": None})), 0.97, ""),
    "no code": (found(at(0.97).model_copy(update={"cui": None, "snomed_code": None})), 0.97, NO_CODE),
    "only SNOMED": (found(at(0.97).model_copy(update={"cui": None})), 0.97, ""),
    "doubt": (found(None, at(0.97), model=1.0, doubt=UNKNOWN_CUI), 0.0, UNKNOWN_CUI),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_confidence_and_doubt(case: str) -> None:
    each, value, reason = CASES[case]
    assert confidence(each) == pytest.approx(value)
    assert doubt(each, 0.7) == reason


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_a_model_never_adds_confidence(of_candidate: float, of_model: float, better: bool) -> None:
    chosen = at(of_candidate)
    others = (at(1.0, ASTHMA),) if better else ()
    assert confidence(found(chosen, *others, chosen, model=of_model)) <= round(of_candidate, 4)


async def test_the_threshold_is_a_parameter() -> None:
    for threshold, status in ((0.5, "grounded"), (0.6, "expert_review")):
        [line] = await grounded(None, "joint trouble", threshold=threshold)
        assert [(each.status, each.umls_cui) for each in line.entities] == [(status, "C0029408")]


async def test_a_concept_without_a_code_goes_to_an_expert_with_its_name() -> None:
    [line] = await grounded(None, "Takes seaweed extract")
    assert [(each.status, each.reason, each.preferred_term) for each in line.entities] == [
        ("expert_review", NO_CODE, "seaweed extract")
    ]


async def test_attributes_and_context_come_from_the_text() -> None:
    labs = {"hba1c": (GOUT.model_copy(update={"type": "Lab_Value"}),), **Small().names}
    far = "word " * 40
    [line] = await grounded(None, f"{far}no gout and HbA1c high {far}", terminology=Small(names=labs))
    gout, lab = line.entities
    assert (gout.negated, lab.negated) == (True, False)
    assert (lab.comparator, lab.value, lab.unit) == (">", "7", "%")
    assert "no gout and HbA1c high" in gout.context_window
    assert len(gout.context_window) < 140
    assert set(gout.context_window.split()) <= set(line.text.split())


async def test_a_doubtful_value_sends_a_sure_concept_to_an_expert() -> None:
    [line] = await grounded(None, "gout with two values")
    [each] = line.entities
    assert (each.status, each.reason, each.grounding_confidence) == ("expert_review", "Two values.", 0.97)


def test_the_id_rests_on_the_content_alone() -> None:
    one = found(at(0.9))
    assert entity_id("No gout", one) == entity_id("No gout", found(None))
    assert entity_id("No gout", one) != entity_id("no gout", one)
    assert entity_id("\ud800", one)
