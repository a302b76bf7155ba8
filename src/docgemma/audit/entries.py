"""One access to charts, and how it is written down. Ids alone: no name, no birth date, no words of a search."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from docgemma.audit.chain import intact
from docgemma.store.database import Row

Action = Literal[
    "search", "read", "chart", "summary", "export", "write",
    "propose", "approve", "reject", "expire", "withdraw", "undo",
]  # fmt: skip
"""From `propose` on: what was done to an order. `write` is the chart itself, also when an order is undone there."""

Outcome = Literal[
    "found", "none", "partial", "failed", "asked", "written", "refused", "differs", "unknown", "undone",
]  # fmt: skip
"""`partial`: some of it was read. `none`: there was nothing. `failed`: no answer, so nobody saw anything. `asked`: a
write that was let through; `written` what came of it, as does the chart's own history. One that found nothing to change
has only read. `differs`: written, but not as it was sent. `unknown`: sent, and nobody knows yet. `undone`: marked as
entered in error. `refused`: it does not take place.
"""

UNNAMED = "?"
"""A patient whose id cannot be written down, because it does not look like one."""

_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")  # what FHIR allows as an id
_KINDS = re.compile(r"[A-Za-z]{1,64}(?:,[A-Za-z]{1,64}){0,63}|")
_NUMBERS_APART = re.compile(r"\d+(?:[.-]\d+)+")  # a date, a telephone or a social security number
_COMPACT_DATE = re.compile(r"(?:18|19|20)\d{6}")


@dataclass(frozen=True, slots=True)
class Access:
    """What was asked of the record system and what came of it. `count` is how many resources were handed out."""

    action: Action
    outcome: Outcome
    kind: str = ""
    resource_id: str = ""
    patients: tuple[str, ...] = ()
    count: int = 0

    def __post_init__(self) -> None:
        """The last border before the log: a text that is no id must not get in, whoever passes it."""
        ids = (*self.patients, *([self.resource_id] if self.resource_id else []))
        if not all(each == UNNAMED or is_id(each) for each in ids) or not _KINDS.fullmatch(self.kind):
            raise ValueError("an audit entry holds ids and kinds of resources alone")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the log as a person or a program reads it. Not `intact`: it is no longer what was written."""

    position: int
    at: str
    who: str
    why: str
    session_id: str
    turn_id: str
    action: str
    kind: str
    resource_id: str
    patients: tuple[str, ...]
    count: int
    outcome: str
    hash: str
    intact: bool


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def known_id(text: object) -> str:
    """An id that the record system gave; a stand-in for what is none."""
    return text if isinstance(text, str) and is_id(text) else UNNAMED


def asked_id(text: str) -> str:
    """An id that was only asked for, or nothing where it may be a name, a date or a number of another kind.

    Nobody has confirmed it, and what people type into the place of an id is not always one.
    """
    numbered = any(letter.isdigit() for letter in text)
    dated = _NUMBERS_APART.fullmatch(text) or _COMPACT_DATE.fullmatch(text)
    return text if numbered and not dated and is_id(text) else ""


def to_entry(row: Row) -> Entry:
    """Also for a row that was tampered with: it is shown as it stands, marked, rather than hidden behind an error."""
    shown: dict[str, Any] = {name: str(row[name]) for name in row if name != "previous"}
    shown |= {name: row[name] for name in ("position", "count")}
    shown |= {name: str(_unpacked(row[name])) for name in ("who", "why")}
    patients = _unpacked(row["patients"])
    named = tuple(str(each) for each in patients) if isinstance(patients, list) else (str(patients),)
    return Entry(**shown | {"patients": named, "intact": intact(row)})


def _unpacked(stored: Any) -> Any:
    try:
        return json.loads(stored)
    except (ValueError, TypeError, RecursionError):
        return stored
