"""From what an MCP server answered to candidates. A foreign UMLS server may answer in text; none is taken at its word.

An answer is either a list, which may be empty, or it is refused: nothing that cannot be read becomes an empty list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from mcp_types import CallToolResult, TextContent

from docgemma.clinical import ErrorType
from docgemma.terminology.contract import ENTITY_TYPES, MOST_RESULTS, Candidate, EntityType, Linked

MAX_CHARACTERS = 1_000_000
LONGEST_NAME = 300
MOST_IDS, MOST_SYSTEMS = 20, 30
MOST_MENTIONS = 400

_CUI = re.compile(r"C\d{7}")
_SNOMED = re.compile(r"\d{6,18}")
_LISTS = ("candidates", "mentions", "result", "results")
_NOTHING = ("found", "none")


class Fault(Exception):
    """The server gave no usable answer. `said` is its own sentence, for a server of this process only."""

    def __init__(self, kind: ErrorType, said: str = "") -> None:
        super().__init__(kind)
        self.kind: ErrorType = kind
        self.said = said


def candidates(answer: CallToolResult, most: int) -> tuple[Candidate, ...]:
    """The candidates, best first as the server orders them. Entries that are no candidates are left out."""
    entries = _entries(answer)
    read = [candidate for entry in entries[:MOST_RESULTS] if (candidate := _candidate(entry)) is not None]
    if entries and not read:
        raise Fault("invalid_response")
    return tuple(read[:most])


def mentions(answer: CallToolResult, text: str) -> tuple[Linked, ...]:
    """The mentions of our own kind of server; one that does not stand in the text where it says is refused."""
    read = [_linked(entry, text) for entry in _entries(answer)[:MOST_MENTIONS]]
    return tuple(sorted(read, key=lambda each: (each.start, each.end)))


def _entries(answer: CallToolResult) -> list[Any]:
    content = answer.structured_content
    _check(answer, content)
    if isinstance(content, dict):
        listed: list[Any] | None = next((content[name] for name in _LISTS if isinstance(content.get(name), list)), None)
        if listed is not None:
            if sum(map(_characters, listed)) > MAX_CHARACTERS:
                raise Fault("invalid_response")
            return listed
    return list(_from_text(answer))


def _check(answer: CallToolResult, content: object) -> None:
    status = content.get("status") if isinstance(content, dict) else None
    if not answer.is_error and (status is None or status in _NOTHING):
        return
    said = content.get("message", "") if isinstance(content, dict) else ""
    kinds: dict[object, ErrorType] = {"invalid": "invalid_args", "unavailable": "service_unavailable"}
    raise Fault(kinds.get(status, "server_error"), said if isinstance(said, str) else "")


def _from_text(answer: CallToolResult) -> Iterator[Any]:
    """Text blocks that hold a JSON list, or one candidate each; servers that answer a list do either."""
    blocks = [block.text for block in answer.content if isinstance(block, TextContent)]
    if len(blocks) != len(answer.content) or sum(map(len, blocks)) > MAX_CHARACTERS:
        raise Fault("invalid_response")
    for block in blocks:
        try:
            value = json.loads(block)
        except (ValueError, RecursionError):
            raise Fault("invalid_response") from None
        if isinstance(value, dict) and (inner := _inner(value)) is not None:
            value = inner
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from value
        else:
            raise Fault("invalid_response")


def _inner(value: Mapping[str, Any]) -> list[Any] | None:
    if value.get("error") or value.get("status") not in (None, *_NOTHING):
        raise Fault("server_error")
    return next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)


def _candidate(entry: object) -> Candidate | None:
    if not isinstance(entry, dict):
        return None
    display, confidence = entry.get("display"), entry.get("confidence", 0.0)
    if not isinstance(display, str) or not display.strip():
        return None
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return None
    return Candidate(
        cui=_shaped(entry.get("cui"), _CUI),
        snomed_code=_shaped(entry.get("snomed_code"), _SNOMED),
        display=_short(display),
        ontology=_short(entry.get("ontology")),
        confidence=float(confidence),
        ids=_ids(entry.get("ids")),
        type=_type(entry),
        matched=_short(entry.get("matched")),
    )


def _linked(entry: object, text: str) -> Linked:
    if not isinstance(entry, dict):
        raise Fault("invalid_response")
    start, end, listed = entry.get("start"), entry.get("end"), entry.get("candidates", [])
    if not isinstance(start, int) or not isinstance(end, int) or not isinstance(listed, list):
        raise Fault("invalid_response")
    if not 0 <= start < end <= len(text) or text[start:end] != entry.get("text"):
        raise Fault("invalid_response")
    read = [candidate for each in listed[:MOST_RESULTS] if (candidate := _candidate(each)) is not None]
    return Linked(
        text=text[start:end],
        start=start,
        end=end,
        type=_type(entry),
        term=_short(entry.get("term")),
        candidates=tuple(read),
    )


def _type(entry: Mapping[str, Any]) -> EntityType | None:
    kind = entry.get("type")
    return cast(EntityType, kind) if kind in ENTITY_TYPES else None


def _shaped(value: object, shape: re.Pattern[str]) -> str | None:
    """An identifier that does not look like one counts as none."""
    return value if isinstance(value, str) and shape.fullmatch(value) else None


def _short(value: object) -> str:
    return " ".join(value.split())[:LONGEST_NAME] if isinstance(value, str) else ""


def _ids(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        return {}
    listed = {_short(system): _codes(codes) for system, codes in list(value.items())[:MOST_SYSTEMS]}
    return {system: codes for system, codes in listed.items() if system and codes}


def _codes(value: object) -> tuple[str, ...]:
    codes: Sequence[object] = value if isinstance(value, list | tuple) else (value,)
    return tuple(code for each in codes[:MOST_IDS] if (code := _short(each)))


def _characters(value: object) -> int:
    if isinstance(value, str):
        return 8 + len(value)
    if isinstance(value, dict):
        return sum(len(str(key)) + _characters(item) for key, item in value.items())
    return sum(map(_characters, value)) if isinstance(value, list) else 8
