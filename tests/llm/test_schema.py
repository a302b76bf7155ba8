"""The schema a decoder gets: flat, lean, in declared order."""

from __future__ import annotations

import json
from enum import Enum

import pytest
from pydantic import BaseModel, Field

from docgemma.agent.schemas import IntentClassification, tool_selection
from docgemma.llm.schema import json_schema


class Route(Enum):
    ORAL = "oral"
    IV = "iv"


class Inner(BaseModel):
    title: str = Field(max_length=9)
    default: int = 3


class Outer(BaseModel):
    """Said to programmers."""

    zeta: Route
    alpha: Inner | None = None
    listed: list[Inner] = Field(default_factory=list, max_length=2)


class Tree(BaseModel):
    children: list[Tree] = []


def test_inlines_references_and_drops_what_decoders_do_not_need() -> None:
    text = json.dumps(json_schema(Outer))
    assert not any(word in text for word in ("$ref", "$defs", "Said to programmers", '"title": "'))
    assert json_schema(Outer)["properties"]["zeta"] == {"enum": ["oral", "iv"], "type": "string"}


def test_keeps_the_declared_order_and_fields_named_like_keywords() -> None:
    assert list(json_schema(Outer)["properties"]) == ["zeta", "alpha", "listed"]
    inner = json_schema(Outer)["properties"]["alpha"]["anyOf"][0]
    assert list(inner["properties"]) == ["title", "default"]
    assert list(json_schema(IntentClassification)["properties"]) == ["intent", "task_summary", "suggested_tool"]


def test_every_object_is_closed() -> None:
    schema = json_schema(Outer)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["listed"]["items"]["additionalProperties"] is False


def test_candidates_narrow_the_enum_only() -> None:
    narrow = json_schema(tool_selection(("search_patient", "none")))
    assert narrow["properties"] == {"tool_name": {"enum": ["search_patient", "none"], "type": "string"}}


def test_a_recursive_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="refers to itself"):
        json_schema(Tree)
