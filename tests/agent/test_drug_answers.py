"""A model that makes light of real findings: what it wrote in vain, and what a clinician is shown all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.llm.scripted import ScriptedModel
from tests.support.charts import clinic, put_demo_charts
from tests.support.fake_openfda import FakeOpenFda
from tests.support.http import serving
from tests.support.labels import record
from tests.support.pharmacy import CUT_OFF

LABELS = [
    record(
        "warfarin",
        boxed_warning="WARNING: BLEEDING RISK Warfarin can cause fatal bleeding.",
        contraindications="4 CONTRAINDICATIONS Pregnancy, except with mechanical heart valves.",
        drug_interactions="7 DRUG INTERACTIONS Ibuprofen raises the risk of bleeding.",
        use_in_specific_populations="8 USE IN SPECIFIC POPULATIONS 8.1 Pregnancy Warfarin can harm the fetus.",
    ),
    record("ibuprofen", contraindications="4 CONTRAINDICATIONS Asthma after aspirin."),
    record("amoxicillin", contraindications="4 CONTRAINDICATIONS Serious allergy to a penicillin."),
]
WITHHELD = "Part of the model's text was withheld: it said what the sources do not support."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


async def answered(home: Path, question: str, text: str, **more: str) -> tuple[TurnRecord, str]:
    """The turn, and what the model was told before it wrote."""
    intent = {"intent": "TOOL_NEEDED", "task_summary": "a drug question", "suggested_tool": None}
    graded = {"quality": "success_rich", "brief_summary": "found"}
    model = ScriptedModel.by_prompt(
        {"intent_classify": [intent], "result_classify": [graded] * 4, "synthesize": [text]}
    )
    async with serving(FakeOpenFda(LABELS)) as url:
        given = CUT_OFF | {"openfda_url": url, "sources": "live"}
        async with clinic(home, model, **given) as desk:
            turn = await desk.ask(question, **more)
    return turn, model.prompts[-1].messages[-1].text


@pytest.mark.parametrize(
    "claim",
    [
        "There is no interaction between warfarin and ibuprofen.",
        "It is safe to combine them.",
        "This is a minor interaction.",
        "Monitoring is not required.",
        "The two drugs are compatible.",
    ],
)
async def test_a_claim_against_the_findings_is_withheld_and_the_pair_is_shown(claim: str, home: Path) -> None:
    text = f"{claim} Ibuprofen raises the risk of bleeding with warfarin."
    turn, _ = await answered(home, "Check interactions between warfarin and ibuprofen", text)
    assert turn.response == "Ibuprofen raises the risk of bleeding with warfarin."
    assert WITHHELD in turn.notices
    assert turn.notices[0].startswith("Interaction: warfarin with ibuprofen (major): ")
    assert turn.confidence != "high"


async def test_a_boxed_warning_that_the_model_left_out_is_shown(home: Path) -> None:
    turn, _ = await answered(home, "Check FDA warnings for warfarin", "Warfarin is an anticoagulant.")
    assert any("fatal bleeding" in line and line.startswith("Boxed warning (warfarin)") for line in turn.notices)


async def test_a_model_reads_first_what_was_asked_about(home: Path) -> None:
    turn, told = await answered(
        home, "Is warfarin safe in pregnancy?", "Warfarin is safe in pregnancy. It can harm the fetus."
    )
    assert turn.response == "It can harm the fetus."
    assert told.index("On pregnancy:") < told.index("harm the fetus") < told.index("Besides:") < told.index("bleeding")


async def test_silence_on_what_was_asked_is_shown_beside_the_model_and_lowers_confidence(home: Path) -> None:
    turn, _ = await answered(home, "Is warfarin ok with grapefruit juice?", "Warfarin can cause fatal bleeding.")
    assert any("On grapefruit: nothing that was found on warfarin speaks of it." in line for line in turn.notices)
    assert turn.confidence == "medium"


async def test_an_allergy_on_record_is_held_against_the_drug_whatever_the_model_writes(home: Path) -> None:
    turn, _ = await answered(
        home, "Is amoxicillin safe for him?", "Amoxicillin is a penicillin antibiotic.", patient_id="jkl-012"
    )
    assert any(
        line.startswith("Allergy conflict (amoxicillin): Recorded allergy 'Penicillin'") for line in turn.notices
    )
    assert not any("Ask whether it interacts with them" in line for line in turn.notices), "they were checked"
    checked = next(call for call in turn.tool_calls if call.tool == "check_drug_interactions")
    assert {"amoxicillin", "warfarin"} <= {*checked.args["drug_names"]}
    assert turn.confidence != "high"


async def test_a_drug_that_stands_alone_in_the_chart_is_looked_up_and_no_second_one_is_asked_for(home: Path) -> None:
    async with clinic(home, **(CUT_OFF | {"sources": "pack"})) as desk:
        turn = await desk.ask("Is it ok to give her levothyroxine?", patient_id="vwx-234")
    assert turn.outcome == "answer"
    assert [call.tool for call in turn.tool_calls] == ["get_patient_chart", "check_drug_safety"]


@pytest.mark.parametrize(
    ("question", "wrong", "meant", "checked"),
    [
        ("interactions between ibuprofen and warfrin", "warfrin", "warfarin", ["ibuprofen", "warfarin"]),
        ("interactions between warfarin, ibuprofen and warfrin", "warfrin", "warfarin", ["warfarin", "ibuprofen"]),
    ],
    ids=["beside another drug", "beside the drug that is offered"],
)
async def test_a_pick_takes_the_place_of_the_misspelt_name(
    question: str, wrong: str, meant: str, checked: list[str], tmp_path: Path
) -> None:
    async with clinic(tmp_path) as desk:
        asked = await desk.ask(question)
        assert asked.clarification is not None
        assert [option.value for option in asked.clarification.options] == [meant, wrong]
        turn = await desk.ask("1", session_id=asked.session_id)
    (call,) = turn.tool_calls
    assert call.status == "found"
    assert sorted(set(call.args["drug_names"])) == sorted(checked)
