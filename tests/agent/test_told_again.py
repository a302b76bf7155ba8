"""What an image showed stays with its patient and with its warning, also when a later answer repeats it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from docgemma.agent.answer.notices import IMAGE, notices
from docgemma.agent.vision.seen import repeats_findings
from docgemma.tools.results import DrugSafetyReport
from tests.support.charts import put_demo_charts
from tests.support.eyed import with_eyes
from tests.support.images import png, xray
from tests.support.model_server import Answer, Json
from tests.support.vision_server import Eyes

SAID = "There is a small left pleural effusion; consider drainage."


@dataclass
class Listening(Eyes):
    """Keeps all that it was told."""

    told: list[str] = field(default_factory=list)

    def __call__(self, body: Json) -> Answer:
        self.told.append(str(body["messages"]))
        return super().__call__(body)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """A home with the fictional patients."""
    put_demo_charts(tmp_path)
    return tmp_path


def needs_review(notices: tuple[str, ...]) -> bool:
    return any("specialist" in notice for notice in notices)


async def test_an_answer_that_repeats_a_finding_asks_for_review_again(ward: Path) -> None:
    eyes = Eyes(says=SAID)
    async with with_eyes(ward, eyes) as clinic:
        await clinic.ask("What do you see?", image=png(80, 40), patient_id="def-456")
        eyes.intent = {"intent": "DIRECT", "task_summary": "", "suggested_tool": None}
        for said in (
            "So what should I do about it?",
            "Does she need treatment for that?",
        ):
            assert needs_review((await clinic.ask(said)).notices), said
        eyes.says = "Metformin is usually taken with meals."
        other = await clinic.ask("When is metformin taken?")
    assert not needs_review(other.notices)


async def test_no_model_is_told_one_patients_findings_for_another(ward: Path) -> None:
    eyes = Listening(
        sees={"ImageFindings": xray("Zebra sign", impression="Zebra sign.")}, says="The zebra sign is there."
    )
    async with with_eyes(ward, eyes) as clinic:
        seen = await clinic.ask("What do you see?", image=png(80, 40), patient_id="def-456")
        assert "ebra sign" in seen.response
        eyes.says = "This is what the chart says."
        await clinic.ask("Show me the chart of patient abc-123")
        switched = await clinic.ask("yes")
        assert switched.patient is not None
        assert switched.patient.id == "abc-123"
        eyes.told.clear()
        eyes.intent = {"intent": "DIRECT", "task_summary": "", "suggested_tool": None}
        await clinic.ask("What is the outlook then?")
    assert any("What do you see?" in prompt for prompt in eyes.told), "the user's own words stay"
    assert not any("ebra" in prompt for prompt in eyes.told)


def test_only_an_answer_about_the_image_counts() -> None:
    seen = ("Small left pleural effusion",)
    assert repeats_findings("The effusion is small.", seen)
    assert repeats_findings("As the film showed, little.", seen)
    assert not repeats_findings("Metformin is taken with meals.", seen)
    assert not repeats_findings("The effusion is small.", ())


def test_a_drugs_own_word_of_specialists_is_no_word_on_the_image() -> None:
    label = DrugSafetyReport(status="found", drug="x", warnings=("For use by a specialist in haematology only.",))
    told = notices([("Drug Safety", label)], direct=False, image=True, small_talk=False, model=True)
    assert IMAGE in told
