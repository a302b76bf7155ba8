"""Without sources every tool says what was not done; none of them soothes."""

from __future__ import annotations

import re

import pytest

from docgemma.clinical import ToolResult
from docgemma.tools.handlers import SPECIALIST, ClinicalTools
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, ToolName
from docgemma.tools.results import ImageReport
from tests.tools.calls import CALLS

SOOTHING = re.compile(r"\b(safe|safely|no (known )?(interactions?|warnings?|results?|risks?)|fine|ok)\b", re.IGNORECASE)


async def run(name: ToolName, tools: ClinicalTools | None = None, **changes: object) -> ToolResult:
    args = REGISTRY[name].call.model_validate(CALLS[name] | changes)
    return await (tools or ClinicalTools()).handlers()[name](args)


@pytest.mark.parametrize("name", TOOL_NAMES)
async def test_a_tool_without_a_source_says_so_plainly(name: ToolName) -> None:
    result = await run(name)
    assert isinstance(result, REGISTRY[name].result)
    assert (result.status, result.error_type) == ("unavailable", "not_configured")
    lacks = r"No [^.]+ is set up" if not REGISTRY[name].writes else "Chart entries cannot be prepared"
    assert re.fullmatch(rf"{lacks} on this installation, so (no|[^.]+ not) [^.]+\.", result.message)
    assert not SOOTHING.search(result.text())
    assert name not in result.text()


async def test_the_drug_and_every_pair_are_named_as_not_checked() -> None:
    safety = await run("check_drug_safety")
    assert safety.message == (
        "No drug label source is set up on this installation, so the safety of dofetilide was not checked."
    )
    assert safety.not_checked == ("Warnings and contraindications of dofetilide",)
    pairs = await run("check_drug_interactions", drug_names=["warfarin", "ibuprofen", "digoxin"])
    assert pairs.not_checked == ("warfarin with ibuprofen", "warfarin with digoxin", "ibuprofen with digoxin")
    assert "warfarin, ibuprofen and digoxin were not checked" in pairs.message


@pytest.mark.parametrize("name", ["search_patient", "get_patient_chart", "save_clinical_note"])
async def test_no_patient_data_in_the_message(name: ToolName) -> None:
    message = (await run(name)).message
    assert not any(str(value) in message for value in CALLS[name].values())


async def test_an_image_tool_without_an_image_asks_for_it() -> None:
    result = await run("analyze_medical_image", image=None)
    assert (result.status, result.error_type, result.missing) == ("invalid", "missing_required_args", ("image",))


async def test_image_findings_always_ask_for_a_specialist() -> None:
    seen: list[tuple[str, str]] = []

    async def vision(query: str, image: str, prior: str | None = None, context: str = "") -> ImageReport:
        seen.append((query, image))
        return ImageReport(status="found", modality="X-ray", findings=("a line",), warnings=("low contrast",))

    result = await run("analyze_medical_image", ClinicalTools(vision=vision))
    assert seen == [("any fracture?", "img-1")]
    assert result.warnings == (SPECIALIST, "low contrast")
    assert result.origin == "model"
