"""Look-ups as people ask for them, and short messages that continue the one before."""

from __future__ import annotations

import pytest

from docgemma.agent.arguments import Context, find
from docgemma.agent.understanding.needs import needs
from docgemma.agent.understanding.reading import read_earlier
from docgemma.clinical import Patient
from docgemma.reader.loading import PACKAGED
from docgemma.tools.registry import REGISTRY
from tests.support.reading import understood

ON_SCREEN = Patient(id="p-9", banner="Zoe Abara, born 1960-01-01, female")


def calls(*said: str, pinned: bool = False, taken: tuple[str, ...] = ()) -> list[tuple[str, list[str]]]:
    """The tools that the last of these messages needs, each with what it is told beside the patient's id."""
    *before, message = said
    found = understood(message, *before, on_screen=pinned)
    earlier = read_earlier(PACKAGED, before)
    made: list[tuple[str, list[str]]] = []
    for need in (one for one in needs(found, has_image=False, patient_known=pinned) if not one.if_alone):
        screen = ON_SCREEN if pinned else None
        args = find(need.tool, Context(found, need.subject, earlier, screen, taken=taken)).values()
        told = [value for name, value in args.items() if name != "patient_id"]
        made.append((need.tool, [word for value in told for word in ([value] if isinstance(value, str) else value)]))
    return made


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Check FDA warnings for dofetilide", [("check_drug_safety", ["dofetilide"])]),
        ("Check interactions between warfarin and ibuprofen", [("check_drug_interactions", ["warfarin", "ibuprofen"])]),
        ("Find studies on gout", [("search_medical_literature", ["gout"])]),
        ("Find recruiting trials for melanoma", [("find_clinical_trials", ["melanoma", "recruiting"])]),
        ("Find patient Maria Garcia", [("search_patient", ["Maria Garcia"])]),
        ("Show me the chart of abc-123", [("get_patient_chart", [])]),
        ("Hello", []),
        ("What is hypertension?", []),
    ],
)
def test_a_message_gets_the_look_ups_it_asks_for(message: str, wanted: list[tuple[str, list[str]]]) -> None:
    assert calls(message) == wanted


def test_each_call_has_only_the_drugs_of_its_own_request() -> None:
    text = "Check interactions between warfarin and aspirin. Is metformin safe in kidney failure? Find studies on gout."
    assert calls(text) == [
        ("check_drug_interactions", ["warfarin", "aspirin"]),
        ("check_drug_safety", ["metformin"]),
        ("search_medical_literature", ["gout"]),
    ]


@pytest.mark.parametrize(
    ("before", "message", "wanted"),
    [
        ("Check FDA warnings for warfarin", "Is it safe in pregnancy?", ("check_drug_safety", ["warfarin"])),
        (
            "Does warfarin interact with ibuprofen?",
            "and with amlodipine?",
            ("check_drug_interactions", ["warfarin", "amlodipine"]),
        ),
    ],
)
def test_a_short_message_is_understood_after_the_one_before(
    before: str, message: str, wanted: tuple[str, list[str]]
) -> None:
    assert calls(before, message) == [wanted]


@pytest.mark.parametrize("message", ["with food?", "what about in pregnancy?", "thanks"])
def test_a_follow_up_never_becomes_a_write(message: str) -> None:
    made = calls("Prescribe losartan 50 mg daily for abc-123", message)
    assert not [tool for tool, _ in made if REGISTRY[tool].writes]


def test_the_medicines_of_the_chart_join_the_one_that_is_asked_about() -> None:
    text = "Would clarithromycin interact with her meds?"
    joined = ["clarithromycin", "simvastatin", "apixaban"]
    assert calls(text, pinned=True, taken=("simvastatin", "apixaban"))[-1] == ("check_drug_interactions", joined)
    assert calls(text, pinned=True)[-1] == ("check_drug_interactions", [])


def test_what_is_said_counts_before_what_the_chart_lists() -> None:
    made = calls("Does warfarin interact with aspirin?", pinned=True, taken=("simvastatin",))
    assert made[-1] == ("check_drug_interactions", ["warfarin", "aspirin"])
