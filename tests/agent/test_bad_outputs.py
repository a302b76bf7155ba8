"""Whatever a model says at whatever node: a valid decision or the node's rule, and never a blank or leaked answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.llm.scripted import Answer, ScriptedModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.scripted import ScriptedTools, Timeout
from tests.support import results as r
from tests.support.images import CHEST, xray
from tests.support.turns import Stage, stage

FIXTURE = Path(__file__).parents[1] / "fixtures" / "attacks" / "bad_model_outputs.jsonl"
ROWS = [json.loads(line) for line in FIXTURE.read_text(encoding="utf-8").splitlines()]
MARKERS = ("<unused9", "<think", "</think", "<end_of_turn>", "<start_of_turn>", "thought\n")

GOOD: Mapping[str, Answer] = {
    "input_assembly": xray("Clear lungs"),
    "intent_classify": {"intent": "TOOL_NEEDED", "task_summary": "look-up", "suggested_tool": "check_drug_safety"},
    "tool_select": {"tool_name": "check_drug_safety"},
    "tool_select_arguments": {"drug_name": "dofetilide"},
    "result_classify": {"quality": "success_rich", "brief_summary": "found"},
    "error_handler": {"strategy": "retry_same"},
    "synthesize": "Torsade de pointes is the boxed warning.",
}
NODES = tuple(GOOD)


class BadAt(ScriptedModel):
    """Answers well, but at one node says what it is told to, every time it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.node, self.raw, self.pieces = "", "", False

    def _next(self, prompt: Any, call: Any) -> Any:
        said: Answer = GOOD[prompt.name]
        if prompt.name == self.node:
            said = list(self.raw) if self.pieces and call.schema is None else self.raw
        self._shared.append(said)
        return super()._next(prompt, call)


def tools() -> ScriptedTools:
    def once_slow() -> Iterator[Any]:
        while True:
            yield Timeout()
            yield r.DOFETILIDE

    answers = once_slow()
    return ScriptedTools({"check_drug_safety": lambda _: next(answers)})


async def play(on: Stage, model: BadAt, node: str, raw: str, *, pieces: bool = False) -> TurnRecord:
    model.node, model.raw, model.pieces = node, raw, pieces
    return await on.ask("Check FDA warnings for dofetilide", image=CHEST if node == "input_assembly" else None)


def blameless(record: TurnRecord, streamed: str, calls: Sequence[tuple[str, Any]]) -> None:
    assert record.response.strip()
    assert streamed.strip() == record.response
    shown = record.model_dump_json(exclude={"query"})
    assert not any(marker in shown for marker in MARKERS)
    assert "has been sent" not in record.response
    assert not record.response.startswith(("{", "[[", "```", "NaN"))
    assert len(re.findall(r"[^\W\d_]{2,}", record.response)) > 1, "words, not a sign"
    assert "json" not in record.response.lower()
    assert not any(REGISTRY[name].writes for name, _ in calls)
    assert record.outcome == "answer"
    assert any("Torsade de pointes" in notice for notice in record.notices)


@pytest.mark.parametrize("node", NODES)
async def test_bad_output_at(node: str, tmp_path: Path) -> None:
    model = BadAt()
    async with stage(tmp_path, model, tools(), shortcuts=False) as on:
        for row in ROWS:
            record = await play(on, model, node, row["raw"])
            blameless(record, on.streamed, on.tools.calls)
        assert node in on.asked, "the node was really asked"


async def test_bad_text_in_pieces_of_one_character(tmp_path: Path) -> None:
    model = BadAt()
    async with stage(tmp_path, model, tools(), shortcuts=False) as on:
        for row in ROWS:
            record = await play(on, model, "synthesize", row["raw"], pieces=True)
            blameless(record, on.streamed, on.tools.calls)


async def test_thirty_kinds_are_there() -> None:
    assert len({row["kind"] for row in ROWS}) == 30
