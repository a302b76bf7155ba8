"""What a rule says of an order: it passed, it needs care, it must not happen, or nobody could check it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Check = Literal["allergy", "duplicate", "interaction", "renal", "age", "pregnancy", "weight", "weekly", "dose", "route"]
Outcome = Literal["passed", "warning", "hard_stop", "not_checked"]

UNREVIEWED = "engineering proposal, not reviewed by a clinician"
_GRAVEST = ("hard_stop", "not_checked", "warning", "passed")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line on an order's card. `text` is for the person who decides; `basis` is what it rests on.

    `not_checked` says that nothing is known. It is never the same as `passed`. `unruled` is an ingredient that no rule
    knows: six checks without a rule are one thing to tell.
    """

    check: Check
    outcome: Outcome
    text: str
    basis: str = ""
    unruled: str = ""


def resting_on(basis: str) -> str:
    """What a row of a shipped table rests on. Nobody with a licence has looked at it, so that is always said."""
    return f"{basis}; {UNREVIEWED}" if basis else UNREVIEWED


def gravest(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Hard stops first, then what could not be checked, then warnings; otherwise in the order given."""
    return tuple(sorted(findings, key=lambda finding: _GRAVEST.index(finding.outcome)))


def opened(text: str) -> str:
    """As the beginning of a sentence. Names keep their spelling otherwise."""
    return text[:1].upper() + text[1:]
