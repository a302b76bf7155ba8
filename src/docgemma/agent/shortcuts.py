"""The rules that save a model call, by name. Off, the agent asks the model everything the specification asks it.

Each one used in a turn is named in its timeline, and each can be switched off alone, so that an eval can show what
it costs in accuracy.
"""

from __future__ import annotations

from typing import Literal, get_args

Shortcut = Literal["greeting", "one_candidate", "arguments_found", "known_result", "nothing_found", "understood"]

ALL: frozenset[Shortcut] = frozenset(get_args(Shortcut))
NONE: frozenset[Shortcut] = frozenset()

WHY: dict[Shortcut, str] = {
    "greeting": "a plain greeting or thanks",
    "one_candidate": "the only look-up that fits",
    "arguments_found": "the details are the words of the request",
    "known_result": "the result needs no judging",
    "nothing_found": "there is nothing to put into words",
    "understood": "the reader is sure of what is asked",
}


def shortcut_reason(name: Shortcut) -> str:
    """How the timeline says that a rule decided in the model's place."""
    return f"{name}: {WHY[name]}"
