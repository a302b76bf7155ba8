"""What a sentence says of a trial's status and phase, against what the register says of it.

A trial that is called open and is not sends somebody on a journey for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.citations import citations
from docgemma.clinical import ToolResult
from docgemma.tools.results import TrialsResult

State = Literal["open", "not yet open", "closed", "completed", "stopped", "suspended", "withdrawn"]

_STATES: tuple[tuple[State, str], ...] = (
    ("not yet open", r"not\s+yet\s+(?:recruiting|open|enroll?ing|started)|(?:yet|about)\s+to\s+(?:recruit|open|start)"),
    (
        "closed",
        r"(?:not|no\s+longer|n['’]t|stopped)\s+(?:\w+ly\s+)?(?:recruiting|enroll?ing|open|accepting)"
        r"|closed\s+to\s+(?:recruitment|enroll?ment|accrual)",
    ),
    ("completed", r"completed|finished|concluded"),
    ("stopped", r"terminated|stopped\s+early|halted|discontinued"),
    ("suspended", r"suspended|on\s+hold|paused"),
    ("withdrawn", r"withdrawn"),
    ("open", r"recruit(?:ing|s)|enroll?(?:ing|s)|accruing|open\s+(?:to|for)|accepting\s+(?:patients|participants)"),
)
_SAID = re.compile(
    "|".join(rf"(?P<s{place}>\b(?:{words})\b)" for place, (_, words) in enumerate(_STATES)), re.IGNORECASE
)
_NUMBER = r"(?:[1-4]|I{1,3}|IV)"
_PHASE = re.compile(
    rf"\bphases?\s*(?P<first>{_NUMBER})(?:\s*(?:/|-|–|and|or)\s*(?:phase\s*)?(?P<second>{_NUMBER}))?\b", re.IGNORECASE
)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4"}
_UNKNOWN = re.compile(r"\bunknown\b|\bnot\s+known\b", re.IGNORECASE)
_TRIALS = re.compile(r"\b(?:trials?|stud(?:y|ies))\b", re.IGNORECASE)
_HEDGED = re.compile(r"\?\s*$|\b(?:if|whether|unless|search(?:ed)?\s+for|asked\s+for)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Registered:
    """One retrieved trial, in the terms that sentences are compared in. What the register does not tell is empty."""

    nct_id: str
    state: State | None
    phases: frozenset[str]


def registered(results: Iterable[ToolResult]) -> tuple[Registered, ...]:
    """Every trial that was retrieved in this turn."""
    trials = (trial for result in results if isinstance(result, TrialsResult) for trial in result.trials)
    return tuple(
        Registered(trial.nct_id.upper(), _state(trial.status or ""), _phases(trial.phase or "")) for trial in trials
    )


def contradicts(sentence: str, known: Sequence[Registered], *, alone: bool = True) -> bool:
    """Whether it gives the trials it names a status or phase that the register does not give any of them.

    A sentence on trials that names none is held against all of them, where the turn speaks of those `alone`.
    """
    if not known or _HEDGED.search(sentence):
        return False
    cited = citations(sentence)
    about = [trial for trial in known if trial.nct_id in cited]
    if not about:
        about = list(known) if alone and _TRIALS.search(sentence) and not cited else []
    states, phases = {trial.state for trial in about}, {phase for trial in about for phase in trial.phases}
    return bool(about) and (_wrong_state(_states(sentence), states) or not _phases(sentence) <= phases)


def _wrong_state(said: Sequence[State], known: set[State | None]) -> bool:
    """ "Not recruiting" is true of every state but an open one, and of an unknown one nothing is."""
    return any(known <= {"open", None} if state == "closed" else state not in known for state in said)


def _state(status: str) -> State | None:
    return None if _UNKNOWN.search(status) else next(iter(_states(status)), None)


def _states(text: str) -> list[State]:
    return [_STATES[int(str(match.lastgroup)[1:])][0] for match in _SAID.finditer(text)]


def _phases(text: str) -> frozenset[str]:
    found = (part.lower() for match in _PHASE.finditer(text) for part in match.groups() if part)
    return frozenset(_ROMAN.get(part, part) for part in found)
