"""How grave the text may call an interaction: as grave as the sources do, never milder."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from docgemma.agent.answer.check import MARK, check
from docgemma.agent.answer.evidence import Evidence
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.tools.results import Interaction, InteractionReport


def named(text: str) -> Sequence[str]:
    return tuple(part for drug in drugs_in(text) for part in ingredients(drug.value))


def evidence(*found: Interaction, status: str = "found") -> Evidence:
    report = InteractionReport.model_validate({"status": status, "interactions": found})
    return Evidence.of([report], user=("warfarin with ibuprofen and digoxin?",), drugs_in=named)


MAJOR = Interaction(drugs=("warfarin", "ibuprofen"), severity="major", significance="Serious bleeding.")
MINOR = Interaction(drugs=("warfarin", "digoxin"), severity="minor", significance="Check the levels.")
UNGRADED = Interaction(drugs=("warfarin", "ibuprofen"), quote="More bleeding.")

BELITTLING = (
    "This is a minor interaction.",
    "The interaction between warfarin and ibuprofen is minor.",
    "Warfarin and Advil have only a mild drug-drug interaction.",
    "The severity is low.",
    "Severity: minor",
    "The interaction of warfarin with ibuprofen is unlikely to be clinically relevant.",
    "It is of little clinical significance.",
)


@pytest.mark.parametrize("sentence", [*BELITTLING, "Warfarin and ibuprofen have a moderate interaction."])
def test_nothing_milder_than_the_source_is_released(sentence: str) -> None:
    assert check(sentence, evidence(MAJOR)).dropped == "milder than the sources"


@pytest.mark.parametrize("sentence", BELITTLING)
@pytest.mark.parametrize("known", [evidence(UNGRADED), evidence(status="none"), evidence(status="unavailable")])
def test_nothing_is_called_minor_that_no_source_grades(sentence: str, known: Evidence) -> None:
    assert check(sentence, known).text == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Warfarin and ibuprofen have a major interaction.",
        "The interaction between warfarin and ibuprofen is considered major.",
        "This is not a minor interaction.",
        "Use a low dose because of the interaction between warfarin and ibuprofen.",
    ],
)
def test_what_the_source_says_may_be_said(sentence: str) -> None:
    assert check(sentence, evidence(MAJOR)).text == sentence


def test_each_pair_has_its_own_grade() -> None:
    both = evidence(MAJOR, MINOR)
    mild = "The interaction between warfarin and digoxin is minor."
    assert check(mild, both).text == mild
    assert check("The interaction between warfarin and ibuprofen is minor.", both).text == ""
    assert check("These are minor interactions.", both).text == ""


def test_a_grade_that_no_source_gives_is_marked() -> None:
    shown = check("Warfarin and ibuprofen have a major interaction.", evidence(UNGRADED))
    assert shown.text.endswith(MARK)


@pytest.mark.parametrize(
    "sentence",
    [
        "No dose adjustment is needed in renal impairment.",
        "Warfarin does not require renal dose adjustment.",
        "Monitoring is not required.",
        "The combination is generally well tolerated.",
        "Warfarin with ibuprofen is considered acceptable.",
        "Warfarin can be used in pregnancy.",
        "It carries only minor risks.",
        "You can proceed with the combination.",
        "Warfarin does not affect ibuprofen.",
        "The two drugs are compatible.",
    ],
)
def test_no_promise_is_released_that_no_source_makes(sentence: str) -> None:
    for known in (evidence(MAJOR), evidence(status="none")):
        assert check(sentence, known).dropped == "reassurance not in the sources"


@pytest.mark.parametrize(
    "sentence",
    [
        "A dose adjustment is needed in renal impairment.",
        "Warfarin can be used in pregnancy only with a mechanical valve.",
        "It can be used in patients with renal impairment if the dose is reduced.",
        "It is appropriate to check the INR.",
    ],
)
def test_advice_with_its_condition_is_no_promise(sentence: str) -> None:
    assert check(sentence, evidence(MAJOR)).text == sentence
