"""Without a model the findings speak for themselves, and the gaps are named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.answer.compose import compose
from docgemma.agent.answer.errors import error_text
from docgemma.clinical import Status, ToolResult
from docgemma.tools.registry import TOOL_NAMES
from docgemma.tools.results import ChartSection, DrugSafetyReport, ImageReport, PatientChart, Proposal


def composed(
    *results: tuple[str, ToolResult],
    message: str = "Check dofetilide",
    errors: Sequence[str] = (),
    image: Sequence[str] = (),
    direct: bool = False,
    small_talk: bool = False,
    model: bool = False,
) -> str:
    return compose(message, results, errors, image, direct=direct, small_talk=small_talk, model_available=model)


REPORT = DrugSafetyReport(
    status="found", drug="dofetilide", boxed_warnings=("Torsade de pointes.",), demonstration=True
)


def test_findings_stand_word_for_word_under_their_label() -> None:
    text = composed(("Drug Safety Report", REPORT))
    assert text.startswith("[Drug Safety Report]\ndofetilide:\nBoxed warning: Torsade de pointes.")
    assert "not reviewed by a clinician" in text
    assert "without a language model" in text


def test_a_failed_look_up_gives_its_error_and_nothing_from_memory() -> None:
    failed = DrugSafetyReport(status="unavailable", error_type="timeout")
    error = error_text(failed, "Drug Safety Report", "amiodarone", final=True)
    text = composed(("Drug Safety Report", failed), errors=[error])
    assert text.count("The Drug Safety Report was temporarily unavailable. Please try again shortly.") == 1
    assert "amiodarone" not in text


def test_a_silent_model_is_admitted() -> None:
    assert "gave no usable answer" in composed(("Drug Safety Report", REPORT), model=True)
    assert "gave no usable answer" in composed(message="What is gout?", direct=True, model=True)


def test_a_general_question_without_a_model_says_what_can_be_done() -> None:
    text = composed(message="What is hypertension?", direct=True)
    assert "no language model is set up" in text
    assert "interactions" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("Thanks a lot!", "You're welcome"),
        ("Hello", "Hello"),
        ("Bye", "Goodbye"),
        ("ok", "All right"),
        ("who are you", "DocGemma"),
    ],
)
def test_small_talk_is_answered_kindly(message: str, start: str) -> None:
    assert composed(message=message, direct=True, small_talk=True).startswith(start)


def test_allergies_medications_and_problems_are_never_cut() -> None:
    many = tuple(f"entry {number} " + "x" * 200 for number in range(200))
    titles = ("Vitals", "Allergies", "Current Medications", "Problems", "Labs")
    chart = PatientChart(
        status="found", banner="P", sections=tuple(ChartSection(title=t, entries=many) for t in titles)
    )
    text = composed(("Patient Record", chart))
    assert [text.count(f"- entry {number} ") for number in (0, 199)] == [4, 3]
    assert "more lines)" in text
    assert text.index("Allergies:") < text.index("Vitals:")


def test_long_results_are_cut_between_lines() -> None:
    text = composed(
        ("Medical Literature", ToolResult(status="found", message="\n".join(f"line {n}" for n in range(100))))
    )
    assert "line 39\n… (60 more lines)" in text


def test_one_endless_line_is_bounded() -> None:
    assert len(composed(("Medical Literature", ToolResult(status="found", message="word " * 10_000)))) < 3_000


def test_a_waiting_order_is_not_called_done() -> None:
    text = composed(("Prescription", Proposal(status="proposed", card="Metformin 500 mg twice daily")))
    assert "Nothing has been written to the chart." in text


def test_image_findings_ask_for_a_specialist_and_appear_once() -> None:
    assert "- opacity\nImage findings need review by a specialist." in composed(image=["opacity"], direct=True)
    assert "- - " not in composed(image=["- opacity"], direct=True)
    report = ImageReport(status="found", modality="X-ray", findings=("opacity",))
    assert composed(("Image Analysis", report), image=["opacity"]).count("opacity") == 1


def test_nothing_found_is_not_nothing_there() -> None:
    assert "does not rule it out" in composed(("Drug Interaction Check", ToolResult(status="none")))


STATUSES: list[Status] = ["found", "none", "not_found", "unavailable", "invalid", "proposed", "written", "declined"]


@given(
    st.lists(st.sampled_from(STATUSES), max_size=4),
    st.lists(st.sampled_from(["", "It failed."]), max_size=2),
    *[st.booleans()] * 3,
)
def test_it_is_never_empty_and_never_says_safe(
    statuses: list[Status], errors: list[str], direct: bool, small_talk: bool, model: bool
) -> None:
    results = [("Drug Safety Report", ToolResult(status=status)) for status in statuses]
    text = composed(*results, errors=errors, direct=direct, small_talk=small_talk, model=model)
    assert text.strip()
    assert "safe " not in text.lower().replace("drug safety report", "")
    assert not any(name in text for name in TOOL_NAMES)
