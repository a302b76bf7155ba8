"""Whatever is asked of the server, the answer is the tool's own typed result."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from docgemma.clinical import ToolResult
from docgemma.errors import BadInput, Conflict, ModelOutputInvalid, ModelUnreachable, Unavailable, UnknownId
from docgemma.tools.registry import REGISTRY, TOOL_NAMES
from docgemma.tools.scripted import ScriptedTools, Step
from docgemma.tools.server import build_server
from tests.tools.calls import CALLS, RESULTS


async def ask(tools: ScriptedTools, name: str, args: dict[str, Any]) -> tuple[ToolResult, str]:
    async with Client(tools.server()) as client:
        answer = await client.call_tool(name, args)  # checks the declared output schema too
    [content] = answer.content
    assert not answer.is_error
    assert isinstance(content, TextContent)
    return REGISTRY[name].result.model_validate(answer.structured_content, extra="forbid"), content.text


@pytest.mark.parametrize("name", TOOL_NAMES)
async def test_every_tool_makes_the_round_trip(name: str) -> None:
    tools = ScriptedTools({name: [RESULTS[name]]})  # type: ignore[index]
    result, text = await ask(tools, name, CALLS[name])  # type: ignore[index]
    assert result == RESULTS[name]  # type: ignore[index]
    assert tools.calls == [(name, CALLS[name])]  # type: ignore[index]
    assert text.startswith(result.text())


@pytest.mark.parametrize("name", TOOL_NAMES)
async def test_every_required_argument_is_asked_for_by_name(name: str) -> None:
    required = tuple(key for key, field in REGISTRY[name].call.model_fields.items() if field.is_required())
    tools = ScriptedTools({})
    result, _ = await ask(tools, name, {})
    assert (result.status, result.error_type, result.missing) == ("invalid", "missing_required_args", required)
    assert tools.calls == []


@pytest.mark.parametrize(
    ("name", "args", "error_type", "missing"),
    [
        ("check_drug_safety", {"drug_name": "  "}, "missing_required_args", ("drug_name",)),
        ("check_drug_safety", {"drug_name": None}, "missing_required_args", ("drug_name",)),
        ("check_drug_safety", {"drug_name": 7}, "invalid_args", ()),
        ("check_drug_safety", {"drug_name": "x" * 121}, "invalid_args", ()),
        ("check_drug_safety", {"drug_name": "warfarin", "dose": "5"}, "invalid_args", ()),
        ("check_drug_interactions", {"drug_names": ["warfarin"]}, "missing_required_args", ("drug_names",)),
        ("check_drug_interactions", {"drug_names": ["warfarin", ""]}, "missing_required_args", ("drug_names",)),
        (
            "check_drug_interactions",
            {"drug_names": ["Warfarin", "warfarin "]},
            "missing_required_args",
            ("drug_names",),
        ),
        ("check_drug_interactions", {"drug_names": "warfarin, ibuprofen"}, "invalid_args", ()),
        ("check_drug_interactions", {"drug_names": [f"d{n}" for n in range(9)]}, "invalid_args", ()),
        (
            "prescribe_medication",
            {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "500 mg", "frequency": ""},
            "missing_required_args",
            ("frequency",),
        ),
    ],
)
async def test_unusable_arguments_are_an_answer_not_a_protocol_error(
    name: str, args: dict[str, Any], error_type: str, missing: tuple[str, ...]
) -> None:
    tools = ScriptedTools({})
    result, _ = await ask(tools, name, args)
    assert (result.status, result.error_type, result.missing) == ("invalid", error_type, missing)
    assert result.message
    assert tools.calls == []


async def test_a_refusal_repeats_no_value() -> None:
    args = {"patient_id": "Jane Canary", "note_type": ["Jane Canary"], "note_text": "x", "Jane Canary": 1}
    result, text = await ask(ScriptedTools({}), "save_clinical_note", args)
    assert result.error_type == "invalid_args"
    assert "Canary" not in result.model_dump_json() + text


async def test_an_optional_null_is_simply_absent() -> None:
    tools = ScriptedTools({"find_clinical_trials": [RESULTS["find_clinical_trials"]]})
    await ask(tools, "find_clinical_trials", {"condition": "melanoma", "status": None})
    assert tools.calls == [("find_clinical_trials", {"condition": "melanoma"})]


async def test_note_text_arrives_to_the_letter() -> None:
    tools = ScriptedTools({"save_clinical_note": [RESULTS["save_clinical_note"]]})
    await ask(tools, "save_clinical_note", CALLS["save_clinical_note"])
    assert tools.calls[0][1]["note_text"] == "Feels  well.\n"


@pytest.mark.parametrize(
    ("fault", "status", "error_type"),
    [
        (Unavailable("The label server is down. Try again later."), "unavailable", "service_unavailable"),
        (Conflict("The chart changed."), "unavailable", "service_unavailable"),
        (UnknownId("There is no such patient."), "not_found", "not_found"),
        (BadInput("This is not an image."), "invalid", "invalid_args"),
        (ModelUnreachable("The model is down."), "unavailable", "service_unavailable"),
        (ModelOutputInvalid("The model gave nothing."), "unavailable", "invalid_response"),
    ],
)
async def test_an_expected_failure_keeps_its_words(fault: Step, status: str, error_type: str) -> None:
    result, text = await ask(ScriptedTools({"check_drug_safety": [fault]}), "check_drug_safety", {"drug_name": "x"})
    assert (result.status, result.error_type, result.message) == (status, error_type, str(fault))
    assert text == str(fault)


async def test_a_bug_is_masked_and_logged_without_values(caplog: pytest.LogCaptureFixture) -> None:
    tools = ScriptedTools({"search_patient": [ValueError("no row for Jane Canary")]})
    with caplog.at_level(logging.DEBUG):
        result, text = await ask(tools, "search_patient", {"name": "Jane Canary"})
    assert (result.status, result.error_type) == ("unavailable", "server_error")
    assert "tool search_patient failed: ValueError" in caplog.text
    assert "Canary" not in caplog.text + text + result.model_dump_json()


async def test_a_handler_of_the_wrong_type_is_a_bug() -> None:
    async def handler(_args: object) -> ToolResult:
        return RESULTS["search_patient"]

    server = build_server({"check_drug_safety": handler}, names=["check_drug_safety"])
    async with Client(server) as client:
        answer = await client.call_tool("check_drug_safety", {"drug_name": "warfarin"})
    assert answer.structured_content["error_type"] == "server_error"


async def test_only_the_named_tools_are_offered() -> None:
    async with Client(ScriptedTools({}).server(["check_drug_safety"])) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["check_drug_safety"]
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("get_patient_chart", {"patient_id": "abc-123"})


def test_a_tool_without_a_handler_is_found_when_building() -> None:
    with pytest.raises(KeyError, match="check_drug_safety"):
        build_server({})


async def test_text_only_clients_see_what_must_never_be_left_out() -> None:
    report = RESULTS["check_drug_safety"].model_copy(update={"warnings": ("allergy",), "not_checked": ("renal dose",)})
    _, text = await ask(ScriptedTools({"check_drug_safety": [report]}), "check_drug_safety", {"drug_name": "x"})
    assert "Warning: allergy" in text
    assert "Not checked: renal dose" in text
    assert "not reviewed by a clinician" in text
