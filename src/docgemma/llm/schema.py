"""The JSON schema a constrained decoder is given: flat, lean, in the order the fields were declared.

Decoders differ in what they support (references, defaults, titles), and a small model fills fields in the order
it sees them. So the schema is reduced to what all of them read, and nothing is reordered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

JsonSchema = dict[str, Any]

_REFERENCE = "#/$defs/"
_DROPPED = frozenset({"title", "default", "$defs"})


@lru_cache(maxsize=512)
def json_schema(schema: type[BaseModel]) -> JsonSchema:
    """The schema of this class. Shared between callers: read it, never change it."""
    raw = schema.model_json_schema()
    flat = _flatten(raw, raw.get("$defs", {}), ())
    flat.pop("description", None)  # the class docstring speaks to programmers, the prompt speaks to the model
    return flat


def _flatten(node: JsonSchema, definitions: dict[str, JsonSchema], open_references: tuple[str, ...]) -> JsonSchema:
    """One node with its references inlined. `properties` maps names to nodes: a field may be called `title`."""
    if "$ref" in node:
        reference = str(node["$ref"]).removeprefix(_REFERENCE)
        if reference in open_references:
            raise ValueError(f"The schema {reference} refers to itself; a constrained decoder needs a flat one.")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _flatten({**definitions[reference], **rest}, definitions, (*open_references, reference))

    flat: JsonSchema = {}
    for key, value in node.items():
        if key in _DROPPED:
            continue
        if key == "properties":
            flat[key] = {name: _flatten(child, definitions, open_references) for name, child in value.items()}
        elif isinstance(value, dict):
            flat[key] = _flatten(value, definitions, open_references)
        elif isinstance(value, list):
            flat[key] = [
                _flatten(item, definitions, open_references) if isinstance(item, dict) else item for item in value
            ]
        else:
            flat[key] = value
    if flat.get("type") == "object" and "properties" in flat:
        flat["additionalProperties"] = False
    return flat
