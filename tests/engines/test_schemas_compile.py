"""Every schema the product sends compiles in the engines behind vLLM, and means there what it means to us."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import docgemma.agent
import docgemma.grounding
import docgemma.knowledge
from docgemma.agent.schemas import Decision
from docgemma.grounding import schemas as grounding
from docgemma.knowledge.consult import schemas as consult
from docgemma.tools.registry import TOOLS
from tests.engines.asked import Asked
from tests.engines.engines import ENGINES, Engine
from tests.engines.evaluated import COMPILED

every_schema = pytest.mark.parametrize("asked", COMPILED, ids=lambda asked: asked.name)
every_engine = pytest.mark.parametrize("engine", ENGINES)


@cache
def compiled(engine: str, asked: Asked) -> Engine:
    return ENGINES[engine](asked.sent)


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and everything in it that describes a value."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    if "items" in schema:
        inner.append(schema["items"])
    for part in inner:
        yield from parts(part)


def choices(schema: dict[str, Any]) -> list[Any]:
    """The closed set the value comes from; a set of one is written as a constant."""
    return [schema["const"]] if "const" in schema else schema.get("enum", [])


def fullest(schema: dict[str, Any]) -> Any:
    """The instance with everything in it, each string as long as it may be."""
    if "anyOf" in schema:
        return fullest(schema["anyOf"][0])
    if choices(schema):
        return choices(schema)[-1]
    match schema["type"]:
        case "object":
            return {name: fullest(value) for name, value in schema["properties"].items()}
        case "array":
            return [fullest(schema["items"])] * schema["maxItems"]
        case "string":
            return "x" * schema["maxLength"]
        case "integer":
            return schema["maximum"]
        case other:
            raise AssertionError(f"no example for {other}: teach this function when a schema needs it")


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Any value the schema allows."""
    if "anyOf" in schema:
        return st.one_of([instances(option) for option in schema["anyOf"]])
    if choices(schema):
        return st.sampled_from(choices(schema))
    match schema["type"]:
        case "object":
            every = {name: instances(value) for name, value in schema["properties"].items()}
            required = {name: every.pop(name) for name in schema["required"]}
            drawn = st.fixed_dictionaries(required, optional=every)
            return drawn.map(lambda found: {name: found[name] for name in schema["properties"] if name in found})
        case "array":
            return st.lists(
                instances(schema["items"]), min_size=schema.get("minItems", 0), max_size=min(schema["maxItems"], 5)
            )
        case "null":
            return st.none()
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case _:
            letters = st.characters(exclude_categories=("Cc", "Cs"))
            return st.text(letters, min_size=schema.get("minLength", 0), max_size=min(schema["maxLength"], 400))


def written(instance: Any) -> str:
    return json.dumps(instance, ensure_ascii=False, separators=(",", ":"))


def spoilt(asked: Asked) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fullest instance, made wrong in every way a free model likes to be wrong."""
    right = fullest(asked.sent)
    yield "a field of its own", {**right, "confidence": 1}
    for name, part in asked.sent["properties"].items():
        without = {key: value for key, value in right.items() if key != name}
        if name in asked.sent["required"]:
            yield f"no {name}", without
        if choices(part):
            yield f"an unknown {name}", {**right, name: "other"}
        elif isinstance(right[name], str):
            yield f"{name} too long", {**right, name: right[name] + "x"}
        elif isinstance(right[name], list):
            yield f"too many {name}", {**right, name: [*right[name], "x"]}
            if part.get("minItems", 0):
                yield f"too few {name}", {**right, name: ["x"] * (part.get("minItems", 0) - 1)}


def is_flat(schema: dict[str, Any]) -> bool:
    """A plain value, or so many numbers in a row: a box is written as models were taught to."""
    if schema.get("type") == "array":
        return schema["items"]["type"] == "integer" and schema["minItems"] == schema["maxItems"]
    return schema.get("type") != "object"


@every_schema
def test_what_is_sent_is_flat_bounded_and_in_the_declared_order(asked: Asked) -> None:
    names = list(asked.sent["properties"])
    required = asked.sent["required"]

    assert names == [name for name in asked.schema.model_fields if name in names]
    assert names == list(asked.schema.model_fields) or asked.listing, "only lists tolerate fields that are not sent"
    assert names[: len(required)] == required, "required fields come first"
    for part in parts(asked.sent):
        assert not part.keys() & {"$ref", "$defs", "title"}
        if part.get("type") == "object":
            assert part is asked.sent or asked.listing, "no object inside the object"
            nested = [] if part is asked.sent else list(part["properties"].values())
            assert all(is_flat(inner) for inner in nested), "what is listed is flat"
            assert part["additionalProperties"] is False
        if part.get("type") == "string" and not choices(part):
            assert part["maxLength"] <= asked.longest_string
        if part.get("type") == "array":
            assert part["maxItems"] >= part.get("minItems", 0)


@pytest.mark.parametrize(
    "asked", [asked for asked in COMPILED if issubclass(asked.schema, Decision)], ids=lambda asked: asked.name
)
def test_a_decision_starts_with_what_is_decided(asked: Asked) -> None:
    first = next(iter(asked.sent["properties"].values()))
    assert choices(first)


@every_engine
@every_schema
def test_the_fullest_answer_is_allowed_and_its_spoilt_forms_are_not(engine: str, asked: Asked) -> None:
    right = fullest(asked.sent)

    asked.schema.model_validate_json(written(right))
    assert compiled(engine, asked).accepts(written(right))
    for fault, wrong in spoilt(asked):
        assert not compiled(engine, asked).accepts(written(wrong)), fault


@every_engine
@pytest.mark.parametrize(
    "asked", [asked for asked in COMPILED if len(asked.schema.model_fields) > 1], ids=lambda asked: asked.name
)
def test_fields_are_written_in_the_declared_order_only(engine: str, asked: Asked) -> None:
    right = fullest(asked.sent)

    assert compiled(engine, asked).accepts(written(right))
    assert not compiled(engine, asked).accepts(written(dict(reversed(right.items()))))


@every_schema
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_valid_answer_can_be_written(asked: Asked, data: st.DataObject) -> None:
    text = written(data.draw(instances(asked.sent)))

    asked.schema.model_validate_json(text)
    for engine in ENGINES:
        assert compiled(engine, asked).accepts(text), engine


def test_no_schema_is_left_out() -> None:
    """Each node declares its decision somewhere in its package; importing all of it brings them to light."""
    for package in (docgemma.agent, docgemma.grounding, docgemma.knowledge):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    covered = {asked.schema.__name__ for asked in COMPILED}

    listed = {grounding.ExtractedEntityAction, grounding.GroundingSelection, grounding.NewSearch}
    whole = [schema for schema in descendants(grounding.Decision) if not issubclass(schema, tuple(listed))]
    decisions = [*descendants(Decision), *descendants(consult.Decision), *whole]
    ours = {schema.__name__ for schema in decisions if schema.__module__.startswith("docgemma.")}
    assert ours <= covered
    assert {tool.args.__name__ for tool in TOOLS} <= covered


def descendants(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for child in base.__subclasses__():
        yield child
        yield from descendants(child)
