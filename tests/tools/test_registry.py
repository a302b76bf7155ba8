"""The table, the specification and the MCP server say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcp import Client

from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, offered
from docgemma.tools.scripted import ScriptedTools

SPEC = Path(__file__).parents[3] / "shared" / "spec" / "agent-graph-v3.md"


def folded(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.skipif(not SPEC.exists(), reason="the specification is not beside this checkout")
def test_descriptions_are_the_specifications_word_for_word() -> None:
    section = SPEC.read_text(encoding="utf-8").split("## 16. Appendix: Tool Descriptions")[1].split("```")[1]
    listed = [folded(entry) for entry in re.split(r"\n(?=- )", section)[1:]]
    assert [folded(tool.line()) for tool in TOOLS] == listed


@pytest.mark.skipif(not SPEC.exists(), reason="the specification is not beside this checkout")
def test_labels_are_the_specifications() -> None:
    pairs = re.findall(r"`\[(\w+)\]` → `\[([\w ]+)\]`", SPEC.read_text(encoding="utf-8"))
    assert dict(pairs) == {tool.name: tool.label for tool in TOOLS}


async def test_the_server_declares_exactly_the_registry() -> None:
    async with Client(ScriptedTools({}).server()) as client:
        declared = (await client.list_tools()).tools
    assert [entry.name for entry in declared] == [tool.name for tool in TOOLS] == list(TOOL_NAMES)
    for entry in declared:
        tool = REGISTRY[entry.name]
        assert (entry.title, entry.description) == (tool.label, tool.description)
        assert entry.input_schema == tool.call.model_json_schema()
        assert entry.output_schema == tool.result.model_json_schema()
        assert entry.annotations is not None
        assert entry.annotations.read_only_hint is not tool.writes
        assert entry.annotations.destructive_hint is False
        assert entry.annotations.open_world_hint is tool.open_world


async def test_arguments_by_code_are_declared_over_mcp_but_not_to_the_model() -> None:
    for name, argument in (("analyze_medical_image", "image"), ("save_clinical_note", "note_text")):
        tool = REGISTRY[name]
        assert argument in tool.call.model_fields
        assert argument not in tool.args.model_fields


def test_without_the_chart_no_tool_with_patient_data_is_offered() -> None:
    assert offered(chart=False) == (
        "check_drug_safety",
        "check_drug_interactions",
        "search_medical_literature",
        "find_clinical_trials",
        "analyze_medical_image",
    )
    assert offered(chart=True) == TOOL_NAMES
    assert all(REGISTRY[name].patient for name in TOOL_NAMES if REGISTRY[name].writes)
