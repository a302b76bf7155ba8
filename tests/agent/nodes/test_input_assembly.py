"""Preparing a turn: entities, the answer to an open question, what the image shows."""

from __future__ import annotations

from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.record import Clarification, PendingCall
from docgemma.agent.state import AttachedImage
from docgemma.clinical import Option
from docgemma.llm.contract import Image
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime
from tests.support import results as r
from tests.support.images import CHEST, xray


async def test_finds_the_entities_of_the_specifications_example() -> None:
    state = await assembled("Find patient John Smith, check his chart, and verify metformin safety")
    assert state["entities"].drug_names() == ("metformin",)
    assert [need.tool for need in state["needs"]] == ["search_patient", "get_patient_chart", "check_drug_safety"]


async def test_the_timeline_repeats_no_patient_data() -> None:
    state = await assembled("Show the chart of John Smith, patient f47ac10b")
    shown = " ".join(step.detail for step in state["timeline"])
    assert "Smith" not in shown
    assert "f47ac10b" not in shown


async def test_an_image_without_a_vision_model_is_said_not_to_be_looked_at() -> None:
    state = await assembled("What do you see?", image=AttachedImage("img-1", facts=("PNG, 8 × 6",)))
    assert state.get("image_findings") is None
    assert state["notices"] == ["The attached image was not looked at: no vision model is available."]


async def test_a_vision_model_is_asked_once_with_the_pictures() -> None:
    model = ScriptedModel(xray("Clear lungs"))
    image = AttachedImage("img-1", (Image("image/png", CHEST),), (1,), facts=("PNG, 8 × 6",))
    update = await input_assembly({"message": "What do you see?", "image": image}, runtime(model))
    seen = update["image_findings"]
    assert seen is not None
    assert (seen.image_id, seen.modality, seen.findings) == ("img-1", "X-ray", ("Clear lungs",))
    assert model.prompts[0].images == image.pictures


def which_wilson() -> Clarification:
    return Clarification(
        reason="multiple_patient_matches",
        question="Which one?",
        options=r.WILSONS.options(),
        pending=PendingCall(message="Search for James Wilson and check his chart", tool="search_patient"),
    )


async def test_a_pick_continues_the_interrupted_request() -> None:
    state = await assembled("the second one, born 1955", pending=which_wilson())
    assert state["request"] == "Search for James Wilson and check his chart"
    assert state["picked"] is not None
    assert state["picked"].id == "jwb-102"
    assert [need.tool for need in state["needs"]] == ["get_patient_chart"]


async def test_a_contradictory_pick_is_no_pick() -> None:
    state = await assembled("the first one, born 1955", pending=which_wilson())
    assert state.get("picked") is None


async def test_a_picked_drug_replaces_only_the_unclear_one() -> None:
    pending = Clarification(
        reason="ambiguous_drug_name",
        question="Did you mean hydralazine or hydroxyzine?",
        options=(Option(label="hydralazine", value="hydralazine"), Option(label="hydroxyzine", value="hydroxyzine")),
        pending=PendingCall(
            message="interactions of warfarin and hydralzine",
            tool="check_drug_interactions",
            args={"drug_names": ["warfarin", "hydralzine"]},
            unclear="hydralzine",
        ),
    )
    state = await assembled("hydralazine", pending=pending)
    assert state["resumed"] is not None
    tool, args = state["resumed"]
    assert tool == "check_drug_interactions"
    assert args["drug_names"].value == ["warfarin", "hydralazine"]


async def test_what_is_error_prone_in_an_order_is_said() -> None:
    update = await assembled("Prescribe hydralazine 25.0 mg twice daily for abc-123")
    assert "“25.0 mg” has a zero after the decimal point. It is read as 25 mg." in update["notices"]
    assert any(line.startswith("Check the name: hydralazine is easily taken for") for line in update["notices"])


async def test_a_question_gets_no_such_word() -> None:
    assert (await assembled("Is hydralazine 25.0 mg safe in pregnancy?"))["notices"] == []
