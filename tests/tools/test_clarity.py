"""An order waits until its drug and its amounts are clear; a misspelt drug in a look-up is asked about."""

from __future__ import annotations

import pytest

from docgemma.clinical import ToolResult
from docgemma.tools.arguments import Arguments, DrugInteractionArgs, DrugSafetyArgs
from docgemma.tools.checking import check_arguments
from docgemma.tools.clarity import unclear
from docgemma.tools.registry import REGISTRY

ORDER = {"patient_id": "abc-123", "medication_name": "lisinopril", "dosage": "10 mg", "frequency": "once daily"}


def ordered(**changes: str) -> Arguments | ToolResult:
    return check_arguments(REGISTRY["prescribe_medication"], ORDER | changes)


def test_a_clear_order_passes() -> None:
    assert isinstance(ordered(), Arguments)


@pytest.mark.parametrize(
    ("changes", "error", "field", "offered"),
    [
        ({"medication_name": "lisinoprl"}, "ambiguous_drug_name", "medication_name", ("lisinopril",)),
        ({"medication_name": "w\u0430rfarin"}, "ambiguous_drug_name", "medication_name", ("warfarin",)),
        ({"medication_name": "met\u200bformin"}, "ambiguous_drug_name", "medication_name", ("metformin",)),
        ({"medication_name": "vanc"}, "ambiguous_drug_name", "medication_name", ("vancomycin",)),
        ({"medication_name": "AZT"}, "ambiguous_drug_name", "medication_name", ()),
        ({"medication_name": "qwertyzolam"}, "ambiguous_drug_name", "medication_name", ()),
        ({"frequency": "QD"}, "unclear_amount", "frequency", ("once daily",)),
        ({"dosage": "10 U"}, "unclear_amount", "dosage", ("10 units",)),
        ({"dosage": "1,5 g"}, "unclear_amount", "dosage", ("1.5 g",)),
        ({"dosage": "5-10 mg"}, "unclear_amount", "dosage", ()),
        ({"dosage": "0 mg"}, "unclear_amount", "dosage", ()),
        ({"dosage": "some"}, "unclear_amount", "dosage", ()),
    ],
)
def test_an_order_is_refused_while_something_is_unclear(
    changes: dict[str, str], error: str, field: str, offered: tuple[str, ...]
) -> None:
    refused = ordered(**changes)
    assert isinstance(refused, ToolResult)
    assert (refused.status, refused.error_type, refused.missing) == ("invalid", error, (field,))
    assert refused.suggestions == offered
    assert refused.message.endswith("?")


def test_a_misspelt_drug_is_asked_about_in_a_look_up_unless_the_user_stands_by_it() -> None:
    tool = REGISTRY["check_drug_safety"]
    asked = unclear(tool, DrugSafetyArgs(drug_name="warfrin"))
    assert asked is not None
    assert asked.suggestions == ("warfarin",)
    assert unclear(tool, DrugSafetyArgs(drug_name="warfrin"), confirmed=("warfrin",)) is None


def test_a_pair_is_asked_about_for_its_unclear_half_alone() -> None:
    tool = REGISTRY["check_drug_interactions"]
    asked = unclear(tool, DrugInteractionArgs(drug_names=["atorvastatin", "clarithramycin"]))
    assert asked is not None
    assert asked.suggestions == ("clarithromycin",)


def test_a_look_up_of_an_unknown_name_goes_to_the_source() -> None:
    assert unclear(REGISTRY["check_drug_safety"], DrugSafetyArgs(drug_name="qwertyzolam")) is None
