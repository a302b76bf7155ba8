"""Two records of one turn, held against each other: what differs, in words. Times are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docgemma.agent.record import TurnRecord

_AROUND = 60
_LONGEST = 200

Data = Mapping[str, Any]


def differences(then: TurnRecord, now: TurnRecord) -> tuple[str, ...]:
    """What a reader of the two would notice, the answer first. Empty: they say the same."""
    before, after = then.model_dump(mode="json"), now.model_dump(mode="json")
    return (
        *(told for name, words in _SINGLE.items() for told in _changed(words, before[name], after[name])),
        *(told for name, one in _LISTS.items() for told in _moved(*one, before[name], after[name])),
    )


def _changed(what: str, then: Any, now: Any) -> Iterator[str]:
    if then != now:
        was, is_ = _cut(_plain(then), _plain(now))
        yield f"{what}: was “{was}”, is now “{is_}”."


def _moved(what: str, words: Callable[[Any], str], then: list[Any], now: list[Any]) -> Iterator[str]:
    """What is gone and what is new; an order that changed alone is said as that."""
    before, after = [words(entry) for entry in then], [words(entry) for entry in now]
    if before == after:
        return
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    yield from (f"{what} is gone: {_short(entry)}" for entry in gone.elements())
    yield from (f"{what} is new: {_short(entry)}" for entry in new.elements())
    if not (gone or new):
        yield f"{what}: the order is another."


def _call(call: Data) -> str:
    args = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in call["args"].items())
    facts = ", ".join(str(call[name]) for name in ("status", "error_type", "quality", "origin") if call[name])
    again = f", {call['attempts']} tries" if call["attempts"] > 1 else ""
    return f"{call['label']} ({args}): {facts}{again}"


def _step(step: Data) -> str:
    return f"{step['label']}: {step['detail']} (by {step['by']})"


def _source(source: Data) -> str:
    return ", ".join(str(value) for name, value in source.items() if value and name != "id")


_SINGLE: Mapping[str, str] = {
    "response": "The answer",
    "outcome": "How the turn ended",
    "patient": "Whom it is about",
    "clarification": "What the user is asked",
    "approval": "The entry to approve",
    "confidence": "Confidence",
    "findings": "What was seen in the image",
    "intent": "What kind of request it is",
    "task_summary": "The request in short",
    "llm_calls": "How often the model was asked",
    "tokens": "Words read and written by the model",
}
_LISTS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "tool_calls": ("A look-up", _call),
    "notices": ("A notice", str),
    "suggestions": ("A suggestion", str),
    "sources": ("A source", _source),
    "timeline": ("A step", _step),
}


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_plain(inner)}" for name, inner in value.items() if inner)
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return "nothing" if value is None else str(value)


def _cut(then: str, now: str) -> tuple[str, str]:
    """Both from shortly before the place where they part."""
    at = next((place for place, pair in enumerate(zip(then, now, strict=False)) if pair[0] != pair[1]), None)
    start = max(0, (min(len(then), len(now)) if at is None else at) - _AROUND)
    return _short(then, start), _short(now, start)


def _short(text: str, start: int = 0) -> str:
    piece = text[start : start + _LONGEST]
    return f"{'…' if start else ''}{piece}{'…' if start + _LONGEST < len(text) else ''}"
