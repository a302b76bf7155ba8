"""Taking a request apart: the model's list, as many parts as it announced, at most five."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.nodes.decompose_intent import decompose_intent
from docgemma.llm.scripted import ScriptedModel
from tests.agent.nodes.states import assembled, runtime

MESSAGE = "Find patient John Smith, check his chart, and verify metformin safety"
PARTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"count": 2, "subtasks": ["find John Smith", "read his chart"]}, ["find John Smith", "read his chart"]),
    ({"count": 1, "subtasks": ["find John Smith", "sum up"]}, ["find John Smith"]),
    ({"count": 3, "subtasks": ["a  b", "a b", " "]}, ["a b"]),
    ({"count": 2, "subtasks": ["", " "]}, [MESSAGE]),
]


@pytest.mark.parametrize(("answer", "parts"), PARTS)
async def test_decompose_intent(answer: dict[str, Any], parts: list[str]) -> None:
    model = ScriptedModel(answer)
    taken = await decompose_intent(await assembled(MESSAGE), runtime(model))
    assert [task.words for task in taken["parts"]] == parts
    assert all(task.tool is None for task in taken["parts"])
    assert (taken["part"], taken["iterations"], taken["asked"]) == (0, 0, 0)
    assert MESSAGE in model.prompts[0].messages[-1].text


async def test_decompose_intent_by_rule_makes_one_part_of_each_need() -> None:
    taken = await decompose_intent(await assembled(MESSAGE), runtime())
    assert [task.words for task in taken["parts"]] == [
        "Patient Search",
        "Patient Record",
        "Drug Safety Report: metformin",
    ]


async def test_the_timeline_repeats_no_words_of_a_part() -> None:
    taken = await decompose_intent(await assembled(MESSAGE), runtime(ScriptedModel(PARTS[0][0])))
    assert [entry.detail for entry in taken["timeline"]] == ["2 parts"]
