"""Whatever a model or its server does: one valid object, or the rule; never a marker, a blank, a traceback."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from docgemma.agent.schemas import IntentClassification, ResultAssessment, ToolSelection, tool_selection
from docgemma.errors import ModelError, ModelOutputInvalid, ModelUnreachable
from docgemma.fetch.door import Door
from docgemma.llm.contract import Usage
from docgemma.llm.parse import parse_object
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.tools.arguments import PatientChartArgs, PrescribeMedicationArgs
from docgemma.tools.registry import TOOL_NAMES
from tests.llm.conftest import PROMPT, model_at
from tests.support.model_server import Answer, ModelServer, failing, html, raw

_FILE = Path(__file__).parents[1] / "fixtures" / "attacks" / "bad_model_outputs.jsonl"
BAD = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]
OUTPUTS = pytest.mark.parametrize("raw_output", [case["raw"] for case in BAD], ids=[case["kind"] for case in BAD])
MARKER = re.compile(r"<(?:/?think|unused\d+|(?:start|end)_of_turn|bos|eos)>|Traceback", re.IGNORECASE)

RULE_ANSWERS: dict[type[BaseModel], BaseModel] = {
    IntentClassification: IntentClassification(intent="DIRECT", task_summary="by rule"),
    tool_selection(TOOL_NAMES): ToolSelection(tool_name="check_drug_safety"),
    ResultAssessment: ResultAssessment(quality="no_results", brief_summary="by rule"),
    PrescribeMedicationArgs: PrescribeMedicationArgs(
        patient_id="rule", medication_name="rule", dosage="rule", frequency="rule"
    ),
    PatientChartArgs: PatientChartArgs(patient_id="rule"),
}
SCHEMAS = pytest.mark.parametrize("schema", RULE_ANSWERS, ids=lambda schema: schema.__name__)


@OUTPUTS
@SCHEMAS
async def test_bad_output_gives_one_valid_object_or_the_rule(
    door: Door, turn: Usage, raw_output: str, schema: type[BaseModel]
) -> None:
    rules = RulesModel({PROMPT.name: lambda _: RULE_ANSWERS[schema]})
    async with ModelServer(lambda _: Answer(raw_output)) as server:
        model = model_at(server, door)
        chosen = await GuardedModel(model, rules).decide(PROMPT, schema, max_tokens=64)
    assert type(chosen).model_validate(chosen.model_dump()) == chosen
    if turn.notices:
        assert chosen.model_dump() == RULE_ANSWERS[schema].model_dump()
        assert len(server.asked) == 2
    else:
        assert json.dumps(chosen.model_dump(exclude_unset=True), separators=(",", ":")) in raw_output
        assert len(server.asked) == 1


def test_the_fixture_covers_both_ways() -> None:
    """Exactly these outputs hold one tool selection; a parser that takes more or fewer is wrong."""
    taken = set()
    for case in BAD:
        try:
            parse_object(case["raw"], tool_selection(TOOL_NAMES))
        except ModelError:
            continue
        taken.add(case["kind"])
    assert taken == {"fences_ok", "prose_then_json", "thinking_then_json", "think_tag", "bom", "nul"}


@OUTPUTS
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "by_character"])
async def test_bad_text_is_shown_clean_or_replaced(door: Door, turn: Usage, raw_output: str, whole: bool) -> None:
    rules = RulesModel({PROMPT.name: lambda _: "Put together by rules."})
    answer = Answer(raw_output, pieces=[raw_output] if whole else list(raw_output))
    async with ModelServer(lambda _: answer) as server:
        guarded = GuardedModel(model_at(server, door), rules)
        text = "".join([piece async for piece in guarded.write(PROMPT, temperature=0.5, max_tokens=256)])
    assert text.strip(" \n\x00\ufeff")
    assert not MARKER.search(text)
    assert len(text) <= 256 * 8
    assert len(server.asked) <= 2


FAULTS = {
    "slow": (Answer("{}", delay_s=30), ModelUnreachable),
    "endless_headers": (Answer(endless_headers=True), ModelUnreachable),
    "500": (failing(500), ModelUnreachable),
    "429": (failing(429, "retry-after: 1000"), ModelUnreachable),
    "404": (failing(404), ModelUnreachable),
    "redirect": (failing(307, "location: http://evil.test/"), ModelUnreachable),
    "html": (html(), ModelUnreachable),
    "hangs_up": (Answer("{}", hangs_up_after=60), ModelUnreachable),
    "error_object": (raw(b'{"error":{"message":"Traceback"}}'), ModelUnreachable),
    "cut_json": (raw(b'{"choices":[{"message":{"content":"hi'), ModelOutputInvalid),
    "no_json": (raw(b"Traceback (most recent call last)"), ModelOutputInvalid),
    "list": (raw(b"[1]"), ModelOutputInvalid),
    "other_schema": (raw(b'{"answer":"yes"}'), ModelOutputInvalid),
    "odd_choices": (raw(b'{"choices":[7]}'), ModelOutputInvalid),
    "empty_choices": (raw(b'{"choices":[]}'), ModelOutputInvalid),
    "null_content": (Answer(None), ModelOutputInvalid),
    "empty": (raw(b""), ModelOutputInvalid),
    "not_utf8": (raw(b'{"choices":[{"message":{"content":"\xff"}}]}'), ModelOutputInvalid),
}
EVERY_FAULT = pytest.mark.parametrize(("answer", "error"), FAULTS.values(), ids=FAULTS)


@EVERY_FAULT
async def test_a_faulty_server_gives_a_typed_error(door: Door, answer: Answer, error: type[ModelError]) -> None:
    async with ModelServer(lambda _: answer) as server:
        model = model_at(server, door, timeout_s=0.4)
        with pytest.raises(error) as deciding:
            await model.decide(PROMPT, IntentClassification, max_tokens=9)
        assert 1 <= len(server.asked) <= 2
        with pytest.raises(ModelError) as writing:
            assert not [piece async for piece in model.write(PROMPT, temperature=0, max_tokens=9)]
        assert len(server.asked) <= 4
    for failure in (deciding.value, writing.value):
        assert not MARKER.search(str(failure))
        assert "http" not in str(failure)


async def test_a_server_that_is_down_is_unreachable(door: Door) -> None:
    async with ModelServer() as server:
        pass
    model = model_at(server, door)
    with pytest.raises(ModelUnreachable):
        await model.decide(PROMPT, IntentClassification, max_tokens=9)
    with pytest.raises(ModelUnreachable):
        assert not [piece async for piece in model.write(PROMPT, temperature=0, max_tokens=9)]
    with pytest.raises(ModelUnreachable):
        await model.models()


def _events(second: bytes) -> Answer:
    first = b'data: {"choices":[{"delta":{"content":"One"}}]}'
    return Answer(body=first + b"\n\n" + second + b"\n\n", content_type="text/event-stream")


BREAKS = {
    "hangs_up": Answer("One two three four five six.", hangs_up_after=450),
    "ends_without_a_finish": Answer("One two three", finish=None),
    "cut_event": _events(b'data: {"cho'),
    "error_event": _events(b'data: {"error":"x"}'),
}


@pytest.mark.parametrize("answer", BREAKS.values(), ids=BREAKS)
async def test_a_text_that_breaks_off_is_never_begun_again(door: Door, answer: Answer) -> None:
    async with ModelServer(lambda _: answer) as server:
        shown: list[str] = []
        with pytest.raises(ModelError):
            async for piece in model_at(server, door).write(PROMPT, temperature=0, max_tokens=99):
                shown.append(piece)
    assert "".join(shown).startswith("One")
    assert len(server.asked) == 1


async def test_an_endless_text_ends_at_the_deadline_when_nothing_can_be_shown(door: Door) -> None:
    async with ModelServer(lambda _: Answer(endless="")) as server:
        with pytest.raises(ModelUnreachable):
            assert not [
                piece
                async for piece in model_at(server, door, timeout_s=0.3).write(PROMPT, temperature=0, max_tokens=9)
            ]
