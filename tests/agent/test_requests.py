"""Requests as clinicians make them: several at once, short follow-ups, and some that no tool can carry out.

Whatever was asked for is looked up, named as not checked, or said not to have been done; nothing is lost or mixed up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.results import InteractionReport, PatientSearchResult
from docgemma.tools.scripted import ScriptedTools
from tests.support import results as r
from tests.support.turns import stage

PEOPLE = {"Maria Garcia": r.MARIA, "John Smith": r.JOHN}


def tools(**known: Any) -> ScriptedTools:
    nobody = PatientSearchResult(status="not_found", origin="ehr", message="No patient of that name.")
    return ScriptedTools(
        {
            "check_drug_safety": lambda args: r.safety(args["drug_name"], f"Boxed warning of {args['drug_name']}."),
            "check_drug_interactions": lambda _: r.INTERACTIONS,
            "search_patient": lambda args: {**PEOPLE, **known}.get(args["name"]) or nobody,
            "get_patient_chart": lambda args: r.chart(args["patient_id"], f"Patient {args['patient_id']}"),
            "prescribe_medication": lambda args: r.proposal(f"{args['medication_name']} {args['dosage']}"),
            "add_allergy": lambda args: r.proposal(f"{args['substance']}: {args['reaction']}"),
        }
    )


async def test_two_patients_by_name_get_each_their_own_chart(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask("Show me the charts of Maria Garcia and John Smith")
        charts = [args["patient_id"] for name, args in on.tools.calls if name == "get_patient_chart"]
    assert charts == ["mgr-204", "abc-123"]
    assert record.confidence == "high"


async def test_the_chart_of_a_patient_who_was_not_found_is_nobodys(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools(**{"John Smith": None})) as on:
        record = await on.ask("Show me the charts of Maria Garcia and John Smith")
        charts = [args["patient_id"] for name, args in on.tools.calls if name == "get_patient_chart"]
    assert charts == ["mgr-204"]
    assert "No patient of that name." in record.response


async def test_two_ids_get_two_charts(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        await on.ask("Show me the charts of abc-123 and mgr-204")
        assert [args["patient_id"] for _, args in on.tools.calls] == ["abc-123", "mgr-204"]


async def test_more_look_ups_than_a_turn_has_steps_are_named(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask("Check FDA warnings for dofetilide, amiodarone, warfarin, metformin and methotrexate")
        assert len(on.tools.calls) == 4
    assert any("Not checked: Drug Safety Report for methotrexate" in notice for notice in record.notices)
    assert record.confidence == "medium"


async def test_drugs_beyond_eight_are_named_as_not_checked(tmp_path: Path) -> None:
    ten = (
        "warfarin, aspirin, ibuprofen, metformin, lisinopril, amlodipine, simvastatin, omeprazole, amiodarone, digoxin"
    )
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask(f"Check interactions between {ten}")
        assert len(on.tools.calls[0][1]["drug_names"]) == 8
    assert [notice for notice in record.notices if "amiodarone" in notice or "digoxin" in notice]
    assert record.confidence == "medium"


async def test_two_orders_become_two_cards_and_are_not_mixed(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask("prescribe metformin 500 mg twice daily and lisinopril 10 mg once daily for abc-123")
    cards = [(card.args["medication_name"], card.args["dosage"], card.args["frequency"]) for card in record.approvals]
    assert cards == [("metformin", "500 mg", "twice daily"), ("lisinopril", "10 mg", "once daily")]
    assert record.outcome == "approval"
    assert record.approval == record.approvals[0]


async def test_two_allergies_keep_each_their_reaction(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask("Add allergies to penicillin (rash) and sulfa (hives) for abc-123")
    cards = [(card.args["substance"], card.args["reaction"]) for card in record.approvals]
    assert cards == [("penicillin", "rash"), ("sulfa", "hives")]


async def test_a_chart_read_beside_an_order_is_shown_above_the_card(tmp_path: Path) -> None:
    async with stage(tmp_path, None, tools()) as on:
        record = await on.ask("Show me the chart of abc-123 and prescribe lisinopril 10 mg once daily for abc-123")
    assert record.outcome == "approval"
    assert "penicillin: hives" in record.response


UNDOABLE = [
    "stop metformin for abc-123",
    "hold warfarin for abc-123",
    "Cancel the order for metformin",
    "Change metformin to 1000 mg twice daily for abc-123",
]


@pytest.mark.parametrize("message", UNDOABLE)
async def test_what_no_tool_does_is_said_not_to_have_been_done(message: str, tmp_path: Path) -> None:
    """Also with a model that would claim it."""
    claims = ScriptedModel.by_prompt(
        {
            "intent_classify": [{"intent": "TOOL_NEEDED", "task_summary": "", "suggested_tool": None}],
            "synthesize": ["Metformin was stopped."],
        }
    )
    for number, model in enumerate((None, claims)):
        folder = tmp_path / str(number)
        folder.mkdir()
        async with stage(folder, model, tools()) as on:
            record = await on.ask(message)
            assert on.tools.calls == []
        assert "cannot" in record.response and "was stopped" not in record.response
        assert record.approval is None


FOLLOW_UPS = [
    ("Does warfarin interact with ibuprofen?", "and with amlodipine?", ["warfarin", "amlodipine"]),
    ("Check interactions between warfarin and aspirin", "what about clopidogrel?", None),
]


@pytest.mark.parametrize(("first", "second", "drugs"), FOLLOW_UPS, ids=[row[1] for row in FOLLOW_UPS])
async def test_a_short_follow_up_repeats_the_question(
    first: str, second: str, drugs: list[str] | None, tmp_path: Path
) -> None:
    async with stage(tmp_path, None, tools()) as on:
        asked = await on.ask(first)
        record = await on.ask(second, session_id=asked.session_id)
        tool, args = on.tools.calls[-1]
    assert tool == "check_drug_interactions"
    assert record.query == second
    if drugs is not None:
        assert args["drug_names"] == drugs


async def test_a_cancelled_question_is_only_set_aside(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"search_patient": [r.WILSONS]}) as on:
        asked = await on.ask("Search for patient James Wilson")
        record = await on.ask("cancel that", session_id=asked.session_id)
    assert any("set aside" in notice for notice in record.notices)
    assert "Nothing was done about" not in record.response


async def test_nothing_found_is_said_by_code_and_not_put_into_a_models_words(tmp_path: Path) -> None:
    """A model would turn "nothing found" into "no interaction exists"."""
    model = ScriptedModel.by_prompt(
        {
            "intent_classify": [
                {"intent": "TOOL_NEEDED", "task_summary": "", "suggested_tool": "check_drug_interactions"}
            ]
        }
    )
    none = InteractionReport(status="none", origin="live", message="Neither label names the other drug.")
    async with stage(tmp_path, model, {"check_drug_interactions": [none]}) as on:
        record = await on.ask("Check interactions between warfarin and metformin")
    assert "Neither label names the other drug." in record.response
    assert record.llm_calls == 0
