"""Fields of a resource, whatever a server sent: a wrong shape reads as nothing, and text as one clean line.

Nothing in such a line can begin a line of ours, hide, or turn the reading direction.
"""

from __future__ import annotations

import re
from typing import Any

Node = dict[str, Any]
_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")


def node(value: object) -> Node:
    """One object. Where a server sent a list of one kind, its first object counts."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return next((part for part in value if isinstance(part, dict)), {})
    return {}


def nodes(value: object) -> list[Node]:
    """Several objects; a lone one where several belong counts as one."""
    if isinstance(value, list):
        return [part for part in value if isinstance(part, dict)]
    return [value] if isinstance(value, dict) else []


def listed(value: object) -> list[object]:
    """A list as it is; anything else as a list of one."""
    return value if isinstance(value, list) else [value]


def code(value: object) -> str:
    """A code in lower case; empty for anything that is none."""
    return value.strip().lower() if isinstance(value, str) else ""


def codes(value: object) -> list[str]:
    """Several codes, or one where several belong."""
    return [known for known in map(code, listed(value)) if known]


def identity(resource: Node) -> str:
    """`Kind/id`, which may stand in any text: it names no person. Empty for an id that FHIR does not allow."""
    kind, id_ = resource.get("resourceType"), resource.get("id")
    return f"{kind}/{id_}" if isinstance(id_, str) and _ID.fullmatch(id_) else ""


_SPACE = re.compile(r"\s+")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_OWN_QUOTES = str.maketrans({"“": '"', "”": '"'})
_SLACK = 3
"""How much more than asked for is looked at, so that text that is mostly line breaks still fills its line."""

NAME = 160
"""As long as a name of a drug, a substance or a test may get."""


def plain(value: object, most: int = NAME) -> str:
    """One line of at most `most` characters; "…" says that there was more. Anything but text is empty."""
    if not isinstance(value, str):
        return ""
    if len(value) <= most and value.isascii() and value.isprintable():
        return " ".join(value.split())
    line = _UNSEEN.sub("", _SPACE.sub(" ", value[: most * _SLACK])).strip()
    line = " ".join(line.split())
    more = len(value) > most * _SLACK or len(line) > most
    return f"{line[: most - 1].rstrip()}…" if more else line


def quoted(value: object, most: int) -> str:
    """Free text in quotation marks of its own, which it cannot close from within."""
    line = plain(value, most).translate(_OWN_QUOTES)
    return f"“{line}”" if line else ""


def joined(*parts: str, by: str = ", ") -> str:
    """The parts that say something."""
    return by.join(part for part in parts if part)


def counted(count: int, one: str, several: str = "") -> str:
    """ "1 test", "3 tests"."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
