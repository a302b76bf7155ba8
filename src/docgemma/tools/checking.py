"""Check a call's arguments once, the same way for the agent, an MCP client and the API.

A call that cannot be made is an ordinary, typed answer: the agent turns it into a question, so it must name exactly
what is missing. Values never appear in it, for they may be patient data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from docgemma.clinical import ToolResult
from docgemma.tools.arguments import Arguments
from docgemma.tools.clarity import unclear
from docgemma.tools.registry import Tool


def check_arguments(tool: Tool, raw: Mapping[str, Any]) -> Arguments | ToolResult:
    """The validated arguments, or an `invalid` result of this tool that says what is wrong.

    A chart entry is refused at every door while its drug or an amount is unclear. For a look-up only the agent asks:
    a source may know names that our dictionary does not.
    """
    try:
        arguments = tool.call.model_validate({name: _filled(value) for name, value in raw.items() if _given(value)})
    except ValidationError as error:
        return _refusal(tool, error.errors(include_url=False, include_context=False, include_input=False))
    return (unclear(tool, arguments) if tool.writes else None) or arguments


def missing_arguments(tool: Tool, *names: str) -> ToolResult:
    """The answer to a call that lacks these arguments."""
    return tool.result(
        status="invalid",
        error_type="missing_required_args",
        message=f"Still needed: {_words(names)}.",
        missing=names,
    )


def _refusal(tool: Tool, errors: list[ErrorDetails]) -> ToolResult:
    fields = tool.call.model_fields
    # A list with too few entries lacks something too: an interaction check of one drug needs another drug.
    missing = [str(error["loc"][0]) for error in errors if error["type"] in ("missing", "too_short")]
    if missing:
        return missing_arguments(tool, *dict.fromkeys(missing))
    wrong = tuple(dict.fromkeys(str(error["loc"][0]) for error in errors if error["loc"] and error["loc"][0] in fields))
    what = _words(wrong) if wrong else "a detail that does not belong to this request"
    return tool.result(status="invalid", error_type="invalid_args", message=f"Cannot be used as given: {what}.")


def _given(value: object) -> bool:
    """A small model writes "" or null for what it does not know: that is absent, not a value."""
    return value is not None and not (isinstance(value, str) and not value.strip())


def _filled(value: object) -> object:
    """A list without blanks and repeats: a drug does not interact with itself."""
    if not isinstance(value, list):
        return value
    kept: dict[str, object] = {}
    for item in filter(_given, value):
        kept.setdefault(str(item).strip().casefold(), item)
    return list(kept.values())


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)
