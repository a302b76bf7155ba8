"""The image tool's eyes: which images it may look at, and what it says when nobody looked."""

from __future__ import annotations

import base64

import pytest

from docgemma.agent.rules import RULES
from docgemma.agent.vision import ModelVision, from_data_url
from docgemma.llm.rules import RulesModel
from docgemma.llm.scripted import ScriptedModel
from tests.support.images import CHEST

URL = f"data:image/png;base64,{base64.b64encode(CHEST).decode()}"


async def test_findings_of_an_image_sent_along() -> None:
    model = ScriptedModel("Modality: X-ray\n- No effusion")
    report = await ModelVision(model, from_data_url)("Is there an effusion?", URL)
    assert (report.status, report.origin, report.findings) == ("found", "model", ("No effusion",))
    assert "Is there an effusion?" in model.prompts[0].messages[-1].text


@pytest.mark.parametrize(
    ("reference", "error"),
    [
        ("img-of-somebody-else", "missing_required_args"),
        ("data:text/html;base64,PGI+", "missing_required_args"),
        ("data:image/png;base64,%%%", "invalid_args"),
        ("data:image/png;base64,PGI+aGVsbG88L2I+", "invalid_args"),
    ],
)
async def test_what_cannot_be_looked_at(reference: str, error: str) -> None:
    report = await ModelVision(ScriptedModel(), from_data_url)("What is this?", reference)
    assert (report.status, report.error_type) == ("invalid", error)


async def test_without_a_vision_model_nobody_looked() -> None:
    report = await ModelVision(RulesModel(RULES), from_data_url)("What is this?", URL)
    assert report.status == "unavailable"
    assert "was not looked at" in report.message
