"""What a constrained decoder is given: flat, bounded, the decision first; and one rule for every prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import docgemma.knowledge.consult
from docgemma.knowledge.consult.rules import RULES
from docgemma.knowledge.consult.schemas import (
    Composed,
    Decided,
    RagDecision,
    RetrievalQuery,
    selection,
    topic_choice,
)
from docgemma.llm.schema import json_schema

FOLDER = Path(docgemma.knowledge.consult.__file__).parent
SCHEMAS: dict[str, tuple[type[BaseModel], str]] = {
    "decide": (Decided, "action"),
    "rag_agent": (RagDecision, "action"),
    "create_query": (RetrievalQuery, "retrieval_query"),
    "topic_classify": (topic_choice(("A", "B")), "topic"),
    "filter": (selection(4), "numbers"),
    "compose": (Composed, "explanation"),
}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_field_is_bounded_and_the_decision_comes_first(name: str) -> None:
    schema, first = SCHEMAS[name]
    properties: dict[str, dict[str, Any]] = json_schema(schema)["properties"]
    assert next(iter(properties)) == first
    assert json_schema(schema)["required"] == list(properties)
    for field in properties.values():
        bounded(field)


def bounded(field: dict[str, Any]) -> None:
    if field["type"] == "array":
        assert field["maxItems"] <= 10
        bounded(field["items"])
    else:
        assert "enum" in field or field["maxLength"] <= 1_500


def test_every_prompt_has_a_rule_and_every_node_a_test() -> None:
    assert {path.stem for path in (FOLDER / "prompts").glob("*.md")} == set(RULES)
    nodes = {path.stem for path in (FOLDER / "nodes").glob("*.py")} - {"__init__"}
    tests = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert nodes <= tests
