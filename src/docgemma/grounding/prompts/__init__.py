"""The prompts, one file a phase, with the system text shared. The criterion goes last, inside its fence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from docgemma.llm.contract import Prompt
from docgemma.llm.gemma import Neutraliser
from docgemma.llm.prompting import PromptFolder

_LABELS = ("entity", "candidate", "end of")
_PROMPTS = PromptFolder("docgemma.grounding", "prompts", labels=_LABELS)
_NEUTRALISE = Neutraliser(_LABELS)
_FENCE = re.compile(
    r"[<＜﹤](?=\s{0,9}[/\\]\s{0,9}[^\s=\d]|[\W_]{0,9}c[\W_]{0,2}r[\W_]{0,2}i[\W_]{0,2}t[\W_]{0,2}e[\W_]{0,2}r[\W_]{0,2}i)",
    re.IGNORECASE,
)
"""What may open or close our own fence, however it is spelled; `</= 5` and `< 7 %` stay as they are."""


def sealed(text: str) -> str:
    """The text as it may stand inside the fence: nothing in it can close the fence or open another."""
    return _FENCE.sub("‹", _NEUTRALISE(text))


def one_line(text: str, longest: int = 160) -> str:
    """A name from outside: sealed, and too short and flat to lay out a prompt of its own."""
    return sealed(" ".join(text.split())[:longest])


def render(name: str, variables: Mapping[str, Any]) -> Prompt:
    """The variables stay as they are for the node's rule; what is printed of them is sealed by the templates."""
    return _PROMPTS.render(name, **variables, sealed=sealed, line=one_line)


def digest() -> str:
    """Of all prompt files: answers to other prompts are other answers."""
    import hashlib
    from importlib.resources import files

    folder = files("docgemma.grounding").joinpath("prompts")
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".md"))
    content = b"\0".join(name.encode() + b"\0" + folder.joinpath(name).read_bytes() for name in names)
    return hashlib.sha256(content).hexdigest()
