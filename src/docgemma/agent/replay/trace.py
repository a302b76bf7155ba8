"""A turn's trace: what it was given at its start, and every exchange with a model, a tool or the record system.

Kept as JSON. What the graph works out by itself is not in here: a replay works it out again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError
from typing_extensions import TypedDict

from docgemma.agent.paging import Searched
from docgemma.agent.record import Clarification
from docgemma.agent.shortcuts import Shortcut
from docgemma.agent.state import AttachedImage, State
from docgemma.clinical import Patient
from docgemma.errors import Conflict
from docgemma.llm.contract import Image, Message, Prompt
from docgemma.tools.registry import REGISTRY

FORM = 1
"""Which form of trace this program writes and reads."""

Kind = Literal["decide", "write", "tool", "who", "summary", "vote", "curated"]


class Start(TypedDict, total=False):
    """What a turn's first state holds from outside. All else in it starts empty."""

    message: str
    history: tuple[Message, ...]
    earlier: tuple[str, ...]
    pending: Clarification | None
    pinned: Patient | None
    bound: Patient | None
    recent: Patient | None
    searched: Searched | None
    image_note: str
    seen_before: tuple[str, ...]
    today: date
    image: AttachedImage | None
    prior: AttachedImage | None


IMAGES = ("image", "prior")

_JSON = TypeAdapter(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question that left the graph, and what came back.

    `name`: of the prompt or the tool, or the id that was asked for. `by`: `code` where a rule answered in the model's
    place; rules are part of the program, so a replay asks them again. `prompt`: the fingerprint of its words. `used`:
    what the turn's usage grew by. `error`: what was raised in place of an answer.
    """

    kind: Kind
    name: str
    by: Literal["model", "code"] = "model"
    prompt: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    type: str = ""
    output: Any = None
    error: tuple[str, str] | None = None
    used: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    state: State
    shortcuts: frozenset[Shortcut]
    tools_budget_s: float
    charts: bool
    curated: bool
    exchanges: tuple[Exchange, ...]


def fingerprint(prompt: Prompt) -> str:
    """SHA-256 over the messages as the model gets them. An image is known by its id."""
    return hashlib.sha256(
        "\0".join(f"{message.role}\0{message.text}" for message in prompt.messages).encode("utf-8", "surrogatepass")
    ).hexdigest()


def trace_to_json(trace: Mapping[str, Any]) -> bytes:
    """The trace in one go. Half a character, as a model may write it, is no reason to lose it."""
    try:
        return _JSON.dump_json({"form": FORM, **trace}, exclude_defaults=True)
    except PydanticSerializationError:
        plain = _JSON.dump_python({"form": FORM, **trace}, mode="json", exclude_defaults=True)
        return json.dumps(plain, separators=(",", ":")).encode("ascii")


def start_to_json(state: State) -> dict[str, Any]:
    """The first state as it is kept, its images without their pixels."""
    return {name: _kept(state.get(name)) for name in Start.__annotations__ if name in state or name in IMAGES}


def _kept(value: Any) -> Any:
    """A patient's `confirmed` is left out of records, but decides what a turn may do.

    Of an image stays what is known of it, and how many pictures a model was shown.
    """
    if isinstance(value, AttachedImage):
        blank = replace(value, pictures=(Image("", b""),) * len(value.pictures))
        return TypeAdapter(AttachedImage).dump_python(blank, mode="json", exclude_defaults=True)
    return {**value.model_dump(), "confirmed": value.confirmed} if isinstance(value, Patient) else value


def read(body: bytes) -> Trace:
    """The trace as it was written. Its bytes are known to be whole; their form may still be another program's."""
    try:
        found = json.loads(body)
        if found["form"] != FORM:
            raise ValueError("another form")
        return Trace(
            state=_state(found["state"]),
            shortcuts=frozenset(found["shortcuts"]),
            tools_budget_s=found["tools_budget_s"],
            charts=found["charts"],
            curated=found.get("curated", False),
            exchanges=TypeAdapter(tuple[Exchange, ...]).validate_python(found["exchanges"]),
        )
    except (ValueError, KeyError, TypeError, ValidationError):
        raise Conflict(
            "The trace of this turn was kept in a form that this version cannot read. Use the version that made it."
        ) from None


def _state(found: Mapping[str, Any]) -> State:
    """As it was kept: an image without its pixels, or, in older traces, its id alone."""
    old = {name: AttachedImage(found[name], (Image("", b""),)) for name in IMAGES if isinstance(found.get(name), str)}
    given = TypeAdapter(Start).validate_python(dict.fromkeys(IMAGES) | dict(found) | old)
    return {**given, "timeline": [], "notices": [], "errors": []}  # type: ignore[typeddict-item]


STEPS: Mapping[str, str] = {
    "input_assembly": "Looking at the image",
    "image_comparison": "Comparing two images",
    "intent_classify": "Understanding the request",
    "tool_select": "Choosing an action",
    "tool_select_arguments": "Reading the details",
    "result_classify": "Judging the result",
    "error_handler": "Handling a problem",
    "synthesize": "Writing the answer",
    "triage_router": "Understanding the request",
    "fix_args": "Reading the details again",
    "thinking": "Thinking about the case",
    "extract_needs": "What to look up",
    "decompose_intent": "Taking the request apart",
    "plan_tool": "Choosing an action",
    "reasoning": "Thinking about the results",
    "complexity_router": "Understanding the request",
    "thinking_mode": "Thinking about the case",
    "decompose_request": "Taking the request apart",
    "plan_call": "Choosing an action",
}
"""What a prompt is for."""

_OTHERS = {
    "who": "Who this patient is",
    "summary": "The patient's summary",
    "vote": "What the message reads like",
    "curated": "What the knowledge base says",
}


def exchange_name(kind: str, name: str, args: Mapping[str, Any] | None = None) -> str:
    """What was asked for: a step of the model, a look-up with its details, or something of the record system."""
    if kind in ("decide", "write"):
        return STEPS.get(name, name)
    if kind == "tool":
        label = REGISTRY[name].label if name in REGISTRY else name
        return f"{label} ({fields_line(args)})" if args else label
    return f"{_OTHERS[kind]} ({name})"


def fields_line(values: object) -> str:
    """Fields and their values on one line."""
    if not isinstance(values, Mapping):
        return str(values)
    return "; ".join(f"{str(name).replace('_', ' ')}: {value}" for name, value in values.items()) or "nothing"
