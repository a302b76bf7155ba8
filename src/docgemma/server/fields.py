"""What a form or a program tells a route, checked by one schema for both. The guard has limited its size already."""

from __future__ import annotations

import json
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from docgemma.errors import BadInput

M = TypeVar("M", bound=BaseModel)

UNREADABLE = "What was sent cannot be read. Send a form, or one JSON object, with each field once."
_MOST_FIELDS = 50


async def told(request: Request, kind: type[M]) -> M:
    """The fields of a form or of a JSON object. What a form leaves empty was not given."""
    text = await request.body()
    try:
        if "json" in request.headers.get("content-type", ""):
            given: Any = json.loads(text or b"{}", object_pairs_hook=_once)
        else:
            given = _once(parse_qsl(text.decode(), max_num_fields=_MOST_FIELDS))
    except (ValueError, RecursionError):
        raise BadInput(UNREADABLE) from None
    if not isinstance(given, dict):
        raise BadInput(UNREADABLE)
    try:
        return kind.model_validate({name: value for name, value in given.items() if name != "csrf"})
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A field that is given twice says two things, of which nobody knows which one was meant."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError
    return fields
