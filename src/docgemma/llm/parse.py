"""From what a model wrote to one valid object, or to an honest failure. Clinical content is never repaired."""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import ValidationError

from docgemma.errors import ModelOutputInvalid
from docgemma.llm.contract import T
from docgemma.llm.gemma import without_thinking

_LONGEST = 200_000
_AROUND = " \t\r\n\x00\ufeff"


def parse_object(raw: str, schema: type[T]) -> T:
    """The one object in the text, if there is exactly one and it fits the schema as it stands.

    Prose, code fences and thinking around it are tolerated. A second object, an open brace, a key given twice or
    a type that would need converting are not: which of two readings was meant is not ours to guess.
    """
    text = _only_object(without_thinking(raw.strip(_AROUND)).strip(_AROUND))
    try:
        return schema.model_validate_json(text, strict=True)
    except ValidationError as error:
        # Only the kinds of error: their messages quote what the model wrote.
        kinds = ", ".join(sorted({str(detail["type"]) for detail in error.errors(include_url=False)}))
    raise ModelOutputInvalid(f"The model's answer does not fit {schema.__name__}: {kinds}.")


def _only_object(text: str) -> str:
    if len(text) > _LONGEST:
        raise ModelOutputInvalid("The model's answer is far too long to be one object.")
    start = text.find("{")
    if start < 0:
        raise ModelOutputInvalid("The model's answer contains no object.")
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        raise ModelOutputInvalid("The model's answer is not well-formed JSON.") from None
    around = text[:start] + text[end:]
    if any(sign in around for sign in "{}") or text[:start].rstrip().endswith(("[", ",")):
        raise ModelOutputInvalid("The model's answer contains more than one object.")
    return text[start:end]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value


def _no_constant(name: str) -> float:
    raise ValueError("not a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
